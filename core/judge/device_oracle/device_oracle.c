#include "core/judge/device_oracle/device_oracle.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/judge/compare/tolerance16.h"
#include "core/judge/device_oracle/oracle_stash.h"
#include "core/judge/executor/executor_process.h"
#include "core/judge/executor/readback.h"
#include "core/system/clock.h"
#include "core/system/log.h"
#include "core/system/memory/disk_memory.h"
#include "core/system/parallel.h"

/*
 * The share of the device's memory that the oracle may occupy while a candidate runs. Making its
 * buffers and freeing them takes as long as computing.
 */
static const double room_share = 0.125;

/* The share that it may take while a candidate is built, whose scratch memory is not there yet. */
static const double ahead_share = 0.4;

/*
 * Bytes that a GPU's driver surely clears in a second. It clears what a process frees, after the
 * call, and up to then a kernel that needs the memory's bandwidth takes 16 % longer (H100, driver
 * 580, some 6e11).
 */
static const double cleared_per_s = 4e11;

enum { LOGGED_LAUNCH_US = 5000 };

/* The memory for compiling the kernels of a deep model: there are hundreds, and nobody's but ours.
 */
static const int64_t compiler_bytes = (int64_t)4 << 30;

struct device_oracle *device_oracle_new(const struct device_oracle_options *options)
{
    struct device_oracle *oracle = mem_alloc_zeroed(1, sizeof(*oracle));
    struct executor_options own = options->executor;

    own.cancel = (struct child_cancel){0}; /* a request to cancel would be read by two threads */
    if (own.run_limit_us < EXECUTOR_DEVICE_LIMIT_US)
        /* the given limit is for candidates, which take less time */
        own.run_limit_us = EXECUTOR_DEVICE_LIMIT_US;
    /* the kernels write everything that they read */
    own.leaves_memory = true;
    own.trusts_kernels = true;
    own.compiler_bytes = compiler_bytes;
    pthread_mutex_init(&oracle->lock, NULL);
    oracle->executor = executor_new(&own);
    oracle->build = options->build;
    oracle->inlined_elements = options->inlined_elements;
    oracle->most_kernels = options->most_kernels;
    oracle->compares_bytes = options->compares_bytes;
    return oracle;
}

void oracle_state_unload(struct device_oracle *oracle)
{
    oracle_program_release(&oracle->program);
    oracle->loaded = NULL;
    oracle->has_params = oracle->has_values = false;
    memset(oracle->stashes, 0, sizeof(oracle->stashes));
}

void device_oracle_free(struct device_oracle *oracle)
{
    if (!oracle)
        return;
    oracle_state_unload(oracle);
    executor_free(oracle->executor);
    pthread_mutex_destroy(&oracle->lock);
    free(oracle);
}

void device_oracle_wake(struct device_oracle *oracle)
{
    const struct device_info *device;
    struct error later; /* the next call meets it again */

    pthread_mutex_lock(&oracle->lock);
    (void)!executor_device(oracle->executor, &device, &later);
    pthread_mutex_unlock(&oracle->lock);
}

/* Give the program's tensors to the executor, as if they were those of a problem. */
static enum status set_tensors(struct device_oracle *oracle, const struct problem *problem,
                               struct error *err)
{
    const struct oracle_program *program = &oracle->program;
    struct problem named = {
        .name = problem->name, .tensors.count = program->tensors.count, .lent = problem->lent};
    struct graph placed = {.values.items = program->tensors.items,
                           .values.count = program->tensors.count};

    return executor_set_tensors(oracle->executor, &named, &placed, err);
}

static void rest(struct device_oracle *oracle)
{
    if (oracle->loaded)
        executor_empty(oracle->executor);
    oracle_state_unload(oracle);
}

void device_oracle_rest(struct device_oracle *oracle)
{
    pthread_mutex_lock(&oracle->lock);
    rest(oracle);
    oracle->timed = oracle->slow = NULL;
    pthread_mutex_unlock(&oracle->lock);
}

static double bytes_of(const struct dispatch *dispatch)
{
    double bytes = 0;

    for (size_t i = 0; i < dispatch->buffers.count; i++)
        bytes += (double)readback_contents(&dispatch->buffers.items[i]);
    return bytes;
}

