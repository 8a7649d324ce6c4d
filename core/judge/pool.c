#include "core/judge/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/judge/lint.h"

struct entry {
    struct expectation expectation;
    bool is_done;
    bool is_taken;  /* of a secret */
    double cost_us; /* of computing it */
    enum status status;
    struct error error;
};

struct case_entries {
    struct pool_case shape;
    struct entry *entries;
    unsigned count;
};

struct pool {
    const struct problem *problem;
    struct {
        struct case_entries *items;
        size_t count, capacity;
    } cases;
    struct hazard_list findings;
    pthread_t thread;
    struct entry secrets[POOL_SECRETS];
    pthread_mutex_t lock; /* over is_done, is_linted and stop */
    pthread_cond_t made, wanted;
    int made_fd; /* an event for each entry */
    bool is_started;
    bool is_linted;
    bool stop;
};

uint64_t pool_fresh_seed(void)
{
    uint64_t seed = 0;

    while (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        ;
    return seed >> 15;
}

static struct expectation draw_seed(void)
{
    uint64_t seed = pool_fresh_seed();

    return (struct expectation){.param_seed = seed, .input_seed = seed};
}

static char *describe(const struct scope *scope)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < scope->count; i++)
        strbuf_addf(&text, "%s%s=%lld", i ? " " : "", scope->items[i].name,
                    (long long)scope->items[i].value);
    return strbuf_take(&text);
}

/* Add the case of `scope`, whose bindings it takes. */
static enum status add_case(struct pool *pool, struct scope scope, struct binding *bindings,
                            unsigned count, struct error *err)
{
    struct case_entries added = {.count = count};
    enum status st = graph_build(&added.shape.graph, pool->problem, &scope, err);

    if (st) {
        free(bindings);
        return st;
    }
    added.shape.bindings = bindings;
    added.shape.scope = scope;
    added.shape.text = describe(&scope);
    added.entries = mem_alloc_zeroed(count, sizeof(*added.entries));
    for (unsigned i = 0; i < count; i++)
        added.entries[i].expectation = draw_seed();
    vec_push(&pool->cases, added);
    return STATUS_OK;
}

static struct binding *bindings_new(const struct problem *problem)
{
    return mem_alloc_zeroed(problem->dims.count + 1, sizeof(struct binding));
}

static enum status add_known(struct pool *pool, size_t also, unsigned count, struct error *err)
{
    struct binding *bindings = bindings_new(pool->problem);
    struct scope scope = problem_scope(pool->problem, also, bindings);

    return add_case(pool, scope, bindings, count, err);
}

/* Draw the dynamic dimensions anew, between 1 and their main value. */
static enum status add_unseen(struct pool *pool, struct error *err)
{
    const struct problem *problem = pool->problem;
    struct binding *bindings = bindings_new(problem);
    struct scope scope = problem_scope(problem, 0, bindings);

    for (size_t i = 0; i < problem->dims.count; i++)
        if (problem->dims.items[i].is_dynamic)
            bindings[i].value =
                1 + (int64_t)(pool_fresh_seed() % (uint64_t)problem->dims.items[i].value);
    return add_case(pool, scope, bindings, 1, err);
}

static bool has_dynamic(const struct problem *problem)
{
    for (size_t i = 0; i < problem->dims.count; i++)
        if (problem->dims.items[i].is_dynamic)
            return true;
    return false;
}

static enum status add_cases(struct pool *pool, unsigned trials, unsigned unseen, struct error *err)
{
    enum status st = add_known(pool, 0, trials, err);

    for (size_t i = 0; !st && i < pool->problem->also.count; i++)
        st = add_known(pool, i + 1, 1, err);
    for (unsigned i = 0; !st && i < unseen && has_dynamic(pool->problem); i++)
        st = add_unseen(pool, err);
    return st;
}

static bool should_stop(struct pool *pool)
{
    bool stop;

    pthread_mutex_lock(&pool->lock);
    stop = pool->stop;
    pthread_mutex_unlock(&pool->lock);
    return stop;
}

static enum dtype expectation_dtype(const struct value *output)
{
    bool is_wide =
        output->dtype == DTYPE_F64 || output->dtype == DTYPE_I64 || output->dtype == DTYPE_I32;

    return is_wide ? DTYPE_F64 : DTYPE_F32;
}

static struct wanted keep_output(const struct value *value, const double *computed)
{
    struct wanted want = {.dtype = expectation_dtype(value)};
    size_t count = (size_t)shape_elements(&value->shape);
    void *elements = mem_alloc_zeroed(count, dtype_bytes(want.dtype));

