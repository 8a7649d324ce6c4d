#include "core/judge/torch/bridge.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/task/capacity.h"
#include "core/judge/torch/bridge_process.h"
#include "core/judge/torch/bridge_tensors.h"
#include "core/model/problem_reader.h"

/* The limit for compiling a baseline, as a multiple of the limit for a request. */
enum { COMPILER_FACTOR = 4 };

/*
 * Computing in float32 uses a part of the tolerance, so the tolerance of candidates is widened by
 * this factor.
 */
static const double coarse_allowance = 4;

struct bridge {
    struct oracle_evaluator evaluator;
    pthread_mutex_t lock; /* protects all that follows */
    struct bridge_process process;
    struct bridge_sets sets; /* the data that is lent to the attached problem */
    bool is_open;            /* the last model was opened without an error */
    bool is_coarse;          /* expected values have come in float32 */
    char pytorch[64];        /* version; "" before a model was opened */
};

static enum status evaluate(void *data, const struct graph *graph, struct oracle_values *values,
                            struct error *err)
{
    return bridge_evaluate(data, graph, values, err);
}

struct bridge *bridge_new(const struct bridge_options *options)
{
    struct bridge *bridge = mem_alloc_zeroed(1, sizeof(*bridge));

    bridge->evaluator = (struct oracle_evaluator){.evaluate = evaluate, .data = bridge};
    bridge->process = (struct bridge_process){
        .argv = options->argv,
        .limit_us = options->limit_us,
        .cancel = options->cancel,
        .maker = pthread_self(),
        .kept = options->kept,
        .may_pause = options->may_pause,
    };
    pthread_mutex_init(&bridge->process.pausing, NULL);
    pthread_mutex_init(&bridge->lock, NULL);
    return bridge;
}

const struct oracle_evaluator *bridge_evaluator(const struct bridge *bridge)
{
    return &bridge->evaluator;
}

void bridge_free(struct bridge *bridge)
{
    if (!bridge)
        return;
    bridge_process_end(&bridge->process);
    memfd_release(&bridge->sets.memory);
    json_free(bridge->process.opened);
    json_free(bridge->process.placed);
    json_free(bridge->process.ahead.answer);
    pthread_mutex_destroy(&bridge->process.pausing);
    pthread_mutex_destroy(&bridge->lock);
    free(bridge);
}

void bridge_pause(struct bridge *bridge, bool is_paused)
{
    bridge_process_pause(&bridge->process, is_paused);
}

void bridge_interrupt(struct bridge *bridge)
{
    bridge_process_kill(&bridge->process);
}

const char *const *bridge_command(const struct bridge *bridge)
{
    return bridge->process.argv;
}

const char *bridge_pytorch(const struct bridge *bridge)
{
    return bridge->pytorch;
}

bool bridge_is_needed(const struct problem *problem)
{
    bool is_needed = problem->torch.source && problem->nodes.count == 0;

    for (size_t i = 0; i < problem->tensors.count; i++)
        is_needed |= tensor_is_from_model(&problem->tensors.items[i]);
    return is_needed;
}

/* Wait until the move of a model to a device ends, and forget the result. */
static void forget_place(struct bridge *bridge)
{
    struct json *answer = NULL;
    struct error ignored;
    enum status st;

    (void)bridge_process_take_ahead(&bridge->process, &answer, &st, &ignored);
    json_free(answer);
    json_free(bridge->process.placed);
    bridge->process.placed = NULL;
}

static enum status open_model(struct bridge *bridge, const struct model_source *source,
                              struct json **problem, struct error *err)
{
    struct json *request = bridge_process_request(&bridge->process, "open"), *answer = NULL;
    enum status st;

    json_put_string(request, "source", source->text);
    json_put_string(request, "file", source->file);
    json_put_string(request, "tolerance", source->tolerance);
    forget_place(bridge);
    json_free(bridge->process.opened);
    bridge->process.opened = NULL;
    bridge->is_coarse = bridge->process.has_taken = false;
    st = bridge_process_ensure(&bridge->process, err);
    bridge->process.opened = request;
    if (!st)
        st = bridge_process_exchange(&bridge->process, request, &answer, err);
    if (!st && problem)
        *problem = json_dup(json_get(answer, "problem"));
    bridge->is_open = !st;
    if (!st)
        snprintf(bridge->pytorch, sizeof(bridge->pytorch), "%s",
                 json_get_string(answer, "torch", ""));
    json_free(answer);
    return st;
}

