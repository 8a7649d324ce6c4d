#include "core/judge/task/varied_data.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/splitmix.h"
#include "core/judge/oracle/edge/whole_numbers.h"
#include "core/judge/oracle/variation.h"
#include "core/judge/task/exactness.h"
#include "core/judge/task/infinities.h"

/*
 * Relative changes of the inputs. In class mixed: one rounding of bf16. In class f32 one rounding
 * of f32 is enough if the tolerance is derived, because it grows with the errors that the graph
 * amplifies. One tolerance for all elements does not grow, so it must have room for several
 * roundings.
 */
static const double mixed_noise = 0x1p-9, derived_noise = 0x1p-24, f32_noise = 0x1p-21;

static bool has_graph(const struct graph *graph)
{
    return graph->nodes.count > 0;
}

/* True if each element has its own derived tolerance, which needs a graph. */
static bool is_derived(const struct graph *graph, const struct tolerance *tolerance)
{
    return tolerance->is_derived && has_graph(graph);
}

static double noise_of(const struct graph *graph, const struct tolerance *tolerance)
{
    if (tolerance->allows_mixed)
        return mixed_noise;
    return is_derived(graph, tolerance) ? derived_noise : f32_noise;
}

/* The largest magnitude for which partial sums still fit the type. */
static double limit_of(enum dtype dtype, bool allows_mixed)
{
    if (!dtype_is_float(dtype))
        return dtype == DTYPE_I32 ? INT32_MAX : 0x1p53;
    if (dtype == DTYPE_F16 || allows_mixed)
        return 0x1p15;
    return dtype == DTYPE_F64 ? DBL_MAX : (double)FLT_MAX / 4;
}

/* The largest number of f16. */
static const double largest_half = 65504;

/* An evaluation of a graph on changed data. */
struct probe {
    const struct graph *graph;
    const struct tolerance *tolerance;
    struct block_pool *blocks;
    double *constants; /* of the graph, as masks and paddings use them; owned */
    size_t constant_count;
    bool *infinite; /* for each value, true if it may have elements that are not finite */
    double *limits; /* for each value, the largest magnitude that fits */
    double *sizes;  /* for each value, its largest magnitude on drawn data; NULL: not known */
    bool fits;      /* all values so far fit into their types */
    enum wholeness *whole; /* owned */
};

/*
 * Set the limits of values. Floats on the way to a quotient of integers are limited by their type
 * alone, for they are integers in a kernel. So are values that exceed f16 on drawn data already: no
 * kernel stores them there.
 */
static void set_limits(struct probe *probe)
{
    const struct graph *graph = probe->graph;

    for (size_t i = 0; i < graph->values.count; i++) {
        bool exceeds = probe->sizes && probe->sizes[i] > largest_half;
        bool is_mixed =
            probe->tolerance->allows_mixed && probe->whole[i] != WHOLE_EXACT && !exceeds;

        probe->limits[i] = limit_of(graph->values.items[i].dtype, is_mixed);
    }
}

/* Operands, tensors of one number, and the numbers that tensors are padded with. */
static void find_constants(struct probe *probe)
{
    const struct graph *graph = probe->graph;

    probe->constants =
        mem_alloc_zeroed(graph->values.count + graph->nodes.count + 1, sizeof(double));
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role == TENSOR_CONSTANT ||
            (tensor_is_given(value->role) && value->fill.kind == FILL_CONSTANT))
            probe->constants[probe->constant_count++] = value->fill.a;
    }
    for (size_t n = 0; n < graph->nodes.count; n++)
        if (strcmp(graph->nodes.items[n].op->name, "pad") == 0)
            probe->constants[probe->constant_count++] = graph_call(graph, n).attributes[1].number;
}

/* True if the element is within the limit or a constant of the graph; false for NaN. */
static bool is_within(const struct probe *probe, double element, double limit)
{
    bool is_within = fabs(element) <= limit;

    for (size_t i = 0; !is_within && i < probe->constant_count; i++)
        is_within = element == probe->constants[i] ||
                    (float)element == (float)probe->constants[i]; /* if it was drawn */
    return is_within;
}

/*
 * 32-bit integers may be the lowest one. 2^31 may be a quotient by 1 that the graph computes in
 * float32, and then corrects.
 */
static bool is_held(const struct probe *probe, size_t index, double element, double limit)
{
    const struct value *value = &probe->graph->values.items[index];
    bool is_end = value->dtype == DTYPE_I32 &&
                  (element == INT32_MIN || (value->role == TENSOR_INNER && element == 0x1p31));

    return is_end || is_within(probe, element, limit) ||
           (probe->infinite[index] && !isfinite(element));
}

static void check_size(struct probe *probe, size_t index, const double *elements)
{
    const struct value *value = &probe->graph->values.items[index];
    size_t count = value_elements(value);

    for (size_t i = 0; i < count && probe->fits; i++)
        probe->fits = is_held(probe, index, elements[i], probe->limits[index]);
}