    dtype_from_double(want.dtype, computed, elements, count);
    want.elements = elements;
    want.magnitude = verify_measure(value, &want);
    return want;
}

/* What goes in can be made again; what comes out is what is kept. */
static struct wanted *keep_outputs(const struct graph *graph, const struct oracle_values *values)
{
    struct wanted *outputs = mem_alloc_zeroed(values->count + 1, sizeof(*outputs));

    for (size_t i = 0; i < values->count; i++)
        if (graph->values.items[i].role == TENSOR_OUTPUT)
            outputs[i] = keep_output(&graph->values.items[i], values->items[i]);
    return outputs;
}

/* The outputs of what has its seeds. */
static enum status expect(const struct graph *graph, struct expectation *made, struct error *err)
{
    struct oracle_values values = {0};
    const struct oracle_seeds seeds = {made->param_seed, made->input_seed};
    enum status st = oracle_expect(graph, &seeds, &values, err);

    if (!st)
        made->outputs = keep_outputs(graph, &values);
    oracle_values_release(&values);
    return st;
}

static void make_entry(struct pool *pool, const struct graph *graph, struct entry *entry)
{
    int64_t began_us = clock_now_us();

    entry->status = expect(graph, &entry->expectation, &entry->error);
    entry->cost_us = (double)(clock_now_us() - began_us);
    pthread_mutex_lock(&pool->lock);
    entry->is_done = true;
    pthread_cond_broadcast(&pool->made);
    pthread_mutex_unlock(&pool->lock);
    (void)eventfd_write(pool->made_fd, 1);
}

/* First of all, while memory is free: the samples are dropped again. */
static void lint(struct pool *pool)
{
    struct error err;

    if (lint_problem(pool->problem, &pool->findings, &err))
        log_line("lint of %s: %s", pool->problem->name, err.text);
    pthread_mutex_lock(&pool->lock);
    pool->is_linted = true;
    pthread_cond_broadcast(&pool->made);
    pthread_mutex_unlock(&pool->lock);
}

/* The next secret that is to be made; NULL when none ever will. */
static struct entry *next_secret(struct pool *pool)
{
    struct entry *found = NULL;

    pthread_mutex_lock(&pool->lock);
    while (!pool->stop && !found) {
        for (unsigned i = 0; i < POOL_SECRETS && !found; i++)
            if (!pool->secrets[i].is_done)
                found = &pool->secrets[i];
        if (!found)
            pthread_cond_wait(&pool->wanted, &pool->lock);
    }
    found = pool->stop ? NULL : found;
    pthread_mutex_unlock(&pool->lock);
    return found;
}

static const struct graph *main_graph(const struct pool *pool)
{
    return &pool->cases.items[POOL_MAIN].shape.graph;
}

static void *fill(void *data)
{
    struct pool *pool = data;

    lint(pool);
    for (size_t c = 0; c < pool->cases.count; c++) {
        struct case_entries *entries = &pool->cases.items[c];

        for (unsigned i = 0; i < entries->count && !should_stop(pool); i++)
            make_entry(pool, &entries->shape.graph, &entries->entries[i]);
    }
    for (struct entry *secret; (secret = next_secret(pool));)
        make_entry(pool, main_graph(pool), secret);
    return NULL;
}

static void release_outputs(const struct graph *graph, struct wanted *outputs)
{
    for (size_t i = 0; outputs && i < graph->values.count; i++)
        free((void *)(uintptr_t)outputs[i].elements);
    free(outputs);
}

static void release_case(struct case_entries *entries)
{
    for (unsigned i = 0; i < entries->count; i++)
        release_outputs(&entries->shape.graph, entries->entries[i].expectation.outputs);
    free(entries->entries);
    graph_release(&entries->shape.graph);
    free(entries->shape.bindings);
    free(entries->shape.text);
}

/* Whose params stay loaded. */
static const struct entry *last_trial(const struct pool *pool)
{
    const struct case_entries *entries = &pool->cases.items[POOL_MAIN];

    return &entries->entries[entries->count - 1];
}

/* Seeds for a secret in the place of one that is made, or of none. */
static void redraw(struct pool *pool, struct entry *secret)
{
    release_outputs(main_graph(pool), secret->expectation.outputs);
    *secret = (struct entry){.expectation = {
                                 .param_seed = last_trial(pool)->expectation.param_seed,
                                 .input_seed = pool_fresh_seed(),
                             }};
}

