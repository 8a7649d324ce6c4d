#include "core/judge/task/expectations.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/task/expectations_entries.h"
#include "core/judge/task/lint_cache.h"
#include "core/judge/task/oracle_turn.h"
#include "core/system/clock.h"
#include "core/system/log.h"

struct expectations {
    struct expectations_options options;
    char *text; /* text of the problem, from the options */
    struct expectations_entries cases;
    struct hazard_list findings;
    /* memory for the oracle, reused because expectations of a case need blocks of the same sizes */
    struct block_pool *blocks;
    pthread_t thread, linter;
    struct expectations_entry secrets[EXPECTATIONS_TIMED];
    /* the entry that a caller waits for; NULL if no caller waits */
    const struct expectations_entry *awaited;
    const struct expectations_entry *begun; /* the thread computes it; NULL if it does nothing */
    double cost_us;      /* time of the latest entry at the main dimensions; 0 before the first */
    bool may_look_ahead; /* not yet done for this candidate */
    bool wants_ahead;    /* compute what is compared next and stays on the device */
    size_t sampled;      /* expectations for sampled runs that have been computed ahead */
    atomic_bool is_late; /* a candidate needs the device: compute no more ahead */
    /* protects is_done, awaited, begun, cost_us, *_ahead, is_linted and stop */
    pthread_mutex_t lock;
    pthread_cond_t made, wanted;
    int made_fd;             /* event descriptor, signalled for each computed entry */
    struct oracle_turn turn; /* of the thread */
    bool is_started, lints_aside, is_linted, stop;
};

static struct expected_outputs_source source_of(const struct expectations *expectations)
{
    const struct expectations_options *options = &expectations->options;

    return (struct expected_outputs_source){.problem = options->problem,
                                            .evaluator = options->evaluator,
                                            .device = options->device,
                                            .blocks = expectations->blocks};
}

static const struct graph *main_graph(const struct expectations *expectations)
{
    return &expectations->cases.items[EXPECTATIONS_MAIN].shape.graph;
}

static bool must_stop(void *data)
{
    struct expectations *expectations = data;
    bool must;

    pthread_mutex_lock(&expectations->lock);
    must = expectations->stop;
    pthread_mutex_unlock(&expectations->lock);
    return must;
}

/* Expected outputs of small cases take little time and are many, so they are not logged. */
static const double logged_us = 50000;

static void make_entry(struct expectations *expectations, const struct graph *graph,
                       struct expectations_entry *entry)
{
    struct expected_outputs_source source = source_of(expectations);
    int64_t began_us = clock_now_us();
    double cost_us;

    source.are_kept = true;
    source.begins_on_host = oracle_turn_leave_device;
    source.begins_on_device = oracle_turn_enter_device;
    source.data = &expectations->turn;
    entry->status = expected_outputs_make(&source, graph, &entry->expectation, &entry->error);
    cost_us = (double)(clock_now_us() - began_us) + entry->expectation.compare_us;
    if (cost_us > logged_us)
        log_line("%s outputs expected %s in %.3f s",
                 graph == main_graph(expectations) ? "main" : "other",
                 entry->expectation.outputs ? "on the host" : "in place", cost_us * 1e-6);
    expected_outputs_rest(graph, entry->expectation.outputs);
    pthread_mutex_lock(&expectations->lock);
    entry->is_done = true;
    if (graph == main_graph(expectations))
        expectations->cost_us = cost_us;
    pthread_cond_broadcast(&expectations->made);
    pthread_mutex_unlock(&expectations->lock);
    (void)eventfd_write(expectations->made_fd, 1);
}

static void *lint(void *data)
{
    struct expectations *expectations = data;
    int64_t began_us = clock_now_us();
    struct error err;

    if (lint_cache_recall(expectations->options.problem, expectations->options.evaluator,
                          expectations->text, &expectations->findings, &err))
        log_line("lint of %s: %s", expectations->options.problem->name, err.text);
    log_line("lint: %.3f s", (double)(clock_now_us() - began_us) * 1e-6);
    pthread_mutex_lock(&expectations->lock);
    expectations->is_linted = true;
    pthread_cond_broadcast(&expectations->made);
    pthread_mutex_unlock(&expectations->lock);
    return NULL;
}

static struct expectations_entry *first_trial(const struct expectations *expectations)
{
    return &expectations->cases.items[EXPECTATIONS_MAIN].entries[0];
}

