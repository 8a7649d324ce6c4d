#include "core/session/recorded/standalone/standalone_rounding.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/model/op/op_convolution.h"

enum { LEFT, TO_EVEN, AWAY };

/* How the operands of a node are rounded. */
static int rounding_of(const struct op_call *call)
{
    struct convolution c;
    int64_t places = 1;

    if (call->op->kind != OP_CONVOLUTION || call->in[0]->dtype != DTYPE_F32 ||
        call->in[1]->dtype != DTYPE_F32)
        return LEFT;
    c = convolution_of(call);
    for (size_t i = 0; i < WINDOW_AXES; i++)
        places *= c.window.axes[i].kernel;
    if (c.groups > 1)
        return LEFT;
    return places == 1 || c.window.kind == WINDOW_TRANSPOSED ? TO_EVEN : AWAY;
}

/* Note how each operand of a node is to be rounded, if it can be. */
static enum status note(const struct graph *graph, size_t number, int *roundings, struct error *err)
{
    const struct graph_node *node = &graph->nodes.items[number];
    const struct op_call call = graph_call(graph, number);
    int wanted = rounding_of(&call);

    for (size_t i = 0; wanted != LEFT && i < 2; i++) {
        if (!tensor_is_given(call.in[i]->role))
            return error_set(err, STATUS_INVALID,
                             "--tf32-convolutions: graph[%zu], %s, reads \"%s\", which kernels "
                             "compute: only inputs and params can be rounded",
                             number, call.op->name, call.in[i]->name);
        roundings[node->in[i]] = wanted;
    }
    return STATUS_OK;
}

/* Check that a node reads all operands as they are rounded. */
static enum status check(const struct graph *graph, size_t number, const int *roundings,
                         struct error *err)
{
    const struct graph_node *node = &graph->nodes.items[number];
    const struct op_call call = graph_call(graph, number);

    for (size_t i = 0; i < node->in_count; i++)
        if (roundings[node->in[i]] != (i < 2 ? rounding_of(&call) : LEFT))
            return error_set(err, STATUS_INVALID,
                             "--tf32-convolutions: graph[%zu], %s, also reads \"%s\", which "
                             "would be rounded for a convolution",
                             number, call.op->name, call.in[i]->name);
    return STATUS_OK;
}

struct json *standalone_rounding(const struct graph *graph, struct error *err)
{
    int *roundings = mem_alloc_zeroed(graph->values.count, sizeof(*roundings));
    struct json *array = json_array_new();
    enum status st = STATUS_OK;

    for (size_t n = 0; !st && n < graph->nodes.count; n++)
        st = note(graph, n, roundings, err);
    for (size_t n = 0; !st && n < graph->nodes.count; n++)
        st = check(graph, n, roundings, err);
    for (size_t v = 0; !st && v < graph->values.count; v++) {
        struct json *pair = roundings[v] == LEFT ? NULL : json_push(array, json_array_new());

        if (pair) {
            json_push(pair, json_number_new((double)v));
            json_push(pair, json_number_new(roundings[v] == AWAY));
        }
    }
    free(roundings);
    if (!st)
        return array;
    json_free(array);
    return NULL;
}
