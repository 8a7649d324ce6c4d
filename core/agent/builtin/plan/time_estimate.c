#include "core/agent/builtin/plan/time_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "core/agent/builtin/plan/family.h"
#include "core/base/mem.h"
#include "core/model/graph.h"
#include "core/model/op/op_attention.h"
#include "core/model/op/op_convolution.h"
#include "core/model/op/op_product.h"

/*
 * A typical core: two multiply-adds and two loads per cycle, four cycles of latency for a
 * multiply-add.
 */
static const double issue_per_cycle = 2, latency_cycles = 4, loop_cycles = 1;

/*
 * The size in bytes of a core's second-level cache, and the bytes per cycle from it and from the
 * memory behind it, for loads that do not overlap with arithmetic.
 */
static const double cache_bytes = 1 << 20, near_bytes_per_cycle = 128, far_bytes_per_cycle = 24;

/* Vector registers: 32 with vectors of 512 bits, else 16. */
static double registers(const struct product_shape *shape)
{
    return shape->vector_width >= 16 ? 32 : 16;
}

/*
 * Consecutive work-groups that share rows read all panels; those that share columns stay on one
 * panel.
 */
static double panel_cycles(const struct schedule *s, const struct product_shape *shape)
{
    double columns = s->of[KNOB_ORDER] ? s->of[KNOB_TILE_N] : shape->n;
    bool is_near = columns * shape->k * sizeof(float) < cache_bytes;

    return s->of[KNOB_TILE_N] * (double)sizeof(float) /
           (is_near ? near_bytes_per_cycle : far_bytes_per_cycle);
}

/*
 * Floats of a work-item's tile on a GPU; a larger tile reduces the number of resident work-items.
 */
static const double gpu_tile = 64;

/* Multiply-adds and bytes of local memory that a multiprocessor handles per cycle. */
static const double gpu_madds = 128, gpu_bytes = 128;

static double groups_of(const struct product_shape *shape, double rows, double columns)
{
    return shape->count * ceil(shape->m / rows) * ceil(shape->n / columns);
}

/* Work-groups run in waves, one work-group per multiprocessor. */
static double waves(const struct product_shape *shape, double rows, double columns)
{
    return ceil(groups_of(shape, rows, columns) / fmax(shape->units, 1));
}

/* Warps that a multiprocessor needs to hide the latency of loads and sums. */
static const double gpu_warps = 5;

/*
 * The estimated time on a GPU, in cycles like matrix_time(). All work-items of a work-group read
 * the operands of a step from local memory. Too few warps and a last wave that is not full increase
 * the time.
 */
static double gpu_time(const struct schedule *s, const struct product_shape *shape)
{
    double m = s->of[KNOB_TILE_M], n = s->of[KNOB_TILE_N], cycles, warps, groups;
    int across, down;

    schedule_group_shape(s, &across, &down);
    cycles = across * down * (m * n / gpu_madds + (m + n) * sizeof(float) / gpu_bytes);
    cycles += loop_cycles / s->of[KNOB_UNROLL] +
              across * down / gpu_madds * 4 * fmax(m * n - gpu_tile, 0);
    groups = fmax(groups_of(shape, down * m, across * n) / fmax(shape->units, 1), 1);
    warps = across * down * s->of[KNOB_SLICES] / 32.0 * fmin(groups, 4);
    return cycles * shape->k * fmax(gpu_warps / warps, 1) * waves(shape, down * m, across * n);
}

/*
 * A multiprocessor of Hopper: multiply-adds of halves per cycle, and bytes per cycle from the L2
 * cache if all of them read at once, or if few do.
 */
static const double matrix_madds = 2048, matrix_bytes = 32, most_matrix_bytes = 64;

/*
 * Cycles until a work-group's first operands arrive, which a work-group that stays pays once, and
 * per sum to store it.
 */
static const double matrix_start = 4000, matrix_store = 0.2;

/*
 * Parts of an f32 operand, and their products for each product of f32; bytes that splitting an
 * element moves; and bytes of global memory per cycle and multiprocessor.
 */
