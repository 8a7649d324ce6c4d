#include "core/agent/builtin/plan/family.h"

#include <string.h>

#include "core/base/array.h"
#include "core/model/op/op_channelwise.h"
#include "core/model/op/op_product.h"
#include "core/model/op/op_window.h"

size_t family_rowwise_axes(const struct op_call *call)
{
    unsigned axes = call->op->axes ? call->op->axes(call) : 0, all = value_axes(call->in[0]);
    size_t count = (size_t)__builtin_popcount(axes);

    return axes == (all & ~(all >> count)) && formula_rowwise(call->op->name) ? count : 0;
}

const struct rowwise_formula *family_rowwise_formula(const struct op *op)
{
    return formula_rowwise(op->kind == OP_CHANNELWISE ? "layer_norm" : op->name);
}

bool family_is_f32(const struct op_call *call)
{
    for (size_t i = 0; i < call->in_count; i++)
        if (call->in[i]->dtype != DTYPE_F32)
            return false;
    return call->out->dtype == DTYPE_F32;
}

/* True if an int numbers the elements of a batch's operands, and the launch its matrices. */
static bool takes_batch(const struct schedule *schedule, const struct product *product,
                        const struct op_call *call)
{
    enum { MOST_MATRICES = 65535 };

    return schedule->of[KNOB_WARPGROUP] && shape_elements(&product->batch) <= MOST_MATRICES &&
           shape_elements(&call->in[0]->shape) <= INT32_MAX &&
           shape_elements(&call->in[1]->shape) <= INT32_MAX;
}

/*
 * A work-item stores pairs of columns. Columns and steps of the sum must be the same at all
 * dimensions.
 */
bool family_has_matrix(const struct writer *writer, const struct schedule *schedule,
                       const struct graph_node *node, const struct op_call *call)
{
    enum { COLUMN_STEP = 2 };
    const struct product product = product_of(call);
    size_t steps = call->in[0]->shape.rank - (product.a_transposed ? 2 : 1);

    return schedule->of[KNOB_MATRIX] && writer->dialect->has_matrix &&
           (product.batch.rank == 0 || takes_batch(schedule, &product, call)) &&
           product.n % COLUMN_STEP == 0 &&
           writer->extents.is_fixed[node->out][call->out->shape.rank - 1] &&
           writer->extents.is_fixed[node->in[0]][steps];
}

bool family_permutation(const struct op_call *call, size_t axes[SHAPE_MAX_RANK])
{
    bool is_permute = strcmp(call->op->name, "permute") == 0;
    size_t first, second;

    if (!is_permute && strcmp(call->op->name, "transpose") != 0)
        return false;
    for (size_t axis = 0; axis < call->in[0]->shape.rank; axis++)
        axes[axis] = is_permute ? call_axis(call, "dims", axis) : axis;
    if (is_permute)
        return true;
    first = call_axis(call, "dim0", 0);
    second = call_axis(call, "dim1", 0);
    axes[first] = second;
    axes[second] = first;
    return true;
}

/* True if the movement makes another axis the last one, and both axes are long enough for tiles. */
static bool is_transpose(const struct op_call *call)
{
    enum { LEAST_SIDE = 16 };
    size_t axes[SHAPE_MAX_RANK] = {0}, last = call->out->shape.rank - 1, axis = 0;

    if (!family_is_f32(call) || !family_permutation(call, axes) || axes[last] == last)
        return false;
    while (axes[axis] != last)
        axis++;
    return call->out->shape.dims[last] >= LEAST_SIDE && call->out->shape.dims[axis] >= LEAST_SIDE;
}

/* True if the last axis of a value has the same size at all dimensions. */
static bool has_fixed_lines(const struct writer *writer, size_t value)
{
    return writer->extents.is_fixed[value][writer->graph.values.items[value].shape.rank - 1];
}

/*
 * True if the reduction is over a single element, so that the result is the operand: both have the
 * same shape.
 */