/* The operand of an operation that is infinite where it is 0; NULL if there is none. */
static const size_t *pole_of(const struct graph_node *node)
{
    const char *op = node->op->name;

    if (strcmp(op, "div") == 0)
        return &node->in[1];
    return strcmp(op, "log") == 0 || strcmp(op, "rsqrt") == 0 ? &node->in[0] : NULL;
}

/*
 * Check that no element may be 0 at a pole only for an implementation: because it underflows in
 * float32, or because its rounding error reaches 0, as that of (x + 1) - x for large x.
 */
static void check_pole(struct probe *probe, const struct oracle_values *values, size_t node)
{
    const size_t *pole = pole_of(&probe->graph->nodes.items[node]);
    const struct value *value = pole ? &probe->graph->values.items[*pole] : NULL;
    const double *variance = pole ? values->variances[*pole] : NULL;
    size_t count = value ? value_elements(value) : 0;

    if (count == 0 || value->dtype == DTYPE_F64)
        return;
    for (size_t i = 0; i < count && probe->fits; i++) {
        double size = fabs(values->items[*pole][i]);
        double off = variance ? ROUNDING_DEVIATIONS * sqrt(variance[i]) : 0;

        probe->fits = !(size > 0 && size < fmax(off, (double)FLT_MIN));
    }
}

static void observe(void *data, const struct oracle_values *values, size_t node)
{
    struct probe *probe = data;
    size_t out = probe->graph->nodes.items[node].out;

    check_size(probe, out, values->items[out]);
    check_pole(probe, values, node);
}

/* Add noise, but not to short numbers (rounding.h), which have `of_short`. */
static void add_noise(double *elements, size_t count, double noise, double of_short)
{
    for (size_t i = 0; i < count; i++) {
        double own = rounding_is_short(elements[i]) ? of_short : noise;

        elements[i] *= 1 + own * ((double)(splitmix(i) >> 11) * 0x1p-52 - 1);
    }
}

/*
 * True if each element of the result comes from a few operands by one formula. Then an
 * implementation has no choice of algorithm that could amplify an error.
 */
static bool is_direct(const struct graph_node *node)
{
    return node->op->kind == OP_ELEMENTWISE || node->op->kind == OP_MOVEMENT ||
           exactness_is_selection(node) || strcmp(node->op->name, "rope") == 0;
}

/*
 * Mark all values on which an operation with a choice of algorithm depends, directly or through
 * others.
 */
static bool *find_chosen(const struct graph *graph)
{
    bool *chosen = mem_alloc_zeroed(graph->values.count + 1, sizeof(*chosen));

    for (size_t n = graph->nodes.count; n-- > 0;) {
        const struct graph_node *node = &graph->nodes.items[n];

        for (size_t i = 0; i < node->in_count; i++)
            chosen[node->in[i]] |= !is_direct(node) || chosen[node->out];
    }
    return chosen;
}

/*
 * True if input `index` gets noise. In class f32 inputs are not rounded, so only inputs of
 * operations with a choice of algorithm get noise, which stands for the rounding of these
 * algorithms.
 */
static bool has_noise(const struct probe *probe, const bool *chosen, size_t index)
{
    const struct value *value = &probe->graph->values.items[index];
    bool is_rounded = probe->tolerance->allows_mixed || !is_derived(probe->graph, probe->tolerance);
    bool is_data = value->role == TENSOR_INPUT || varied_data_are_in_tables(probe->graph);

    return is_data && dtype_is_float(value->dtype) && (is_rounded || chosen[index]);
}

/* Set the variances of given elements before noise changes them: short ones have none. */
static void spread_given(const struct probe *probe, size_t index, struct oracle_values *values)
{
    const struct value *value = &probe->graph->values.items[index];
    size_t count = value_elements(value);
    struct rounding rounding;

    if (!rounding_of(probe->tolerance, &rounding) || probe->whole[index] == WHOLE_EXACT ||
        !rounding_changes_given(&rounding, value->dtype))
        return;
    values->variances[index] = block_pool_take_zeroed(values->blocks, count, sizeof(double));
    rounding_add_given(&rounding, value->dtype, values->items[index], count,
                       values->variances[index]);
}

/* Make the params, and the inputs with noise. */
static struct oracle_values draw_changed(struct probe *probe, const struct oracle_seeds *seeds)
{
    const struct graph *graph = probe->graph;
    double noise = noise_of(graph, probe->tolerance);
    struct oracle_values values = oracle_values_make(graph);
    bool *chosen = find_chosen(graph);

    values.blocks = probe->blocks;
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        bool is_input = value->role == TENSOR_INPUT;