/* An entry to compute, and its case. `entry` is NULL if all are computed. */
struct work {
    const struct graph *graph;
    struct expectations_entry *entry;
    bool is_ahead; /* the entry is done, but its outputs stay on the device */
};

/* True if the outputs at the main dimensions are known to be deferred. Hold the lock. */
static bool are_deferred(const struct expectations *expectations)
{
    const struct expectations_entry *trial = expectations_entries_last(&expectations->cases);

    return trial->is_done && trial->expectation.deferred.data;
}

/*
 * The number of expectations for timed runs. Those for sampled runs are computed while the device
 * has nothing else to do: before a candidate needs it, and on no core that kernels are timed on.
 * Hold the lock.
 */
static unsigned count_timed(const struct expectations *expectations)
{
    bool are_spare = !expectations->is_late && !expectations->turn.shares_cores &&
                     expectations_entries_are_slow(&expectations->options.device,
                                                   main_graph(expectations), expectations->cost_us);

    return are_deferred(expectations) || are_spare ? EXPECTATIONS_TIMED : EXPECTATIONS_SECRETS;
}

/*
 * Find the next entry to compute: the one that a caller waits for, else the next in the judge's
 * order. The judge verifies the main dimensions last, and then times.
 */
static struct work find_work(struct expectations *expectations)
{
    const struct expectations_entry *awaited = expectations->awaited;
    struct expectations_entry *next;

    for (size_t c = expectations->cases.count; c-- > 0;) {
        struct case_entries *entries = &expectations->cases.items[c];

        next = expectations_entries_next(entries->entries, entries->count, awaited);
        if (next)
            return (struct work){&entries->shape.graph, next, false};
    }
    next = expectations_entries_next(expectations->secrets, count_timed(expectations), awaited);
    if (next)
        return (struct work){main_graph(expectations), next, false};
    if (expectations->wants_ahead)
        return (struct work){main_graph(expectations), first_trial(expectations), true};
    return (struct work){0};
}

/* Let the device compute outputs of trials and timed runs while the candidate is compiled. */
static void look_ahead(struct expectations *expectations, const struct work *work)
{
    const struct case_entries *trials = &expectations->cases.items[EXPECTATIONS_MAIN];
    const struct expected_outputs_device *device = &work->entry->expectation.deferred;
    struct expectation_list next = {.is_late = &expectations->is_late};
    size_t others;

    expectations_entries_list(&next, trials->entries, trials->count);
    others = next.count + EXPECTATIONS_SECRETS;
    expectations_entries_list(&next, expectations->secrets, count_timed(expectations));
    device->look_ahead(device->data, expectations->options.problem, work->graph, &next);
    pthread_mutex_lock(&expectations->lock);
    expectations->wants_ahead = false;
    expectations->sampled = next.computed > others ? next.computed - others : 0;
    pthread_cond_broadcast(&expectations->made);
    pthread_mutex_unlock(&expectations->lock);
}

/* Wait until there is an entry to compute; the result has no entry if the thread must end. */
static struct work next_work(struct expectations *expectations)
{
    struct work found = {0};

    pthread_mutex_lock(&expectations->lock);
    expectations->begun = NULL;
    pthread_cond_broadcast(&expectations->made);
    while (!expectations->stop && !(found = find_work(expectations)).entry) {
        oracle_turn_end(&expectations->turn);
        block_pool_trim(expectations->blocks);
        pthread_cond_wait(&expectations->wanted, &expectations->lock);
    }
    if (expectations->stop)
        found.entry = NULL;
    expectations->begun = found.entry;
    pthread_mutex_unlock(&expectations->lock);
    return found;
}

/*
 * Run the task lint, which every verdict needs: in a turn before outputs are computed, or in a
 * thread of its own where that disturbs no timing, because the lint of a large model takes seconds.
 * An evaluator of graphs without operations does one thing at a time, so it is not run in parallel.
 */
static bool lint_in_turn(struct expectations *expectations)
{
    expectations->lints_aside =
        !expectations->turn.shares_cores && main_graph(expectations)->nodes.count > 0 &&
        pthread_create(&expectations->linter, NULL, lint, expectations) == 0;
    if (expectations->lints_aside)
        return true;
    if (expectations->turn.shares_cores && !oracle_turn_take(&expectations->turn))
        return false;
    (void)lint(expectations);
    oracle_turn_end(&expectations->turn);
    return true;
}

/*
 * Wait for a turn, if the work needs one; false if the thread must end. The device's program is
 * compiled before the turn: that takes seconds, in which other judges time.
 */
