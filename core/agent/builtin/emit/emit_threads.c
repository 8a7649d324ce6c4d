#include "core/agent/builtin/emit/emit_threads.h"

#include <math.h>

#include "core/agent/builtin/emit/emit_space.h"
#include "core/model/op/op.h"

/*
 * Nanoseconds of one core: of a floating-point operation in products, of one elsewhere, and of an
 * element that is stored. Work that a further thread is worth: some times what it takes to wake it.
 */
static const double product_ns = 1.0 / 16, operation_ns = 1.0, element_ns = 0.5, worth_ns = 8000;

enum { MANY_THREADS = 1024 };

/* A rough estimate of the time that one core takes for the group at the main dimensions. */
static double group_ns(const struct emitter *e)
{
    double ns = 0;

    for (size_t n = 0; n < e->group->count; n++) {
        struct op_call call = graph_call(&e->writer->graph, e->group->nodes[n]);
        enum op_class kind = call.op->kind;
        bool is_product = kind == OP_PRODUCT || kind == OP_CONVOLUTION || kind == OP_ATTENTION ||
                          kind == OP_RECURRENCE;

        ns += op_flops(&call) * (is_product ? product_ns : operation_ns) +
              element_ns * (double)shape_elements(&call.out->shape);
    }
    return ns;
}

const char *emit_threads(struct emitter *e)
{
    size_t out = emit_node_at(e, e->group->nodes[e->group->count - 1])->out;
    const struct value *value = emit_value_at(e, out);
    double ns = group_ns(e), elements = (double)shape_elements(&value->shape);

    if (!e->writer->dialect->has_calls || ns >= MANY_THREADS * worth_ns)
        return NULL;
    if (e->writer->problem->dims.count == 0)
        return emit_text(e, "%.0f", fmax(1, ceil(ns / worth_ns)));
    return emit_text(e, "ceildiv(%s, %.0f)", emit_sizes(e, out, value_axes(value)),
                     fmax(1, floor(elements * worth_ns / fmax(ns, 1))));
}