static bool is_single(const struct writer *writer, const struct graph_node *node,
                      const struct op_call *call)
{
    static const char *const same[] = {"sum", "mean", "prod", "max", "min", "logsumexp"};

    for (size_t i = 0; i < COUNT(same); i++)
        if (strcmp(call->op->name, same[i]) == 0)
            return family_is_f32(call) && writer_same_shape(writer, node->in[0], node->out);
    return false;
}

bool family_is_elementwise(const struct writer *writer, const struct graph_node *node,
                           const struct op_call *call)
{
    if (call->op->kind == OP_CHANNELWISE)
        return channel_norm_of(call).has_statistics && call->out->shape.rank == 2 &&
               family_is_f32(call);
    return call->op->kind == OP_ELEMENTWISE || is_single(writer, node, call);
}

static enum family norm_family(const struct op_call *call)
{
    if (family_rowwise_axes(call))
        return FAMILY_ROWWISE;
    return formula_rowwise(call->op->name) ? FAMILY_PLAIN : FAMILY_SCAN;
}

/* The first three operands must be f32; a mask may have any type. */
static enum family attention_family(const struct writer *writer, const struct graph_node *node,
                                    const struct op_call *call)
{
    if (strcmp(call->op->name, "rope") == 0)
        return FAMILY_MOVEMENT;
    for (size_t i = 0; i < 3; i++)
        if (call->in[i]->dtype != DTYPE_F32)
            return FAMILY_PLAIN;
    return has_fixed_lines(writer, node->out) ? FAMILY_ATTENTION : FAMILY_PLAIN;
}

/* True if all windows have the same size. Those of a transposed convolution have not. */
static bool is_regular(const struct op_call *call)
{
    return family_is_f32(call) && window_of(call).kind == WINDOW_FORWARD;
}

/* Transposed convolutions have a kernel only if products copy to local memory asynchronously. */
static bool is_convolution(const struct writer *writer, const struct op_call *call)
{
    return family_is_f32(call) &&
           (window_of(call).kind == WINDOW_FORWARD || writer->dialect->copies);
}

enum family family_of(const struct writer *writer, const struct graph_node *node,
                      const struct op_call *call)
{
    if (family_is_elementwise(writer, node, call))
        return FAMILY_ELEMENTWISE;
    switch (call->op->kind) {
    case OP_REDUCTION:
        return family_rowwise_axes(call) ? FAMILY_ROWWISE : FAMILY_MOVEMENT;
    case OP_ROWWISE:
        return norm_family(call);
    case OP_PRODUCT:
        return family_is_f32(call) && call->in[0]->shape.rank > 1 ? FAMILY_PRODUCT : FAMILY_PLAIN;
    case OP_CHANNELWISE:
        return channel_norm_of(call).has_statistics ? FAMILY_MOVEMENT : FAMILY_ROWWISE;
    case OP_ATTENTION:
        return attention_family(writer, node, call);
    case OP_MOVEMENT:
        return is_transpose(call) ? FAMILY_TRANSPOSE : FAMILY_MOVEMENT;
    case OP_CONVOLUTION:
        return is_convolution(writer, call) ? FAMILY_CONVOLUTION : FAMILY_PLAIN;
    case OP_WINDOW:
        return is_regular(call) && has_fixed_lines(writer, node->in[0]) ? FAMILY_POOLING
                                                                        : FAMILY_PLAIN;
    case OP_RECURRENCE:
    case OP_ELEMENTWISE:
        break;
    }
    return FAMILY_PLAIN;
}

bool family_finds_matrix(const struct problem *problem, const char *language,
                         const struct schedule *schedule)
{
    struct writer writer = {0};
    bool has_matrix = false;

    if (writer_open(&writer, problem, language, NULL))
        return false;
    for (size_t n = 0; n < writer.graph.nodes.count && !has_matrix; n++) {
        const struct op_call call = graph_call(&writer.graph, n);

        has_matrix = call.op->kind == OP_PRODUCT && family_is_f32(&call) &&
                     family_has_matrix(&writer, schedule, &writer.graph.nodes.items[n], &call);
    }
    writer_release(&writer);
    return has_matrix;
}