enum status bridge_open(struct bridge *bridge, const struct model_source *source,
                        struct json **problem, struct error *err)
{
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    st = open_model(bridge, source, problem, err);
    pthread_mutex_unlock(&bridge->lock);
    return st;
}

/* The request that puts the model on a device. */
static struct json *place_request(const struct bridge *bridge, const struct device_info *device,
                                  bool allows_mixed)
{
    struct json *request = bridge_process_request(&bridge->process, "baselines");

    bridge_process_name_device(request, device);
    json_put_bool(request, "mixed", allows_mixed);
    return request;
}

void bridge_place_ahead(struct bridge *bridge, const struct device_info *device, bool allows_mixed)
{
    struct error ignored;

    pthread_mutex_lock(&bridge->lock);
    forget_place(bridge);
    if (!bridge_process_ensure(&bridge->process, &ignored)) {
        bridge->process.placed = place_request(bridge, device, allows_mixed);
        bridge_process_send_ahead(&bridge->process, bridge->process.placed);
    }
    pthread_mutex_unlock(&bridge->lock);
}

void bridge_settle(struct bridge *bridge)
{
    pthread_mutex_lock(&bridge->lock);
    bridge_process_settle(&bridge->process);
    pthread_mutex_unlock(&bridge->lock);
}

static enum status place_now(struct bridge *bridge, const struct device_info *device,
                             bool allows_mixed, struct json **answer, struct error *err)
{
    enum status st;

    json_free(bridge->process.placed);
    bridge->process.placed = NULL;
    st = bridge_process_ensure(&bridge->process, err);
    bridge->process.has_taken = false;
    bridge->process.placed = place_request(bridge, device, allows_mixed);
    if (!st)
        st = bridge_process_exchange(&bridge->process, bridge->process.placed, answer, err);
    return st;
}

enum status bridge_place(struct bridge *bridge, const struct device_info *device, bool allows_mixed,
                         struct json **names, struct error *err)
{
    struct json *answer = NULL;
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    if (!bridge_process_take_ahead(&bridge->process, &answer, &st, err))
        st = place_now(bridge, device, allows_mixed, &answer, err);
    pthread_mutex_unlock(&bridge->lock);
    if (!st)
        *names = json_dup(json_get(answer, "names"));
    json_free(answer);
    return st;
}

/* A request that may compile. */
static struct json *compiling_request(const struct bridge *bridge, const char *what,
                                      const char *name)
{
    struct json *request = bridge_process_request(&bridge->process, what);

    json_put_string(request, "name", name);
    json_put_number(request, "seconds", COMPILER_FACTOR * (double)bridge->process.limit_us * 1e-6);
    return request;
}

enum status bridge_take(struct bridge *bridge, const struct bridge_run *run, struct error *err)
{
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    st = bridge_tensors_run(&bridge->process, run, bridge_process_request(&bridge->process, "take"),
                            NULL, err);
    pthread_mutex_unlock(&bridge->lock);
    return st;
}

enum status bridge_compile(struct bridge *bridge, const char *name, struct error *err)
{
    struct json *answer = NULL;
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    st = bridge_process_ask(&bridge->process, compiling_request(bridge, "compile", name), &answer,
                            err);
    pthread_mutex_unlock(&bridge->lock);
    json_free(answer);
    return st;
}

enum status bridge_prepare(struct bridge *bridge, const char *name, const struct bridge_run *run,
                           void **outputs, struct error *err)
{
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    st = bridge_tensors_run(&bridge->process, run, compiling_request(bridge, "prepare", name),
                            outputs, err);
    pthread_mutex_unlock(&bridge->lock);
    return st;
}

static void read_times(const struct json *answer, size_t runs, struct run_time *times)
{
    const struct json *time = json_first(json_get(answer, "times_us"));
    const struct json *work = json_first(json_get(answer, "work_us"));

    for (size_t i = 0; i < runs; i++, time = json_next(time), work = json_next(work))
        times[i] = (struct run_time){json_number(time, 0), {.longest_us = json_number(work, 0)}};
}

enum status bridge_time(struct bridge *bridge, const char *name, size_t runs,
                        struct run_time *times, struct error *err)
{
    struct json *request, *answer = NULL;
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    request = bridge_process_request(&bridge->process, "time");
    json_put_string(request, "name", name);
    json_put_number(request, "runs", (double)runs);
    st = bridge_process_ask(&bridge->process, request, &answer, err);
    pthread_mutex_unlock(&bridge->lock);
    if (!st)
        read_times(answer, runs, times);
    json_free(answer);
    return st;
}

