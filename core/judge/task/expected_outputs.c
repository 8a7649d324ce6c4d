#include "core/judge/task/expected_outputs.h"

#include <stdlib.h>

#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/judge/compare/tolerance16.h"
#include "core/judge/oracle/oracle_memory.h"
#include "core/judge/oracle/oracle_pieces.h"
#include "core/judge/oracle/variation/variation_kind.h"
#include "core/judge/task/smaller_problem.h"
#include "core/judge/task/varied_data.h"
#include "core/system/log.h"
#include "core/system/machine.h"
#include "core/system/memory/disk_memory.h"

/*
 * The device computes graphs with more operations or larger values than this, or whose operations
 * read and write more elements: a core takes some 30 ns for each, with its variance.
 */
static const double device_least_flops = 4e9, device_least_bytes = 0x1p28, device_least_moved = 5e7;

/*
 * Smaller outputs are deferred from this size on, unless an evaluation takes more operations for
 * each byte. An H100 makes some 1e13 of them in a second; a host takes 2 ns for each byte of a
 * candidate's output that it receives and compares.
 */
static const double deferred_least_bytes = 0x1p24, deferred_most_flops_per_byte = 8000;

enum dtype expected_outputs_dtype(const struct value *output)
{
    bool is_wide =
        output->dtype == DTYPE_F64 || output->dtype == DTYPE_I64 || output->dtype == DTYPE_I32;

    return is_wide ? DTYPE_F64 : DTYPE_F32;
}

/* The outputs to keep, by value of the graph, with memory for their elements. */
struct keeping {
    const struct graph *graph;
    struct wanted *outputs;
};

/*
 * Allocate memory for the outputs. `is_derived`: each element's tolerance follows from its
 * variance.
 */
static struct wanted *make_room(const struct expected_outputs_source *source,
                                const struct graph *graph, bool is_derived)
{
    struct wanted *outputs = mem_alloc_zeroed(graph->values.count + 1, sizeof(*outputs));
    void *(*take)(size_t count, size_t size) =
        source->are_kept ? disk_memory_take : disk_memory_take_awake;

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        size_t count = (size_t)shape_elements(&value->shape);

        if (value->role != TENSOR_OUTPUT)
            continue;
        outputs[i].dtype = expected_outputs_dtype(value);
        outputs[i].elements = take(count, dtype_bytes(outputs[i].dtype));
        if (is_derived)
            outputs[i].allowed = take(count, sizeof(*outputs[i].allowed));
    }
    return outputs;
}

/* A range of an output's elements; `doubles` and `variances` begin with the first of them. */
struct kept {
    enum dtype dtype; /* of the output */
    const struct wanted *want;
    const double *values, *variances;
    size_t first, count;
};

/* Memory for the elements of one piece in their kept type, and for their tolerances. */
struct kept_room {
    void *elements;
    float *allowed;
    uint16_t *codes;
};

static struct kept_room kept_room_new(size_t count)
{
    return (struct kept_room){mem_resize(NULL, count + 1, sizeof(double)),
                              mem_resize(NULL, count + 1, sizeof(float)),
                              mem_resize(NULL, count + 1, sizeof(uint16_t))};
}

static void kept_room_release(struct kept_room *room)
{
    free(room->elements);
    free(room->allowed);
    free(room->codes);
}

static void keep_some(const struct kept *kept, struct kept_room *room)
{
    const struct wanted *want = kept->want;
    size_t bytes = dtype_bytes(want->dtype);

    dtype_from_double(want->dtype, kept->values, room->elements, kept->count);
    disk_memory_write((void *)(uintptr_t)want->elements, kept->first * bytes, room->elements,
                      kept->count * bytes);
    if (!want->allowed)
        return;
    rounding_allow(kept->dtype, kept->values, kept->variances, kept->count, room->allowed);
    tolerance16_encode(room->allowed, kept->count, room->codes);
    disk_memory_write((void *)(uintptr_t)want->allowed, kept->first * sizeof(*room->codes),
                      room->codes, kept->count * sizeof(*room->codes));
}

/*
 * Keep `count` elements of output `i` from `first` on; they are the first ones in `values`. They
 * are converted in pieces that fit into the caches.
 */