        if (!tensor_is_given(value->role))
            continue;
        oracle_draw(graph, i, is_input ? seeds->inputs : seeds->params, &values);
        check_size(probe, i, values.items[i]);
        spread_given(probe, i, &values);
        if (has_noise(probe, chosen, i))
            add_noise(values.items[i], value_elements(value), noise,
                      is_derived(graph, probe->tolerance) ? chosen[i] * derived_noise : noise);
    }
    free(chosen);
    return values;
}

/* True if an output for the changed data is within the tolerance of that for the original data. */
static bool is_close(const struct probe *probe, size_t index, const double *changed,
                     const struct wanted *want)
{
    const struct value *value = &probe->graph->values.items[index];
    size_t count = value_elements(value);
    void *got = block_pool_take(probe->blocks, count, dtype_bytes(value->dtype));
    struct trial trial = {0};

    dtype_from_double(value->dtype, changed, got, count);
    verify_output(&(struct output){value, got, *want}, probe->tolerance, &trial, NULL);
    block_pool_give(probe->blocks, got);
    return trial.mismatched == 0;
}

static bool are_close(const struct probe *probe, const struct oracle_values *changed,
                      const struct wanted *outputs)
{
    bool *exact = exactness_of(probe->graph), close = true;

    for (size_t i = 0; close && i < changed->count; i++)
        if (probe->graph->values.items[i].role == TENSOR_OUTPUT && !exact[i])
            close = is_close(probe, i, changed->items[i], &outputs[i]);
    free(exact);
    return close;
}

/*
 * Check the outputs of a problem without a graph. With a graph, the observer has checked each
 * value.
 */
static void check_outputs(struct probe *probe, const struct oracle_values *values)
{
    for (size_t i = 0; i < values->count && !has_graph(probe->graph); i++)
        if (probe->graph->values.items[i].role == TENSOR_OUTPUT)
            check_size(probe, i, values->items[i]);
}

static enum status check_data(struct probe *probe, const struct varied_data *data, bool *are_fair,
                              struct error *err)
{
    const struct oracle_observer observer = {observe, probe};
    struct oracle_values changed;
    struct rounding rounding;
    enum status st;

    probe->fits = true;
    set_limits(probe);
    changed = draw_changed(probe, &data->seeds);
    if (rounding_of(data->tolerance, &rounding))
        changed.rounding = &rounding;
    rounding.is_varied = true;
    st = oracle_observe(data->graph, data->evaluator, &observer, &changed, err);
    if (!st) {
        check_outputs(probe, &changed);
        *are_fair = probe->fits && are_close(probe, &changed, data->outputs);
    }
    oracle_values_release(&changed);
    return st;
}

static void measure(void *data, const struct oracle_values *values, size_t node)
{
    const struct probe *probe = data;
    size_t out = probe->graph->nodes.items[node].out;
    size_t count = value_elements(&probe->graph->values.items[out]);

    for (size_t i = 0; i < count; i++)
        probe->sizes[out] = fmax(probe->sizes[out], fabs(values->items[out][i]));
}

/* Measure the values on drawn data. */
static enum status measure_drawn(struct probe *probe, const struct varied_data *data,
                                 struct error *err)
{
    const struct oracle_observer observer = {measure, probe};
    const struct oracle_seeds *seeds = &data->seeds;
    struct oracle_values values = oracle_values_make(data->graph);
    enum status st;

    values.blocks = data->blocks;
    for (size_t i = 0; i < data->graph->values.count; i++) {
        enum tensor_role role = data->graph->values.items[i].role;

        if (tensor_is_given(role))
            oracle_draw(data->graph, i,
                        variation_drawn(role == TENSOR_INPUT ? seeds->inputs : seeds->params),
                        &values);
    }
    probe->sizes = mem_alloc_zeroed(data->graph->values.count + 1, sizeof(*probe->sizes));
    st = oracle_observe(data->graph, NULL, &observer, &values, err);
    oracle_values_release(&values);
    return st;
}

enum status varied_data_check(const struct varied_data *data, bool *are_fair, struct error *err)
{
    struct probe probe = {.graph = data->graph, .tolerance = data->tolerance};
    enum status st;

    find_constants(&probe);
    probe.blocks = data->blocks;
    probe.infinite = infinities_of(data->graph);
    probe.whole = wholeness_of(data->graph);
    probe.limits = mem_alloc_zeroed(data->graph->values.count + 1, sizeof(*probe.limits));
    st = check_data(&probe, data, are_fair, err);
    if (!st && !probe.fits && data->tolerance->allows_mixed && has_graph(data->graph)) {
        st = measure_drawn(&probe, data, err);
        st = st ? st : check_data(&probe, data, are_fair, err);
    }
    free(probe.constants);
    free(probe.infinite);
    free(probe.whole);
    free(probe.limits);
    free(probe.sizes);
    return st;
}
