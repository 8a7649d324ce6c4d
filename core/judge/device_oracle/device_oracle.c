#include "core/judge/device_oracle/device_oracle.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/compare/tolerance16.h"
#include "core/judge/device_oracle/oracle_program.h"
#include "core/judge/executor/executor_process.h"
#include "core/judge/executor/readback.h"
#include "core/system/parallel.h"

/* The share of the device's memory that the oracle may keep while a candidate runs. */
static const double room_share = 0.125;

struct device_oracle {
    pthread_mutex_t lock;
    struct executor *executor;
    const char *build;
    const struct graph *loaded; /* the graph whose program is loaded; NULL: none */
    bool has_params;            /* made from param_seed */
    uint64_t param_seed;
    struct oracle_program program;
};

struct device_oracle *device_oracle_new(const struct device_oracle_options *options)
{
    struct device_oracle *oracle = mem_alloc_zeroed(1, sizeof(*oracle));
    struct executor_options own = options->executor;

    own.cancel = (struct child_cancel){0}; /* its request would be read by two threads */
    if (own.run_limit_us < EXECUTOR_DEVICE_LIMIT_US)
        own.run_limit_us = EXECUTOR_DEVICE_LIMIT_US; /* meant for candidates, which take less */
    pthread_mutex_init(&oracle->lock, NULL);
    oracle->executor = executor_new(&own);
    oracle->build = options->build;
    return oracle;
}

static void unload(struct device_oracle *oracle)
{
    oracle_program_release(&oracle->program);
    oracle->loaded = NULL;
    oracle->has_params = false;
}

void device_oracle_free(struct device_oracle *oracle)
{
    if (!oracle)
        return;
    unload(oracle);
    executor_free(oracle->executor);
    pthread_mutex_destroy(&oracle->lock);
    free(oracle);
}

/* The executor is given the program's tensors as those of a problem. */
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
    const struct problem none = {0};
    const struct graph empty = {.values.count = 0};

    if (oracle->loaded)
        (void)!executor_set_tensors(oracle->executor, &none, &empty, NULL);
    unload(oracle);
}

void device_oracle_rest(struct device_oracle *oracle)
{
    pthread_mutex_lock(&oracle->lock);
    rest(oracle);
    pthread_mutex_unlock(&oracle->lock);
}

/* Leave the device's memory to the candidate, if the buffers take much of it. */
static void make_room(struct device_oracle *oracle)
{
    const struct dispatch *d = &oracle->program.dispatch;
    const struct device_info *device;
    double bytes = 0;

    for (size_t i = 0; i < d->buffers.count; i++)
        bytes += (double)readback_contents(&d->buffers.items[i]);
    if (!executor_device(oracle->executor, &device, NULL) &&
        bytes > room_share * (double)device->memory_bytes)
        rest(oracle);
}

static enum status build(struct device_oracle *oracle, struct error *err)
{
    const struct executor_load load = {SLOT_CANDIDATE, strbuf_cstr(&oracle->program.source),
                                       &oracle->program.dispatch};
    struct executor_build made = {0};
    enum status st = executor_load(oracle->executor, &load, &made, err);

    if (!st && !made.is_accepted)
        st = error_set(err, STATUS_UNAVAILABLE, "the device's compiler refuses the oracle: %s",
                       made.report.diagnostics.count ? made.report.diagnostics.items[0].text : "");
    executor_build_release(&made);
    return st;
}

static enum status load(struct device_oracle *oracle, const struct problem *problem,
                        const struct graph *graph, struct error *err)
{
    const struct device_info *device;
    struct rounding rounding;
    bool is_derived = rounding_of(&problem->tolerance, &rounding);
    enum status st;

    if (oracle->loaded == graph)
        return STATUS_OK;
    unload(oracle);
    st = executor_device(oracle->executor, &device, err);
    if (!st)
        st = oracle_program_write(&(struct oracle_program_request){problem, graph,
                                                                   is_derived ? &rounding : NULL,
                                                                   device->language, oracle->build},
                                  &oracle->program, err);
    if (!st)
        st = set_tensors(oracle, problem, err);
    if (!st)
        st = build(oracle, err);
    if (!st)
        oracle->loaded = graph;
    return st;
}

/* Scratch is not poisoned again while the params stay. */
static enum status run(struct device_oracle *oracle, const struct expectation *made,
                       struct error *err)
{
    bool is_new = !oracle->has_params || oracle->param_seed != made->param_seed;
    const struct executor_run run = {.slot = SLOT_CANDIDATE,
                                     .input_seed = made->input_seed,
                                     .with_prepare = is_new,
                                     .param_seed = made->param_seed};
    struct executor_times times = {0};
    enum status st = executor_run(oracle->executor, &run, &times, err);

    oracle->has_params = !st;
    oracle->param_seed = made->param_seed;
    return st ? st : executor_collect(oracle->executor, 0, err);
}

struct copy {
    const unsigned char *from;
    unsigned char *to;
};

static void copy_bytes(void *data, size_t first, size_t last)
{
    const struct copy *copy = data;

    memcpy(copy->to + first, copy->from + first, last - first);
}

/* A copy of the elements of tensor `index`, which the caller frees. */
static void *take(const struct device_oracle *oracle, size_t index)
{
    size_t bytes;
    const unsigned char *at = executor_allocation(oracle->executor, 0, index, &bytes);
    struct copy copy = {at + BUFFER_GUARD_BYTES, mem_alloc_zeroed(bytes, 1)};

    parallel_for(bytes, 1 << 20, copy_bytes, &copy);
    return copy.to;
}

/* The codes of the tolerances in tensor `index`, which the caller frees. */
static uint16_t *take_allowed(const struct device_oracle *oracle, size_t index)
{
    size_t bytes;
    const unsigned char *at = executor_allocation(oracle->executor, 0, index, &bytes);
    const float *tolerances = (const float *)(const void *)(at + BUFFER_GUARD_BYTES);
    uint16_t *codes = mem_resize(NULL, bytes / sizeof(float), sizeof(*codes));

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

enum status device_oracle_expect(void *device_oracle, const struct problem *problem,
                                 const struct graph *graph, struct expectation *made,
                                 struct error *err)
{
    struct device_oracle *oracle = device_oracle;
    enum status st;

    pthread_mutex_lock(&oracle->lock);
    st = load(oracle, problem, graph, err);
    if (!st)
        st = run(oracle, made, err);
    if (!st)
        made->outputs = take_outputs(oracle, graph);
    else
        unload(oracle);
    executor_wipe(oracle->executor);
    if (!st)
        make_room(oracle);
    pthread_mutex_unlock(&oracle->lock);
    return st;
}