static void release(struct pool *pool)
{
    for (unsigned i = 0; i < POOL_SECRETS && pool->cases.count > 0; i++)
        release_outputs(main_graph(pool), pool->secrets[i].expectation.outputs);
    for (size_t i = 0; i < pool->cases.count; i++)
        release_case(&pool->cases.items[i]);
    vec_release(&pool->cases);
    hazard_list_release(&pool->findings);
    pthread_cond_destroy(&pool->made);
    pthread_cond_destroy(&pool->wanted);
    pthread_mutex_destroy(&pool->lock);
    if (pool->made_fd >= 0)
        close(pool->made_fd);
    free(pool);
}

enum status pool_new(const struct problem *problem, unsigned trials, unsigned unseen,
                     struct pool **pool, struct error *err)
{
    struct pool *made = mem_alloc_zeroed(1, sizeof(*made));
    enum status st;

    made->problem = problem;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->made, NULL);
    pthread_cond_init(&made->wanted, NULL);
    made->made_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    st = made->made_fd < 0 ? error_set(err, STATUS_IO, "eventfd: %s", strerror(errno))
                           : add_cases(made, trials, unseen, err);
    if (st) {
        release(made);
        return st;
    }
    for (unsigned i = 0; i < POOL_SECRETS; i++)
        redraw(made, &made->secrets[i]);
    *pool = made;
    return STATUS_OK;
}

enum status pool_start(struct pool *pool, struct error *err)
{
    if (pool->is_started)
        return STATUS_OK;
    if (pthread_create(&pool->thread, NULL, fill, pool) != 0)
        return error_set(err, STATUS_IO, "cannot start the oracle's thread");
    pool->is_started = true;
    return STATUS_OK;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_signal(&pool->wanted);
    pthread_mutex_unlock(&pool->lock);
    if (pool->is_started)
        pthread_join(pool->thread, NULL);
    release(pool);
}

struct pool_progress pool_progress(struct pool *pool)
{
    struct pool_progress progress = {.fd = pool->made_fd};
    eventfd_t events;

    (void)eventfd_read(pool->made_fd, &events);
    pthread_mutex_lock(&pool->lock);
    for (size_t c = 0; c < pool->cases.count; c++) {
        const struct case_entries *entries = &pool->cases.items[c];

        progress.total += entries->count;
        for (unsigned i = 0; i < entries->count; i++)
            progress.made += entries->entries[i].is_done;
    }
    pthread_mutex_unlock(&pool->lock);
    return progress;
}

size_t pool_cases(const struct pool *pool)
{
    return pool->cases.count;
}

const struct pool_case *pool_case(const struct pool *pool, size_t index)
{
    return &pool->cases.items[index].shape;
}

unsigned pool_trials(const struct pool *pool, size_t index)
{
    return pool->cases.items[index].count;
}

static enum status await(struct pool *pool, struct entry *entry,
                         const struct expectation **expectation, struct error *err)
{
    pthread_mutex_lock(&pool->lock);
    while (!entry->is_done)
        pthread_cond_wait(&pool->made, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    if (entry->status)
        return error_set(err, entry->status, "the oracle: %s", entry->error.text);
    *expectation = &entry->expectation;
    return STATUS_OK;
}

enum status pool_take(struct pool *pool, size_t index, unsigned trial,
                      const struct expectation **expectation, struct error *err)
{
    return await(pool, &pool->cases.items[index].entries[trial], expectation, err);
}

enum status pool_take_secret(struct pool *pool, unsigned index,
                             const struct expectation **expectation, struct error *err)
{
    pool->secrets[index].is_taken = true;
    return await(pool, &pool->secrets[index], expectation, err);
}

enum status pool_expect(struct pool *pool, uint64_t input_seed, struct expectation *expectation,
                        struct error *err)
{
    *expectation = (struct expectation){.param_seed = last_trial(pool)->expectation.param_seed,
                                        .input_seed = input_seed};
    return expect(main_graph(pool), expectation, err);
}

void pool_release(const struct pool *pool, struct expectation *expectation)
{
    release_outputs(main_graph(pool), expectation->outputs);
    expectation->outputs = NULL;
}

double pool_cost_us(struct pool *pool)
{
    double cost_us;

    pthread_mutex_lock(&pool->lock);
    cost_us = last_trial(pool)->cost_us;
    pthread_mutex_unlock(&pool->lock);
    return cost_us;
}

void pool_renew(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    for (unsigned i = 0; i < POOL_SECRETS; i++)
        if (pool->secrets[i].is_done && pool->secrets[i].is_taken)
            redraw(pool, &pool->secrets[i]);
    pthread_cond_signal(&pool->wanted);
    pthread_mutex_unlock(&pool->lock);
}

const struct hazard_list *pool_findings(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (!pool->is_linted)
        pthread_cond_wait(&pool->made, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return &pool->findings;
}