/* The share of the device's memory that so many bytes are; 0 if the device does not answer. */
static double share_of_memory(const struct device_oracle *oracle, double bytes)
{
    const struct device_info *device;

    return executor_device(oracle->executor, &device, NULL) ? 0
                                                            : bytes / (double)device->memory_bytes;
}

/*
 * Free the buffers if they take much of the device's memory, unless a share of the memory is free.
 * Returns the bytes that were freed.
 */
static double make_room(struct device_oracle *oracle, double share)
{
    double bytes = bytes_of(&oracle->program.dispatch);

    if (share_of_memory(oracle, bytes) <= room_share ||
        share_of_memory(oracle, oracle->free_bytes) >= share)
        return 0;
    rest(oracle);
    return bytes;
}

void oracle_state_make_room(struct device_oracle *oracle)
{
    double bytes = make_room(oracle, ORACLE_FREE_SHARE);
    const struct device_info *device;

    if (bytes > 0 && !executor_device(oracle->executor, &device, NULL) && !device->is_cpu)
        usleep((useconds_t)(1e6 * bytes / cleared_per_s));
}

static bool compares(const struct device_oracle *oracle)
{
    return oracle->program.compared.count > 0;
}

static unsigned oracle_slot(const struct device_oracle *oracle)
{
    return compares(oracle) ? SLOT_PLAIN : SLOT_CANDIDATE;
}

static enum status build(struct device_oracle *oracle, const struct executor_load *load,
                         struct error *err)
{
    struct executor_build made = {0};
    enum status st = executor_load(oracle->executor, load, &made, err);

    if (!st && !made.is_accepted)
        st = error_set(err, STATUS_UNAVAILABLE, "the device's compiler refuses the oracle: %s",
                       made.report.diagnostics.count ? made.report.diagnostics.items[0].text : "");
    executor_build_release(&made);
    return st;
}

/*
 * Build a program of the comparison. The executor's device is looked up again, because the executor
 * may have been restarted.
 */
static enum status build_comparison(struct device_oracle *oracle, enum oracle_comparison_kind kind,
                                    struct error *err)
{
    static const unsigned slots[] = {[COMPARISON_NUMBERS] = SLOT_CANDIDATE,
                                     [COMPARISON_MAP] = SLOT_MAP,
                                     [COMPARISON_DIGEST] = SLOT_DIGEST};
    const struct oracle_program *program = &oracle->program;
    struct oracle_comparison_request request = {&program->dispatch,
                                                program->tensors.items,
                                                program->compared.items,
                                                program->compared.count,
                                                NULL,
                                                kind};
    struct oracle_comparison comparison = {.dispatch = {.options = NULL}};
    const struct device_info *device;
    enum status st = executor_device(oracle->executor, &device, err);

    if (st)
        return st;
    request.language = device->language;
    oracle_comparison_write(&request, &comparison);
    st = build(oracle,
               &(struct executor_load){slots[kind], strbuf_cstr(&comparison.source),
                                       &comparison.dispatch, NULL},
               err);
    oracle_comparison_release(&comparison);
    return st;
}

static enum status build_all(struct device_oracle *oracle, struct error *err)
{
    const struct executor_load load = {oracle_slot(oracle), strbuf_cstr(&oracle->program.source),
                                       &oracle->program.dispatch, NULL};
    enum status st = build(oracle, &load, err);

    for (int kind = 0; !st && compares(oracle) && kind <= COMPARISON_DIGEST; kind++)
        st = build_comparison(oracle, (enum oracle_comparison_kind)kind, err);
    return st;
}

/* True if the outputs stay on the device, and the comparison supports their types. */
static bool should_compare(const struct device_oracle *oracle, const struct graph *graph)
{
    return oracle->compares_bytes > 0
               ? expected_outputs_deferrable_bytes(graph) >= oracle->compares_bytes
               : expected_outputs_are_deferred(graph);
}