static void keep_elements(const struct keeping *keeping, const struct oracle_values *values,
                          size_t i, size_t first, size_t count)
{
    size_t most = count < ORACLE_PIECE_ELEMENTS ? count : ORACLE_PIECE_ELEMENTS;
    struct kept_room room;

    if (!keeping->outputs[i].elements)
        return;
    room = kept_room_new(most);
    for (size_t at = 0; at < count; at += most) {
        const double *variances = values->variances[i];
        const struct kept kept = {.dtype = keeping->graph->values.items[i].dtype,
                                  .want = &keeping->outputs[i],
                                  .values = values->items[i] + at,
                                  .variances = variances ? variances + at : NULL,
                                  .first = first + at,
                                  .count = count - at < most ? count - at : most};

        keep_some(&kept, &room);
    }
    kept_room_release(&room);
}

static void keep_piece(void *data, const struct oracle_values *values, size_t first, size_t count)
{
    for (size_t i = 0; i < values->count; i++)
        keep_elements(data, values, i, first, count);
}

static void measure_outputs(const struct keeping *keeping)
{
    for (size_t i = 0; i < keeping->graph->values.count; i++)
        if (keeping->outputs[i].elements)
            keeping->outputs[i].magnitude =
                verify_measure(&keeping->graph->values.items[i], &keeping->outputs[i]);
}

static enum status check_fair(const struct expected_outputs_source *source,
                              const struct graph *graph, struct expectation *made,
                              struct error *err)
{
    const struct problem *problem = source->problem;
    const struct varied_data data = {
        graph,         source->evaluator, &problem->tolerance, {made->param_seed, made->input_seed},
        made->outputs, source->blocks};
    bool are_fair = false;
    enum status st = varied_data_check(&data, &are_fair, err);

    made->is_unfair = !are_fair;
    if (!st && !are_fair)
        log_line(
            "%s: no trial on %s, which amplify rounding or exceed a type's range", problem->name,
            made->is_larger ? "larger tensors" : variation_name(variation_of(made->input_seed)));
    return st;
}

/* Compute the outputs one piece after another. `values` holds what the oracle reads. */
static enum status keep_pieces(const struct keeping *keeping, const struct oracle_seeds *seeds,
                               const struct oracle_values *values, struct error *err)
{
    const struct oracle_piece_taker taker = {keep_piece, (void *)(uintptr_t)keeping};

    return oracle_pieces_expect(keeping->graph, seeds, values, &taker, err);
}

static enum status keep_whole(const struct expected_outputs_source *source,
                              const struct keeping *keeping, const struct oracle_seeds *seeds,
                              struct oracle_values *values, struct error *err)
{
    enum status st = oracle_expect(keeping->graph, source->evaluator, seeds, values, err);

    for (size_t i = 0; !st && i < values->count; i++)
        keep_elements(keeping, values, i, 0,
                      (size_t)shape_elements(&keeping->graph->values.items[i].shape));
    oracle_values_release(values);
    return st;
}

/*
 * Compute the outputs for the seeds of `made` on the CPU. Varied data need whole tensors, not
 * pieces.
 */
static enum status expect_for_seeds(const struct expected_outputs_source *source,
                                    const struct graph *graph, struct expectation *made,
                                    struct error *err)
{
    const struct oracle_seeds seeds = {made->param_seed, made->input_seed};
    bool is_varied = variation_of(made->input_seed) != VARIATION_NONE;
    struct oracle_values values = {.blocks = source->blocks};
    struct rounding rounding;
    struct keeping keeping;
    enum status st;

    if (rounding_of(&source->problem->tolerance, &rounding))
        values.rounding = &rounding;
    rounding.is_varied = is_varied;
    keeping = (struct keeping){graph,
                               make_room(source, graph, values.rounding && graph->nodes.count > 0)};
    if (!is_varied && oracle_pieces_elements(graph, &seeds, values.rounding))
        st = keep_pieces(&keeping, &seeds, &values, err);
    else
        st = keep_whole(source, &keeping, &seeds, &values, err);
    if (st) {
        expected_outputs_release(graph, keeping.outputs);
        return st;
    }
    measure_outputs(&keeping);
    made->outputs = keeping.outputs;
    return is_varied || made->is_larger ? check_fair(source, graph, made, err) : STATUS_OK;
}

/* The seed with another variation. */
static uint64_t with_variation(uint64_t seed, enum variation variation)
{
    return variation_seed(variation, seed ^ variation_seed(variation_of(seed), 0));
}

/* Compute the outputs on the CPU. Milder data replace varied data that are unfair. */
static enum status expect_on_host(const struct expected_outputs_source *source,
                                  const struct graph *graph, struct expectation *made,
                                  struct error *err)
{
    enum status st = expect_for_seeds(source, graph, made, err);
    enum variation milder;