static const double operand_parts = 3, part_products = 6, split_bytes = 10, global_bytes = 14;

/* The same for operands on their way to shared memory; and cycles to start another kernel. */
static const double operand_bytes = 12, kernel_start = 16000;

/* The number of tiles along the rows; a cluster has whole pairs of them. */
static double matrix_rows(const struct product_shape *shape, double rows, double cluster)
{
    return ceil(ceil(shape->m / rows) / cluster) * cluster * rows;
}

/* Work-groups that keep a GPU busy, and stages of a section for which another kernel pays. */
static const double enough_groups = 132;
static const int least_stages = 16, least_stages_of_parts = 8;

int time_estimate_sections(const struct schedule *s, const struct product_shape *shape)
{
    int stages = (int)ceil(shape->k / STAGE_STEPS), sections, most;
    double cluster = s->of[KNOB_CLUSTER], rows = schedule_tile_rows(s);
    double tiles = shape->count * ceil(ceil(shape->m / rows) / cluster) * cluster *
                   ceil(shape->n / s->of[KNOB_SPAN]);

    if (!s->of[KNOB_WARPGROUP] || s->of[KNOB_TURNS] > 1 || tiles * 2 > enough_groups)
        return 1;
    most = stages / (s->of[KNOB_MATRIX] == MATRIX_PARTS ? least_stages_of_parts : least_stages);
    sections = (int)fmin(enough_groups / tiles, most);
    if (sections < 2)
        return 1;
    return (stages + (stages + sections - 1) / sections - 1) / ((stages + sections - 1) / sections);
}

/* Cycles of a stage: its multiply-adds, or its operands from the L2 cache. */
static double stage_time(const struct schedule *s, double rows, double columns, double groups)
{
    bool has_parts = s->of[KNOB_MATRIX] == MATRIX_PARTS;
    double sharing = s->of[KNOB_WARPGROUP] ? s->of[KNOB_CLUSTER] : 1;
    double madds = rows * columns * STAGE_STEPS / matrix_madds * (has_parts ? part_products : 1);
    double bytes = (rows + columns / sharing) * STAGE_STEPS * 2 * (has_parts ? operand_parts : 1);

    return fmax(madds, bytes / fmin(most_matrix_bytes, matrix_bytes / fmin(groups, 1)));
}

/* Cycles in which one multiprocessor would read both operands from global memory once. */
static double read_time(const struct schedule *s, const struct product_shape *shape)
{
    double parts = s->of[KNOB_MATRIX] == MATRIX_PARTS ? operand_parts : 1;

    return shape->count * (shape->m + shape->n) * shape->k * 2 * parts / operand_bytes;
}

/*
 * Matrix units multiply a stage of 64 steps while the operands of the next come from the L2 cache;
 * the slower of the two counts.
 */
static double matrix_time(const struct schedule *s, const struct product_shape *shape)
{
    double rows = schedule_tile_rows(s), columns = s->of[KNOB_SPAN], units = fmax(shape->units, 1);
    double turns = s->of[KNOB_WARPGROUP] ? s->of[KNOB_TURNS] : 1;
    int sections = time_estimate_sections(s, shape);
    struct product_shape whole = *shape;
    double tile, count, time = 0, stages = ceil(ceil(shape->k / STAGE_STEPS) / sections);

    if (sections > 1)
        time = kernel_start + matrix_start +
               rows * columns * sections * sizeof(float) / most_matrix_bytes;
    if (s->of[KNOB_MATRIX] == MATRIX_PARTS)
        time += shape->converted * split_bytes / (units * global_bytes);
    whole.m = matrix_rows(shape, rows, s->of[KNOB_WARPGROUP] ? s->of[KNOB_CLUSTER] : 1);
    whole.count *= sections;
    tile = stage_time(s, rows, columns, groups_of(&whole, rows, columns * turns) / units) * stages +
           rows * columns * matrix_store;
    count = waves(&whole, rows, columns * turns);
    tile = turns * tile * count + matrix_start * (s->of[KNOB_PERSIST] ? 1 : count);
    return fmax(tile, read_time(s, shape) / units) + time;
}