static bool begin_work(struct expectations *expectations, const struct work *work)
{
    const struct expectations_options *options = &expectations->options;

    if (work->is_ahead || expectations_entries_load(&options->device, options->problem, work->graph,
                                                    &work->entry->expectation))
        return oracle_turn_take(&expectations->turn);
    oracle_turn_leave_device(&expectations->turn);
    return !expectations->turn.shares_cores || oracle_turn_take(&expectations->turn);
}

static void *fill(void *data)
{
    struct expectations *expectations = data;
    struct work work;

    if (!lint_in_turn(expectations))
        return NULL;
    while ((work = next_work(expectations)).entry && begin_work(expectations, &work)) {
        if (work.is_ahead)
            look_ahead(expectations, &work);
        else
            make_entry(expectations, work.graph, work.entry);
        oracle_turn_pass(&expectations->turn);
    }
    oracle_turn_end(&expectations->turn);
    return NULL;
}

static void release(struct expectations *expectations)
{
    for (unsigned i = 0; i < EXPECTATIONS_TIMED && expectations->cases.count > 0; i++)
        expected_outputs_release(main_graph(expectations),
                                 expectations->secrets[i].expectation.outputs);
    expectations_entries_release(&expectations->cases);
    hazard_list_release(&expectations->findings);
    pthread_cond_destroy(&expectations->made);
    pthread_cond_destroy(&expectations->wanted);
    pthread_mutex_destroy(&expectations->lock);
    if (expectations->made_fd >= 0)
        close(expectations->made_fd);
    block_pool_free(expectations->blocks);
    free(expectations->text);
    free(expectations);
}

enum status expectations_new(const struct expectations_options *options,
                             struct expectations **expectations, struct error *err)
{
    const struct expectations_plan plan = {options->problem, options->trials, options->unseen,
                                           &options->device};
    struct expectations *made = mem_alloc_zeroed(1, sizeof(*made));
    enum status st;

    made->options = *options;
    made->turn = (struct oracle_turn){.lock = options->turns,
                                      .shares_cores = options->shares_cores,
                                      .must_end = must_stop,
                                      .data = made};
    made->text = mem_strdup(options->text);
    made->blocks = block_pool_new();
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->made, NULL);
    pthread_cond_init(&made->wanted, NULL);
    made->made_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    st = made->made_fd < 0 ? error_set(err, STATUS_IO, "eventfd: %s", strerror(errno))
                           : expectations_entries_draw(&plan, &made->cases, err);
    if (st) {
        release(made);
        return st;
    }
    for (unsigned i = 0; i < EXPECTATIONS_TIMED; i++)
        expectations_entries_redraw(&made->cases, &made->secrets[i]);
    *expectations = made;
    return STATUS_OK;
}

enum status expectations_start(struct expectations *expectations, struct error *err)
{
    if (expectations->is_started)
        return STATUS_OK;
    if (pthread_create(&expectations->thread, NULL, fill, expectations) != 0)
        return error_set(err, STATUS_IO, "cannot start the oracle's thread");
    expectations->is_started = true;
    return STATUS_OK;
}

void expectations_free(struct expectations *expectations)
{
    if (!expectations)
        return;
    pthread_mutex_lock(&expectations->lock);
    expectations->stop = true;
    pthread_cond_signal(&expectations->wanted);
    pthread_mutex_unlock(&expectations->lock);
    if (expectations->is_started)
        pthread_join(expectations->thread, NULL);
    if (expectations->lints_aside)
        pthread_join(expectations->linter, NULL);
    release(expectations);
}

struct expectations_progress expectations_progress(struct expectations *expectations)
{
    struct expectations_progress progress = {.fd = expectations->made_fd};
    eventfd_t events;

    (void)eventfd_read(expectations->made_fd, &events);
    pthread_mutex_lock(&expectations->lock);
    expectations_entries_count(&expectations->cases, &progress.made, &progress.total);
    pthread_mutex_unlock(&expectations->lock);
    return progress;
}

bool expectations_are_on_device(const struct expectations *expectations)
{
    return expected_outputs_suit(&expectations->options.device, main_graph(expectations));
}

void expectations_settle(struct expectations *expectations)
{
    int64_t began_us = clock_now_us();

    if (!expectations_are_on_device(expectations))
        return;
    expectations->is_late = true;
    pthread_mutex_lock(&expectations->lock);
    while (expectations->begun || find_work(expectations).entry)
        pthread_cond_wait(&expectations->made, &expectations->lock);
    pthread_mutex_unlock(&expectations->lock);
    log_long("to settle the oracle", began_us);
}