    while (!st && made->is_unfair &&
           (milder = variation_milder(variation_of(made->input_seed))) != VARIATION_NONE) {
        expected_outputs_release(graph, made->outputs);
        made->outputs = NULL;
        made->param_seed = with_variation(made->param_seed, milder);
        made->input_seed = with_variation(made->input_seed, milder);
        st = expect_for_seeds(source, graph, made, err);
    }
    return st;
}

/* The elements that all operations read and write. */
static double elements_moved(const struct graph *graph)
{
    double count = 0;

    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];

        count += (double)shape_elements(&graph->values.items[node->out].shape);
        for (size_t i = 0; i < node->in_count; i++)
            count += (double)shape_elements(&graph->values.items[node->in[i]].shape);
    }
    return count;
}

bool expected_outputs_are_large(const struct graph *graph)
{
    return graph->nodes.count > 0 &&
           (oracle_flops(graph) > device_least_flops || oracle_bytes(graph) > device_least_bytes ||
            elements_moved(graph) > device_least_moved);
}

bool expected_outputs_take_much(const struct graph *graph, const struct device_info *device)
{
    static const double much_memory = 0.125;

    return oracle_bytes(graph) > much_memory * (double)device->memory_bytes;
}

bool expected_outputs_suit(const struct expected_outputs_device *device, const struct graph *graph)
{
    if (!device->data || graph->nodes.count == 0)
        return false;
    return device->takes_small || expected_outputs_are_large(graph);
}

double expected_outputs_deferrable_bytes(const struct graph *graph)
{
    double bytes = 0;

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role != TENSOR_OUTPUT)
            continue;
        if (!dtype_is_float(value->dtype) || value->dtype == DTYPE_F64)
            return 0;
        bytes += (double)shape_elements(&value->shape) * (double)dtype_bytes(value->dtype);
    }
    return bytes;
}

bool expected_outputs_are_deferred(const struct graph *graph)
{
    double bytes = expected_outputs_deferrable_bytes(graph);

    if (bytes >= EXPECTED_OUTPUTS_VERY_LARGE_BYTES)
        return true;
    return bytes >= deferred_least_bytes &&
           oracle_flops(graph) <= deferred_most_flops_per_byte * bytes;
}

/* Tolerances derived from variances double the memory. */
double expected_outputs_host_bytes(const struct problem *problem, const struct graph *graph)
{
    const struct oracle_seeds drawn = {0};
    struct rounding rounding;
    bool is_derived = rounding_of(&problem->tolerance, &rounding);
    double bytes = oracle_bytes(graph) * (is_derived ? 2 : 1);
    size_t elements = oracle_pieces_elements(graph, &drawn, is_derived ? &rounding : NULL);

    return elements ? bytes * ORACLE_PIECE_ELEMENTS / (double)elements : bytes;
}

enum status expected_outputs_check_memory(double bytes, struct error *err)
{
    double memory = machine_memory_bytes();
    char needed[FORMAT_SIZE], present[FORMAT_SIZE];

    if (bytes <= memory)
        return STATUS_OK;
    return error_set(err, STATUS_UNAVAILABLE,
                     "the expected values take %s of memory, this machine has %s: make the "
                     "problem's dimensions smaller",
                     format_bytes(needed, bytes), format_bytes(present, memory));
}

/*
 * Check on the CPU whether a variation is fair, at a smaller size: that hardly depends on the
 * sizes. Milder data replace unfair ones. Unfair if the problem has no size that is small enough.
 */
static enum status check_smaller(const struct expected_outputs_source *source,
                                 struct expectation *made, struct error *err)
{
    struct expected_outputs_source on_host = {.blocks = source->blocks};
    struct expectation small = {.param_seed = made->param_seed, .input_seed = made->input_seed};
    struct problem smaller = {0};
    struct binding *bindings;
    struct scope scope;
    struct graph graph = {0};
    enum status st;

    made->is_unfair = true;
    if (!smaller_problem_make(source->problem, &smaller))
        return STATUS_OK;
    on_host.problem = &smaller;
    bindings = mem_alloc_zeroed(smaller.dims.count + 1, sizeof(*bindings));
    scope = problem_scope(&smaller, 0, bindings);
    st = graph_build(&graph, &smaller, &scope, err);
    small.is_unfair = st || expected_outputs_are_large(&graph);
    if (!small.is_unfair)
        st = expect_on_host(&on_host, &graph, &small, err);
    expected_outputs_release(&graph, small.outputs);
    graph_release(&graph);
    free(bindings);
    problem_release(&smaller);
    made->is_unfair = st || small.is_unfair;
    made->param_seed = small.param_seed;
    made->input_seed = small.input_seed;
    return st;
}