static double cpu_time(const struct schedule *s, const struct product_shape *shape)
{
    double m = s->of[KNOB_TILE_M], vectors = (double)s->of[KNOB_TILE_N] / s->of[KNOB_VEC];
    double kept = m * shape->kept / s->of[KNOB_VEC];
    double used = m * vectors + kept + vectors + 1, spilled = fmax(used - registers(shape), 0);
    double cycles = fmax(latency_cycles, fmax(m * vectors, m + vectors) / issue_per_cycle);
    double rows = ceil(shape->m / m) * m, columns = ceil(shape->n / s->of[KNOB_TILE_N]);

    cycles += panel_cycles(s, shape) + loop_cycles / s->of[KNOB_UNROLL] + 2 * spilled;
    return cycles * columns * rows / m;
}

double time_estimate(const struct schedule *schedule, const struct product_shape *shape)
{
    if (shape->is_cpu)
        return cpu_time(schedule, shape);
    return schedule->of[KNOB_MATRIX] ? matrix_time(schedule, shape) : gpu_time(schedule, shape);
}

/* Elements of operands that every run converts for matrix units; params are converted ahead. */
static double converted_elements(const struct op_call *call)
{
    double elements = 0;

    for (size_t i = 0; i < 2; i++)
        if (call->in[i]->role != TENSOR_PARAM)
            elements += (double)shape_elements(&call->in[i]->shape);
    return elements;
}

/* Places of a phase of the last axis; a transposed convolution computes its phases one by one. */
static double phase_places(const struct window *window)
{
    const struct window_axis *last = &window->axes[WINDOW_AXES - 1];

    return window->kind == WINDOW_TRANSPOSED ? ceil((double)last->out / (double)last->stride)
                                             : (double)last->out;
}

/* The taps that a result place meets. */
static double window_places(const struct window *window)
{
    double taps = 1;

    for (size_t axis = 0; axis < WINDOW_AXES; axis++)
        taps *= (double)family_axis_taps(window, axis);
    return taps;
}

/*
 * The sizes of a product, or of the product that the inner loops of the operation are: m rows, n
 * columns, k steps of the sum. False for other operations.
 */
static bool shape_of(const struct op_call *call, struct product_shape *shape)
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
        shape->converted = converted_elements(call);
        return true;
    case OP_CONVOLUTION:
        convolution = convolution_of(call);
        shape->m = (double)convolution.out_channels;
        shape->n = phase_places(&convolution.window);
        shape->k = (double)convolution.in_channels * window_places(&convolution.window);
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
    case OP_RECURRENCE:
    case OP_SCATTER:
    case OP_WINDOW:
    case OP_MOVEMENT:
        break;
    }
    return false;
}

/*
 * Take the operation's shape if it is the first one, or if all so far are products and it is one
 * with more operations, which takes the most time.
 */
static void take_shape(const struct op_call *call, struct product_shape *shape,
                       enum op_class *found, bool *is_found)
{
    struct product_shape other = *shape;

    other.count = 1;
    if (*is_found && (*found != OP_PRODUCT || call->op->kind != OP_PRODUCT))
        return;
    if (!shape_of(call, &other))
        return;
    if (*is_found &&
        other.m * other.n * other.k * other.count <= shape->m * shape->n * shape->k * shape->count)
        return;
    *shape = other;
    *found = call->op->kind;
    *is_found = true;
}

enum status time_estimate_shape(const struct problem *problem, const struct device_info *device,
                                struct product_shape *shape, bool *is_found, struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    enum op_class found = OP_PRODUCT;
    enum status st = graph_build(&graph, problem, &scope, err);

    *shape = (struct product_shape){.vector_width = (int)device->vector_width_f32,
                                    .is_cpu = device->is_cpu,
                                    .count = 1,
                                    .units = device->compute_units};
    *is_found = false;
    for (size_t n = 0; !st && n < graph.nodes.count; n++) {
        struct op_call call = graph_call(&graph, n);

        take_shape(&call, shape, &found, is_found);
    }
    graph_release(&graph);
    free(bindings);
    return st;
}