size_t expectations_cases(const struct expectations *expectations)
{
    return expectations->cases.count;
}

const struct expectations_case *expectations_case(const struct expectations *expectations,
                                                  size_t index)
{
    return &expectations->cases.items[index].shape;
}

bool expectations_case_is_brief(const struct expectations *expectations, size_t index)
{
    return expectations->cases.items[index].is_brief;
}

unsigned expectations_trials(const struct expectations *expectations, size_t index)
{
    return expectations->cases.items[index].count;
}

static enum status await(struct expectations *expectations, struct expectations_entry *entry,
                         const struct expectation **expectation, struct error *err)
{
    pthread_mutex_lock(&expectations->lock);
    expectations_entries_rest(&expectations->cases);
    expectations->awaited = entry;
    while (!entry->is_done)
        pthread_cond_wait(&expectations->made, &expectations->lock);
    expectations->awaited = NULL;
    pthread_mutex_unlock(&expectations->lock);
    if (entry->status)
        return error_set(err, entry->status, "the oracle: %s", entry->error.text);
    *expectation = &entry->expectation;
    return STATUS_OK;
}

enum status expectations_take(struct expectations *expectations, size_t index, unsigned trial,
                              const struct expectation **expectation, struct error *err)
{
    return await(expectations, &expectations->cases.items[index].entries[trial], expectation, err);
}

enum status expectations_take_secret(struct expectations *expectations, unsigned index,
                                     const struct expectation **expectation, struct error *err)
{
    const struct expectations_entry *entry = &expectations->secrets[index];
    bool exists;

    pthread_mutex_lock(&expectations->lock);
    exists = are_deferred(expectations)
                 ? index < EXPECTATIONS_SECRETS + expectations->sampled
                 : index < EXPECTATIONS_SECRETS || (entry->is_done && !entry->status);
    pthread_mutex_unlock(&expectations->lock);
    *expectation = NULL;
    if (!exists)
        return STATUS_OK;
    expectations->secrets[index].is_taken = true;
    return await(expectations, &expectations->secrets[index], expectation, err);
}

enum status expectations_compute(struct expectations *expectations, uint64_t input_seed,
                                 struct expectation *expectation, struct error *err)
{
    const struct expected_outputs_source source = source_of(expectations);

    *expectation = (struct expectation){
        .param_seed = expectations_entries_last(&expectations->cases)->expectation.param_seed,
        .input_seed = input_seed};
    return expected_outputs_make(&source, main_graph(expectations), expectation, err);
}

void expectations_release(const struct expectations *expectations, struct expectation *expectation)
{
    expected_outputs_release(main_graph(expectations), expectation->outputs);
    expectation->outputs = NULL;
}

double expectations_cost_us(struct expectations *expectations)
{
    double cost_us;

    pthread_mutex_lock(&expectations->lock);
    cost_us = expectations->cost_us;
    pthread_mutex_unlock(&expectations->lock);
    return cost_us;
}

bool expectations_are_deferred(struct expectations *expectations)
{
    bool are;

    pthread_mutex_lock(&expectations->lock);
    are = are_deferred(expectations);
    pthread_mutex_unlock(&expectations->lock);
    return are;
}

void expectations_renew(struct expectations *expectations)
{
    pthread_mutex_lock(&expectations->lock);
    for (unsigned i = 0; i < EXPECTATIONS_TIMED; i++)
        if (expectations->secrets[i].is_done && expectations->secrets[i].is_taken)
            expectations_entries_redraw(&expectations->cases, &expectations->secrets[i]);
    expectations->sampled = 0;
    expectations->may_look_ahead = true;
    expectations->is_late = false;
    pthread_cond_signal(&expectations->wanted);
    pthread_mutex_unlock(&expectations->lock);
}

void expectations_look_ahead(struct expectations *expectations)
{
    pthread_mutex_lock(&expectations->lock);
    if (expectations->may_look_ahead)
        expectations->wants_ahead = first_trial(expectations)->expectation.deferred.look_ahead;
    expectations->may_look_ahead = false;
    expectations->is_late = false;
    pthread_cond_signal(&expectations->wanted);
    pthread_mutex_unlock(&expectations->lock);
}

const struct hazard_list *expectations_findings(struct expectations *expectations)
{
    pthread_mutex_lock(&expectations->lock);
    while (!expectations->is_linted)
        pthread_cond_wait(&expectations->made, &expectations->lock);
    pthread_mutex_unlock(&expectations->lock);
    return &expectations->findings;
}
