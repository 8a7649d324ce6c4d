#include "core/agent/builtin/plan/family.h"

#include <math.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/number.h"
#include "core/model/op/op_channelwise.h"
#include "core/model/op/op_product.h"
#include "core/model/op/op_window.h"

size_t family_rowwise_axes(const struct op_call *call)
{
    unsigned axes = call->op->axes ? call->op->axes(call) : 0, all = value_axes(call->in[0]);
    size_t count = (size_t)__builtin_popcount(axes);

    return axes == (all & ~(all >> count)) && formula_rowwise(call->op->name) ? count : 0;
}

/*
 * Neighbouring work-items read the columns of a matrix from different lines of memory, and the same
 * lines as other work-groups.
 */
bool family_has_batch(const struct op_call *call)
{
    enum {
        MOST_OF_CHANNEL = 1 << 15,
        MOST = 1 << 24,
        MOST_LINES = 1 << 12,
        MOST_OF_MATRIX = 1 << 20
    };
    static const char *const ops[] = {"sum", "mean", "max", "min", "var"};
    const struct shape *shape = &call->in[0]->shape;
    int64_t elements = shape_elements(shape);
    bool is_found = false;

    for (size_t i = 0; i < COUNT(ops); i++)
        is_found |= strcmp(call->op->name, ops[i]) == 0;
    if (!is_found || shape->rank < 2 || !family_is_f32(call) ||
        call->op->axes(call) != (value_axes(call->in[0]) & ~2U))
        return false;
    if (shape->rank == 2)
        return shape->dims[0] <= MOST_LINES && elements <= MOST_OF_MATRIX;
    return elements / shape->dims[1] <= MOST_OF_CHANNEL && elements <= MOST;
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

static const char many_elements[] = "its operand has more than 2^31 elements",
                  few_filters[] = "a group has too few filters or channels to fill matrix units";

/* Why rounded operands would be wrong: matrix units with operands in parts are accurate enough. */
static const char *rounding_obstacle(const struct writer *writer, const struct schedule *schedule,
                                     const struct graph_node *node)
{
    return writer->decides[node->out] && schedule->of[KNOB_MATRIX] != MATRIX_PARTS
               ? "an index or a comparison depends on its result"
               : NULL;
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
 * True if a product has so few multiply-adds that ordinary cores compute it before another kernel
 * would have converted an operand.
 */
static bool is_small(const struct product *product)
{
    enum { MOST_STEPS = 512, MOST_ADDS = 1 << 21 };

    return product->k <= MOST_STEPS &&
           product->m * product->n * product->k * shape_elements(&product->batch) <= MOST_ADDS;
}

/*
 * True if a product of two computed operands moves so many elements for its multiply-adds that
 * ordinary cores keep pace with the memory, while a conversion moves the operands once more.
 */
static bool is_light(const struct writer *writer, const struct graph_node *node,
                     const struct op_call *call, const struct product *product)
{
    enum { ADDS_PER_ELEMENT = 8 };
    double adds =
        (double)(product->m * product->n * product->k) * (double)shape_elements(&product->batch);
    double moved = (double)shape_elements(&call->out->shape);

    for (size_t i = 0; i < 2; i++) {
        if (writer->graph.values.items[node->in[i]].role == TENSOR_PARAM)
            return false;
        moved += 2 * (double)shape_elements(&call->in[i]->shape);
    }
    return adds <= ADDS_PER_ELEMENT * moved;
}

/*
 * Columns and steps of the sum must be the same at all dimensions. A product with few steps mostly
 * stores its results, which parts make slower: on an H100 32768 x 32 x 32768 takes 1.9 ms on
 * ordinary cores and 3.1 ms in parts.
 */
const char *family_product_obstacle(const struct writer *writer, const struct schedule *schedule,
                                    const struct graph_node *node, const struct op_call *call)
{
    enum { LEAST_STEPS_OF_PARTS = 48 };
    const struct product product = product_of(call);
    size_t steps = call->in[0]->shape.rank - (product.a_transposed ? 2 : 1);

    if (schedule->of[KNOB_MATRIX] == MATRIX_PARTS && product.k < LEAST_STEPS_OF_PARTS)
        return "its sums are too short to pay for operands in three parts";
    if (is_small(&product))
        return "it has too few multiply-adds to pay for the conversion of its operands";
    if (is_light(writer, node, call, &product))
        return "it has too few multiply-adds for each element that it moves";
    if (product.batch.rank > 0 && !takes_batch(schedule, &product, call))
        return "its batch has too many matrices or more than 2^31 elements";
    if (!writer->extents.is_fixed[node->out][call->out->shape.rank - 1] ||
        !writer->extents.is_fixed[node->in[0]][steps])
        return "the number of its columns or of its steps is a dimension that may change";
    return rounding_obstacle(writer, schedule, node);
}

bool family_has_matrix(const struct writer *writer, const struct schedule *schedule,
                       const struct graph_node *node, const struct op_call *call)
{
    return schedule->of[KNOB_MATRIX] && writer->dialect->has_matrix &&
           !family_product_obstacle(writer, schedule, node, call);
}

enum { CHUNK = 8 }; /* channels of one tap that are copied or stored at once */

/* A result place of a transposed convolution meets only taps whose distance is the stride. */
int64_t family_axis_taps(const struct window *window, size_t axis)
{
    const struct window_axis *w = &window->axes[axis];
    int64_t step = 1;

    while (window->kind == WINDOW_TRANSPOSED && step * w->dilation % w->stride != 0)
        step++;
    return (w->kernel + step - 1) / step;
}

/* Divide the filters of a group into tiles, and further if there are too few work-groups. */
static void divide_filters(const struct op_call *call, const struct convolution *shape,
                           int most_columns, struct parts_tile *tile)
{
    enum { LEAST_COLUMNS = 32, COLUMN_STEP = 16, ENOUGH_GROUPS = 132 };
    int64_t filters = shape->out_channels, blocks = (filters + most_columns - 1) / most_columns;
    int64_t places = shape_elements(&call->out->shape) / call->out->shape.dims[1];
    int64_t rows = (int64_t)PARTS_ROWS * tile->phases;
    int64_t tiles = (places + rows - 1) / rows * shape->groups;

    while (tiles * blocks < ENOUGH_GROUPS && filters / blocks / 2 >= LEAST_COLUMNS)
        blocks *= 2;
    tile->columns = (int)number_round_up((filters + blocks - 1) / blocks, COLUMN_STEP);
    tile->blocks = (int)((filters + tile->columns - 1) / tile->columns);
}

/*
 * With few channels steps of any channels and taps leave fewer steps empty. Each step then needs an
 * entry in a table. With a stride of 2 along the last axis a phase fills every second float of a
 * line, and a work-group stores both phases.
 */
struct parts_tile family_parts_tile(const struct schedule *schedule, const struct op_call *call)
{
    enum { MANY_CHANNELS = 32, MOST_STEPS = 1024, MOST_COLUMNS = 64 };
    const struct convolution shape = convolution_of(call);
    bool has_parts = schedule->of[KNOB_MATRIX] == MATRIX_PARTS;
    int most = schedule->of[KNOB_SPAN];
    struct parts_tile tile = {.parts = has_parts ? OPERAND_PARTS : 1, .phases = 1, .taps = 1};

    if (shape.window.kind == WINDOW_TRANSPOSED && shape.window.axes[WINDOW_AXES - 1].stride == 2)
        tile.phases = 2;
    if (tile.phases > 1 && !has_parts && most > MOST_COLUMNS)
        most = MOST_COLUMNS;
    for (size_t axis = 0; axis < WINDOW_AXES; axis++)
        tile.taps *= family_axis_taps(&shape.window, axis);
    tile.is_by_tap = shape.in_channels % CHUNK == 0 || shape.in_channels >= MANY_CHANNELS ||
                     shape.in_channels * tile.taps > MOST_STEPS;
    tile.channels = tile.is_by_tap ? number_round_up(shape.in_channels, CHUNK) : shape.in_channels;
    tile.stages = number_round_up(tile.channels * tile.taps, PARTS_STEPS) / PARTS_STEPS;
    divide_filters(call, &shape, most, &tile);
    return tile;
}

/*
 * True if the convolution takes less time in three parts. The cost of a step for all places of a
 * tile, in a unit's cycles: matrix units take 24/64 for a column, and splitting the operand takes
 * 16; multiply-adds of f32 take 107/64 for a filter. Measured or counted on an H100.
 */
static bool is_faster_in_parts(const struct convolution *shape, const struct parts_tile *tile)
{
    int64_t columns = (int64_t)tile->columns * tile->blocks, split = (int64_t)tile->blocks * 1000;
    int64_t matrix = columns * 24 > split ? columns * 24 : split;

    return tile->stages * PARTS_STEPS * matrix <
           shape->in_channels * tile->taps * shape->out_channels * 107;
}

/* Why work-items cannot find the elements that they load. */
static const char *loads_obstacle(const struct op_call *call, const struct parts_tile *tile)
{
    enum { MOST_TAPS = 30, MOST_TABLE = 1024 }; /* bits of a mask of taps; entries of a table */
    const struct convolution shape = convolution_of(call);
    int64_t taps = 0;

    for (size_t axis = 0; axis < WINDOW_AXES; axis++)
        taps += family_axis_taps(&shape.window, axis);
    if (taps > MOST_TAPS || tile->taps > MOST_TABLE)
        return "its window has too many taps for the table of matrix units";
    if (shape_elements(&call->in[0]->shape) > INT32_MAX)
        return many_elements;
    return NULL;
}

static const char *parts_obstacle(const struct schedule *schedule, const struct op_call *call)
{
    const struct convolution shape = convolution_of(call);
    const struct parts_tile tile = family_parts_tile(schedule, call);
    const char *obstacle = loads_obstacle(call, &tile);

    if (!obstacle && !is_faster_in_parts(&shape, &tile))
        return few_filters;
    return obstacle;
}

bool family_has_window(const struct schedule *schedule, const struct convolution *shape)
{
    enum { MOST_FILTERS = 2 };

    return shape->window.kind == WINDOW_FORWARD && shape->out_channels <= MOST_FILTERS &&
           schedule->of[KNOB_GROUP] != 1;
}

/*
 * A GPU stores a float while its ordinary cores, half used, take about 24 multiply-adds. With a
 * stride of 2 each phase still fills half of what it stores.
 */
bool family_has_lines(const struct writer *writer, const struct convolution *shape)
{
    enum { LEAST_STRIDE = 3, MOST_STRIDE = 16, MOST_TAPS = 16, MOST_ADDS = 24 };
    const struct window_axis *last = &shape->window.axes[WINDOW_AXES - 1];
    int64_t adds = shape->in_channels, phases = 1;

    for (size_t axis = 0; axis < WINDOW_AXES; axis++) {
        const struct window_axis *w = &shape->window.axes[axis];

        adds *= w->kernel;
        phases *= w->stride;
    }
    return shape->window.kind == WINDOW_TRANSPOSED && writer->dialect->copies &&
           last->stride >= LEAST_STRIDE && last->stride <= MOST_STRIDE &&
           last->kernel <= MOST_TAPS && adds <= MOST_ADDS * phases;
}

/*
 * True if rounded operands fill matrix units well enough. For a step and all places of a tile,
 * copies take 16 cycles of a unit, and multiply-adds of f32 107/64 for a filter; with few
 * work-items they took up to six times as long on an H100.
 */
static bool fills_matrix(const struct convolution *shape)
{
    enum { COPY = 16 * 64, ADDS = 8 * 107 };

    return number_round_up(shape->in_channels, CHUNK) * COPY <=
           shape->in_channels * shape->out_channels * ADDS;
}

const char *family_convolution_obstacle(const struct writer *writer,
                                        const struct schedule *schedule,
                                        const struct graph_node *node, const struct op_call *call)
{
    const struct convolution shape = convolution_of(call);
    const struct shape *in = &call->in[0]->shape;

    if (family_has_window(schedule, &shape))
        return few_filters;
    if (family_has_lines(writer, &shape))
        return "its result takes longer to store than to compute";
    if (!writer->extents.is_fixed[node->in[0]][1] || !writer->extents.is_fixed[node->out][1])
        return "the number of its channels or filters is a dimension that may change";
    if (schedule->of[KNOB_MATRIX] == MATRIX_PARTS)
        return parts_obstacle(schedule, call);
    if (shape_elements(in) / in->dims[1] * shape.groups *
            number_round_up(shape.in_channels, CHUNK) >
        INT32_MAX)
        return many_elements;
    return fills_matrix(&shape) ? rounding_obstacle(writer, schedule, node) : few_filters;
}

bool family_has_parts(const struct writer *writer, const struct schedule *schedule,
                      const struct graph_node *node, const struct op_call *call)
{
    return schedule->of[KNOB_MATRIX] == MATRIX_PARTS && schedule->of[KNOB_WARPGROUP] &&
           writer->dialect->has_matrix &&
           !family_convolution_obstacle(writer, schedule, node, call);
}

/*
 * True if a convolution takes less time without a kernel that rounds the operand ahead. In a unit's
 * cycles: for a step and all places of a tile matrix units take 3/16 for a column, loading and
 * rounding takes LOAD, and copying rounded elements COPY; rounding an element ahead takes 3/7 of
 * the time of a place, and another kernel takes START in all units. A kernel that copies goes tap
 * by tap, and stores each phase of a line by other work-groups. Measured on an H100; a gain below
 * the MARGIN is left.
 */
static bool is_faster_by_loads(const struct op_call *call, const struct convolution *shape,
                               const struct parts_tile *tile)
{
    enum { LOAD = 20, COPY = 12, START = 132 * 2500 };
    static const double MARGIN = 1.05;
    double places = (double)shape_elements(&call->out->shape) / (double)call->out->shape.dims[1];
    double tiles = places / PARTS_ROWS * (double)shape->groups, blocks = tile->blocks;
    double matrix = (double)tile->columns * blocks * 3 / 16;
    double loads = tiles * (double)(tile->stages * PARTS_STEPS) * fmax(matrix, blocks * LOAD);
    double steps = (double)(number_round_up(shape->in_channels, CHUNK) * tile->taps);
    double ahead = START + (double)shape_elements(&call->in[0]->shape) * 3 / 7;

    return tile->phases > 1 || loads * MARGIN < ahead + tiles * steps * fmax(matrix, blocks * COPY);
}

bool family_rounds_loads(const struct writer *writer, const struct schedule *schedule,
                         const struct graph_node *node, const struct op_call *call)
{
    int operands = schedule->of[KNOB_MATRIX];
    const struct convolution shape = convolution_of(call);
    struct parts_tile tile;

    if ((operands != MATRIX_HALVES && operands != MATRIX_BFLOATS) || !schedule->of[KNOB_WARPGROUP])
        return false;
    if (!writer->dialect->has_matrix || family_convolution_obstacle(writer, schedule, node, call))
        return false;
    tile = family_parts_tile(schedule, call);
    return !loads_obstacle(call, &tile) && is_faster_by_loads(call, &shape, &tile);
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
    return formula_rowwise(call->op->name) || !strstr(call->op->name, "cum") ? FAMILY_PLAIN
                                                                             : FAMILY_SCAN;
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
        return family_is_f32(call) ? FAMILY_CONVOLUTION : FAMILY_PLAIN;
    case OP_WINDOW:
        return is_regular(call) && has_fixed_lines(writer, node->in[0]) ? FAMILY_POOLING
                                                                        : FAMILY_PLAIN;
    case OP_RECURRENCE:
    case OP_SCATTER:
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

        if (!family_is_f32(&call))
            continue;
        if (call.op->kind == OP_PRODUCT)
            has_matrix = family_has_matrix(&writer, schedule, &writer.graph.nodes.items[n], &call);
        else if (call.op->kind == OP_CONVOLUTION && schedule->of[KNOB_MATRIX] == MATRIX_PARTS)
            has_matrix = family_has_parts(&writer, schedule, &writer.graph.nodes.items[n], &call);
        else if (call.op->kind == OP_CONVOLUTION)
            has_matrix = !family_convolution_obstacle(&writer, schedule,
                                                      &writer.graph.nodes.items[n], &call);
    }
    writer_release(&writer);
    return has_matrix;
}