/*
 * Let the device compute the outputs of varied data. The CPU would take too long, so no trial uses
 * these data if the device fails.
 */
static void vary_on_device(const struct expected_outputs_source *source, const struct graph *graph,
                           struct expectation *made, struct error *err)
{
    const struct expected_outputs_device *device = &source->device;
    enum status st;

    if (source->begins_on_host)
        source->begins_on_host(source->data);
    st = check_smaller(source, made, err);
    if (!st && !made->is_unfair && source->begins_on_device)
        source->begins_on_device(source->data);
    if (!st && !made->is_unfair)
        st = device->expect(device->data, source->problem, graph, made, err);
    if (!st && !made->is_unfair && !made->outputs)
        made->deferred = *device;
    if (!st)
        return;
    made->is_unfair = true;
    log_line("%s: no trial on %s: %s", source->problem->name,
             variation_name(variation_of(made->input_seed)), err->text);
}

bool expected_outputs_are_checked(const struct expected_outputs_device *device,
                                  const struct graph *graph, const struct expectation *made)
{
    return variation_of(made->input_seed) && !device->takes_small &&
           expected_outputs_suit(device, graph);
}

enum status expected_outputs_make(const struct expected_outputs_source *source,
                                  const struct graph *graph, struct expectation *made,
                                  struct error *err)
{
    const struct expected_outputs_device *device = &source->device;
    enum status st;

    if (expected_outputs_are_checked(device, graph, made)) {
        vary_on_device(source, graph, made, err);
        return STATUS_OK;
    }
    if (!variation_of(made->input_seed) && expected_outputs_suit(device, graph)) {
        if (!device->expect(device->data, source->problem, graph, made, err)) {
            if (!made->outputs)
                made->deferred = *device;
            return STATUS_OK;
        }
        log_line("%s: expected values on the CPU: %s", source->problem->name, err->text);
    }
    if (source->begins_on_host)
        source->begins_on_host(source->data);
    st = expected_outputs_check_memory(expected_outputs_host_bytes(source->problem, graph), err);
    return st ? st : expect_on_host(source, graph, made, err);
}

/* Compute the outputs of a deferred expectation on the CPU. */
static enum status undefer(const struct expected_comparison *c, struct expectation *made,
                           struct error *err)
{
    const struct expected_outputs_source source = {.problem = c->problem};
    enum status st;

    *made = (struct expectation){.param_seed = c->expected->param_seed,
                                 .input_seed = c->expected->input_seed};
    st = expected_outputs_check_memory(expected_outputs_host_bytes(c->problem, c->graph), err);
    return st ? st : expect_on_host(&source, c->graph, made, err);
}

enum status expected_outputs_compare(const struct expected_comparison *c, struct trial *trial,
                                     struct error_map *map, struct error *err)
{
    const struct expected_outputs_device *device = &c->expected->deferred;
    struct output output = {.value = &c->graph->values.items[c->output], .got = c->got};
    struct expectation made = {.outputs = c->expected->outputs};
    enum status st = STATUS_OK;

    if (device->data && !device->compare(device->data, c, trial, map, err))
        return STATUS_OK;
    if (c->handle)
        return device->data ? STATUS_UNAVAILABLE
                            : error_set(err, STATUS_UNAVAILABLE, "the CPU expects these values");
    if (device->data) {
        log_line("%s: compared on the CPU: %s", c->problem->name, err->text);
        st = undefer(c, &made, err);
    }
    if (st)
        return st;
    output.want = made.outputs[c->output];
    verify_output(&output, &c->problem->tolerance, trial, map);
    if (device->data)
        expected_outputs_release(c->graph, made.outputs);
    return STATUS_OK;
}

enum status expected_outputs_digest(const struct expected_comparison *c, uint64_t *digest,
                                    struct error *err)
{
    const struct expected_outputs_device *device = &c->expected->deferred;

    if (!device->data)
        return error_set(err, STATUS_UNAVAILABLE, "the CPU expects these values");
    return device->digest(device->data, c, digest, err);
}

void expected_outputs_rest(const struct graph *graph, const struct wanted *outputs)
{
    for (size_t i = 0; outputs && i < graph->values.count; i++) {
        disk_memory_rest(outputs[i].elements);
        disk_memory_rest(outputs[i].allowed);
    }
}

void expected_outputs_release(const struct graph *graph, struct wanted *outputs)
{
    for (size_t i = 0; outputs && i < graph->values.count; i++) {
        disk_memory_give(outputs[i].elements);
        disk_memory_give(outputs[i].allowed);
    }
    free(outputs);
}