enum status bridge_rest(struct bridge *bridge, struct error *err)
{
    struct json *answer = NULL;
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    st = bridge_process_ask(&bridge->process, bridge_process_request(&bridge->process, "rest"),
                            &answer, err);
    pthread_mutex_unlock(&bridge->lock);
    json_free(answer);
    return st;
}

enum status bridge_evaluate(struct bridge *bridge, const struct graph *graph,
                            struct oracle_values *values, struct error *err)
{
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    st = bridge_tensors_evaluate(&bridge->process, graph, values, &bridge->is_coarse, err);
    pthread_mutex_unlock(&bridge->lock);
    return st;
}

bool bridge_is_coarse(struct bridge *bridge)
{
    bool is_coarse;

    pthread_mutex_lock(&bridge->lock);
    is_coarse = bridge->is_coarse;
    pthread_mutex_unlock(&bridge->lock);
    return is_coarse;
}

static enum status lend(struct bridge *bridge, const struct device_info *device,
                        struct problem *problem, struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    enum status st = graph_build(&graph, problem, &scope, err);

    if (!st) {
        pthread_mutex_lock(&bridge->lock);
        st = bridge_tensors_lend(&bridge->process, &(struct bridge_loan){problem, &graph, device},
                                 &bridge->sets, err);
        pthread_mutex_unlock(&bridge->lock);
    }
    graph_release(&graph);
    free(bindings);
    return st;
}

/*
 * If there is no graph, the model computes the expected values. Try it once, to find out whether it
 * can and in which precision.
 */
static enum status try_model(struct bridge *bridge, struct problem *problem, struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    const struct oracle_seeds seeds = {fill_secret_seed(), fill_secret_seed()};
    struct oracle_values values = {0};
    struct graph graph = {0};
    enum status st = graph_build(&graph, problem, &scope, err);

    if (!st)
        st = oracle_expect(&graph, &bridge->evaluator, &seeds, &values, err);
    if (!st && bridge_is_coarse(bridge)) {
        problem->tolerance.atol *= coarse_allowance;
        problem->tolerance.rtol *= coarse_allowance;
    }
    oracle_values_release(&values);
    graph_release(&graph);
    free(bindings);
    return st;
}

/* True if this model was opened last: describing it took the time of tracing it. */
static bool has_open(struct bridge *bridge, const struct model_source *source)
{
    const struct json *opened;
    bool has;

    pthread_mutex_lock(&bridge->lock);
    opened = bridge->process.opened;
    has = bridge->is_open && strcmp(json_get_string(opened, "source", ""), source->text) == 0 &&
          strcmp(json_get_string(opened, "file", ""), source->file) == 0 &&
          strcmp(json_get_string(opened, "tolerance", ""), source->tolerance) == 0;
    pthread_mutex_unlock(&bridge->lock);
    return has;
}

enum status bridge_attach(struct bridge *bridge, const struct device_info *device,
                          struct problem *problem, struct error *err)
{
    const struct model_source source = {problem->torch.source, problem->torch.file,
                                        problem->tolerance.allows_mixed ? "mixed" : "f32"};
    enum status st = STATUS_OK;

    if (!source.text)
        return STATUS_OK;
    if (!has_open(bridge, &source))
        st = bridge_open(bridge, &source, NULL, err);
    if (!st)
        st = capacity_check(problem, &bridge->evaluator, device, err);
    if (!st)
        st = lend(bridge, device, problem, err);
    if (!st && problem->nodes.count == 0)
        st = try_model(bridge, problem, err);
    return st;
}

void bridge_wake(struct bridge *bridge)
{
    struct error later; /* the next request meets it again */

    pthread_mutex_lock(&bridge->lock);
    (void)!bridge_process_ensure(&bridge->process, &later);
    pthread_mutex_unlock(&bridge->lock);
}

enum status bridge_describe(struct bridge *bridge, const struct model_source *source,
                            struct json **problem, struct error *err)
{
    struct problem checked = {0};
    struct strbuf text = {0};
    struct json *made = NULL;
    enum status st = bridge_open(bridge, source, &made, err);

    if (!st) {
        json_print(made, &text);
        st = problem_parse(&checked, strbuf_cstr(&text), text.len, source->file, err);
    }
    problem_release(&checked);
    strbuf_release(&text);
    if (st)
        json_free(made);
    else
        *problem = made;
    return st;
}
