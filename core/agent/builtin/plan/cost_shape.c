#include <stdlib.h>

#include "core/agent/builtin/plan/cost.h"
#include "core/base/mem.h"
#include "core/model/graph.h"
#include "core/model/op/op_attention.h"
#include "core/model/op/op_convolution.h"
#include "core/model/op/op_product.h"

/* A product, or what is one in its inner loops: m and n of a tile, k the steps of the sum. */
static bool shape_of(const struct op_call *call, struct cost_shape *shape)
{
    struct product product;
    struct convolution convolution;
    struct attention attention;

    switch (call->op->kind) {
    case OP_PRODUCT:
        product = product_of(call);
        shape->m = (double)product.m;
        shape->n = (double)product.n;
        shape->k = (double)product.k;
        shape->count = (double)shape_elements(&product.batch);
        return true;
    case OP_CONVOLUTION:
        convolution = convolution_of(call);
        shape->m = (double)convolution.out_channels;
        shape->n = (double)convolution.window.axes[WINDOW_AXES - 1].out;
        shape->k = (double)shape_elements(&call->in[1]->shape) / (double)call->in[1]->shape.dims[0];
        return true;
    case OP_ATTENTION:
        if (call->in[1]->shape.rank != call->in[0]->shape.rank || !op_attribute(call, "is_causal"))
            return false;
        attention = attention_of(call);
        shape->m = (double)attention.queries;
        shape->n = (double)attention.keys;
        shape->k = (double)attention.width;
        shape->kept = (double)attention.out_width;
        return true;
    case OP_ELEMENTWISE:
    case OP_REDUCTION:
    case OP_ROWWISE:
    case OP_CHANNELWISE:
    case OP_WINDOW:
    case OP_MOVEMENT:
        break;
    }
    return false;
}

enum status cost_find_shape(const struct problem *problem, const struct device_info *device,
                            struct cost_shape *shape, bool *is_found, struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    enum status st = graph_build(&graph, problem, &scope, err);

    *shape = (struct cost_shape){.vector_width = (int)device->vector_width_f32,
                                 .is_cpu = device->is_cpu,
                                 .count = 1,
                                 .units = device->compute_units};
    *is_found = false;
    for (size_t n = 0; !st && !*is_found && n < graph.nodes.count; n++) {
        struct op_call call = graph_call(&graph, n);

        *is_found = shape_of(&call, shape);
    }
    graph_release(&graph);
    free(bindings);
    return st;
}