enum status oracle_state_load(struct device_oracle *oracle, const struct problem *problem,
                              const struct graph *graph, struct error *err)
{
    struct oracle_program_request request = {problem, graph, .build = oracle->build,
                                             .inlined_elements = oracle->inlined_elements,
                                             .most_kernels = oracle->most_kernels};
    const struct device_info *device;
    struct rounding rounding;
    enum status st;

    if (oracle->loaded == graph)
        return STATUS_OK;
    oracle_state_unload(oracle);
    if (oracle->slow == graph)
        return error_set(err, STATUS_TIMEOUT, "%s: the oracle's program takes too long to build",
                         problem->name);
    if (rounding_of(&problem->tolerance, &rounding))
        request.rounding = &rounding;
    request.compares = request.rounding && should_compare(oracle, graph);
    st = executor_device(oracle->executor, &device, err);
    request.language = st ? NULL : device->language;
    if (!st)
        st = oracle_program_write(&request, &oracle->program, err);
    if (!st)
        st = set_tensors(oracle, problem, err);
    if (!st)
        st = build_all(oracle, err);
    if (st == STATUS_TIMEOUT)
        oracle->slow = graph;
    if (!st)
        oracle->loaded = graph;
    oracle->last_bytes = bytes_of(&oracle->program.dispatch);
    return st;
}

/* Log the longest launches, if they take long; `data_us` is the time besides the launches. */
static void log_launches(const double *each_us, size_t count, double data_us)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < count; i++)
        if (each_us[i] > LOGGED_LAUNCH_US)
            strbuf_addf(&text, ", %zu of %zu: %.1f", i, count, each_us[i] / 1000);
    if (text.len)
        log_line("expected values, ms of launches%s; data %.1f", strbuf_cstr(&text) + 1,
                 data_us / 1000);
    strbuf_release(&text);
}

/* True if the expected values on the device are those of these seeds. */
static bool has_values_of(const struct device_oracle *oracle, const struct expectation *seeds)
{
    return oracle->has_values && oracle->value_param_seed == seeds->param_seed &&
           oracle->value_input_seed == seeds->input_seed;
}

/* While the params stay the same, scratch is not poisoned again. */
enum status oracle_state_compute(struct device_oracle *oracle, const struct expectation *seeds,
                                 struct error *err)
{
    bool is_new = !oracle->has_params || oracle->param_seed != seeds->param_seed;
    const struct executor_run run = {.slot = oracle_slot(oracle),
                                     .input_seed = seeds->input_seed,
                                     .with_prepare = is_new,
                                     .times_each = true,
                                     .param_seed = seeds->param_seed};
    size_t launches = oracle->program.dispatch.launches.count;
    struct executor_times times = {0};
    int64_t began_us = clock_now_us();
    enum status st = STATUS_OK;

    if (has_values_of(oracle, seeds) || oracle_stash_take(oracle, seeds))
        return STATUS_OK;
    times.each_us = mem_alloc_zeroed(launches + 1, sizeof(*times.each_us));
    st = executor_run(oracle->executor, &run, &times, err);
    oracle->compute_us = (double)(clock_now_us() - began_us);
    log_launches(times.each_us, launches, oracle->compute_us - times.span_us);
    free(times.each_us);
    oracle->free_bytes = times.free_bytes;
    oracle->has_params = oracle->has_values = !st;
    oracle->param_seed = oracle->value_param_seed = seeds->param_seed;
    oracle->value_input_seed = seeds->input_seed;
    return st;
}

/* Copy the elements of tensor `index` into memory for disk_memory_give(). */
static void *take(const struct device_oracle *oracle, size_t index)
{
    size_t bytes;
    const unsigned char *at = executor_allocation(oracle->executor, 0, index, &bytes);
    void *copy = disk_memory_take_awake(bytes, 1);

    parallel_copy(copy, at + BUFFER_GUARD_BYTES, bytes);
    return copy;
}

/* Encode the tolerances in tensor `index` (tolerance16.h) into memory for disk_memory_give(). */
static uint16_t *take_allowed(const struct device_oracle *oracle, size_t index)
{
    size_t bytes;
    const unsigned char *at = executor_allocation(oracle->executor, 0, index, &bytes);
    const float *tolerances = (const float *)(const void *)(at + BUFFER_GUARD_BYTES);
    uint16_t *codes = disk_memory_take_awake(bytes / sizeof(float), sizeof(*codes));

    tolerance16_encode(tolerances, bytes / sizeof(float), codes);
    return codes;
}

static struct wanted *take_outputs(const struct device_oracle *oracle, const struct graph *graph)
{
    struct wanted *outputs = mem_alloc_zeroed(graph->values.count + 1, sizeof(*outputs));

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role != TENSOR_OUTPUT)
            continue;
        outputs[i].dtype = expected_outputs_dtype(value);
        outputs[i].elements = take(oracle, i);
        outputs[i].magnitude = verify_measure(value, &outputs[i]);
        if (oracle->program.allowed[i])
            outputs[i].allowed = take_allowed(oracle, oracle->program.allowed[i]);
    }
    return outputs;
}

