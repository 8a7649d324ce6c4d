#include "core/agent/builtin/emit/attention/attention_kernel.h"

const char *attention_size(const struct attention_kernel *a, size_t value, size_t axis)
{
    return a->e->writer->extents.of[value][axis];
}

void attention_heads(const struct attention_kernel *a)
{
    struct emitter *e = a->e;
    size_t head = a->rank - 3;

    if (a->shape.group > 1)
        emit_line(e, "    const int shared = head / %s * %s + head %% %s / (%s / %s);",
                  attention_size(a, a->node->in[0], head), attention_size(a, a->node->in[1], head),
                  attention_size(a, a->node->in[0], head), attention_size(a, a->node->in[0], head),
                  attention_size(a, a->node->in[1], head));
    else
        emit_line(e, "    const int shared = head;");
    if (a->rank > 2)
        writer_axes(e->writer, a->node->out, (1U << (a->rank - 2)) - 1, "head", "    ");
}

const char *attention_masked(const struct attention_kernel *a, const char *score, const char *key)
{
    size_t mask = a->node->in[3], rank = a->call.in[3]->shape.rank;
    struct coordinates coords = {0};
    struct strbuf index = {0}, text = {0};
    const char *copy;

    coordinates_axes(&coords, (1U << (a->rank - 2)) - 1, "head");
    coordinates_set(&coords, a->rank - 2, "query");
    coordinates_set(&coords, a->rank - 1, "0");
    coords = writer_broadcast(a->e->writer, mask, a->node->out, &coords);
    if (rank > 0 && a->call.in[3]->shape.dims[rank - 1] > 1)
        coordinates_set(&coords, rank - 1, key);
    writer_index(a->e->writer, mask, rank, &coords, &index);
    writer_load(a->call.in[3], strbuf_cstr(&index), &text);
    copy = emit_text(a->e, a->call.in[3]->dtype == DTYPE_BOOL ? "%s ? %s : -INFINITY" : "%s + %s",
                     strbuf_cstr(&text), score);
    strbuf_release(&text);
    strbuf_release(&index);
    return copy;
}
