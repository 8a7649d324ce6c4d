#include "core/codegen/slice_first.h"

/* A negative bound counts from the end, and is limited to the first element. */
static void add_start(const struct writer *writer, const struct graph_node *node,
                      const struct op_call *call, struct strbuf *out)
{
    bool is_from_end = op_attribute(call, "start")->integers[0] < 0;

    if (is_from_end)
        strbuf_addf(out, "max(%s + ", writer->extents.of[node->in[0]][call_axis(call, "dim", 0)]);
    writer_number(writer, node, "start", 0, out);
    if (is_from_end)
        strbuf_adds(out, ", 0)");
}

static void add_last(const struct writer *writer, const struct graph_node *node,
                     const struct op_call *call, struct strbuf *out)
{
    const char *size = writer->extents.of[node->in[0]][call_axis(call, "dim", 0)];
    const struct attribute *end = op_attribute(call, "end");

    if (!end->is_given) {
        strbuf_addf(out, "%s - 1", size);
        return;
    }
    strbuf_addf(out, end->integers[0] < 0 ? "%s - 1 + " : "min(%s, ", size);
    writer_number(writer, node, "end", 0, out);
    if (end->integers[0] >= 0)
        strbuf_adds(out, ") - 1");
}

void slice_first(const struct writer *writer, const struct graph_node *node,
                 const struct op_call *call, struct strbuf *out)
{
    (op_attribute(call, "step")->integers[0] < 0 ? add_last : add_start)(writer, node, call, out);
}