/* Compute values that will stay on the device once, to find out whether this works. */
static enum status try_comparing(struct device_oracle *oracle, struct expectation *made,
                                 struct error *err)
{
    int64_t began_us = clock_now_us();
    enum status st = oracle_state_compute(oracle, made, err);

    oracle->compare_us = 2 * (double)(clock_now_us() - began_us);
    oracle->timed = st ? NULL : oracle->loaded;
    made->compare_us = oracle->compare_us;
    return st;
}

static enum status read_outputs(struct device_oracle *oracle, const struct graph *graph,
                                struct expectation *made, struct error *err)
{
    int64_t began_us = clock_now_us(), computed_us, read_us;
    enum status st = oracle_state_compute(oracle, made, err);

    computed_us = clock_now_us();
    if (!st)
        st = executor_collect(oracle->executor, 0, err);
    read_us = clock_now_us();
    if (!st)
        made->outputs = take_outputs(oracle, graph);
    log_line("expected outputs, ms: compute %.1f, read %.1f, copy %.1f",
             (double)(computed_us - began_us) / 1000, (double)(read_us - computed_us) / 1000,
             (double)(clock_now_us() - read_us) / 1000);
    executor_wipe(oracle->executor);
    return st;
}

enum status device_oracle_expect(void *device_oracle, const struct problem *problem,
                                 const struct graph *graph, struct expectation *made,
                                 struct error *err)
{
    struct device_oracle *oracle = device_oracle;
    enum status st;

    pthread_mutex_lock(&oracle->lock);
    if (oracle->timed == graph) {
        made->compare_us = oracle->compare_us;
        pthread_mutex_unlock(&oracle->lock);
        return STATUS_OK;
    }
    st = oracle_state_load(oracle, problem, graph, err);
    if (!st && compares(oracle))
        st = try_comparing(oracle, made, err);
    else if (!st)
        st = read_outputs(oracle, graph, made, err);
    if (st)
        oracle_state_unload(oracle);
    else
        oracle_state_make_room(oracle);
    pthread_mutex_unlock(&oracle->lock);
    return st;
}

/* Load the graph's program again, if its tensors leave most of the memory to a candidate. */
static bool load_ahead(struct device_oracle *oracle, const struct problem *problem,
                       const struct graph *graph)
{
    struct error later;

    if (oracle->loaded == graph)
        return true;
    return share_of_memory(oracle, oracle->last_bytes) < ahead_share &&
           !oracle_state_load(oracle, problem, graph, &later);
}

void device_oracle_look_ahead(void *device_oracle, const struct problem *problem,
                              const struct graph *graph, struct expectation_list *next)
{
    struct device_oracle *oracle = device_oracle;

    pthread_mutex_lock(&oracle->lock);
    if (!load_ahead(oracle, problem, graph) || oracle_stash_fill(oracle, next))
        oracle_state_unload(oracle);
    pthread_mutex_unlock(&oracle->lock);
}

enum status device_oracle_load(void *device_oracle, const struct problem *problem,
                               const struct graph *graph, struct error *err)
{
    struct device_oracle *oracle = device_oracle;
    enum status st = STATUS_OK;

    pthread_mutex_lock(&oracle->lock);
    if (oracle->timed != graph)
        st = oracle_state_load(oracle, problem, graph, err);
    if (st)
        oracle_state_unload(oracle);
    pthread_mutex_unlock(&oracle->lock);
    return st;
}

void device_oracle_allow(struct device_oracle *oracle, double bytes)
{
    pthread_mutex_lock(&oracle->lock);
    oracle->ahead_bytes = bytes;
    pthread_mutex_unlock(&oracle->lock);
}

void device_oracle_let_go(void *device_oracle)
{
    struct device_oracle *oracle = device_oracle;

    if (!atomic_exchange(&oracle->has_imports, false))
        return;
    pthread_mutex_lock(&oracle->lock);
    executor_close_imports(oracle->executor);
    (void)make_room(oracle, 1); /* the next candidate's buffers are about to be made */
    pthread_mutex_unlock(&oracle->lock);
}
