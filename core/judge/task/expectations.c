#include "core/judge/task/expectations.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/base/vec.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/task/lint_cache.h"
#include "core/judge/task/varied_data.h"
#include "core/system/clock.h"
#include "core/system/log.h"

struct entry {
    struct expectation expectation;
    bool is_done;
    bool is_taken; /* an expectation for timed runs was taken */
    enum status status;
    struct error error;
};

struct case_entries {
    struct expectations_case shape;
    struct entry *entries;
    unsigned count;
};

struct expectations {
    struct expectations_options options;
    char *text; /* of the options */
    struct {
        struct case_entries *items;
        size_t count, capacity;
    } cases;
    struct hazard_list findings;
    struct block_pool *blocks; /* for the oracle: the expectations of a case need like blocks */
    pthread_t thread;
    struct entry secrets[EXPECTATIONS_SECRETS];
    const struct entry *awaited; /* the entry that a caller waits for; NULL: none */
    double cost_us;       /* time of the latest entry at the main dimensions; 0: none is made */
    pthread_mutex_t lock; /* protects is_done, awaited, cost_us, is_linted and stop */
    pthread_cond_t made, wanted;
    int made_fd; /* signalled for each entry */
    bool is_started;
    bool is_linted;
    bool stop;
};

static struct expectation draw_seed(enum variation variation)
{
    uint64_t seed = variation_seed(variation, fill_secret_seed());

    return (struct expectation){.param_seed = seed, .input_seed = seed};
}

/* Add a case and draw the seeds of `count` expectations. Takes the contents of `shape`. */
static void add_case(struct expectations *expectations, const struct expectations_case *shape,
                     unsigned count)
{
    struct case_entries added = {.shape = *shape, .count = count};

    added.entries = mem_alloc_zeroed(count, sizeof(*added.entries));
    for (unsigned i = 0; i < count; i++)
        added.entries[i].expectation = draw_seed(VARIATION_NONE);
    vec_push(&expectations->cases, added);
}

/*
 * Add an expectation on varied data, after the first one. That keeps the last of several, whose
 * params timed runs use.
 */
static void add_varied(struct case_entries *entries, enum variation variation)
{
    unsigned at = entries->count++;

    entries->entries = mem_resize(entries->entries, entries->count, sizeof(*entries->entries));
    for (; at > 1; at--)
        entries->entries[at] = entries->entries[at - 1];
    entries->entries[at] = (struct entry){.expectation = draw_seed(variation)};
}

/* The smallest case with enough data for variations. */
static struct case_entries *smallest_case(struct expectations *expectations)
{
    struct case_entries *smallest = &expectations->cases.items[EXPECTATIONS_MAIN];
    const struct graph *main = &smallest->shape.graph;

    for (size_t i = 1; i < expectations->cases.count; i++) {
        struct case_entries *entries = &expectations->cases.items[i];
        const struct graph *graph = &entries->shape.graph;

        if (varied_data_is_enough(graph, main) &&
            varied_data_elements(graph) < varied_data_elements(&smallest->shape.graph))
            smallest = entries;
    }
    return smallest;
}

static bool is_of_ends(enum variation variation)
{
    return variation == VARIATION_ENDS || variation == VARIATION_END_COLUMNS;
}

/*
 * Add expectations on varied data at the smallest case, where they cost least; those at the ends of
 * ranges at the main one, where sums are longest. Where even the smallest is large, only one
 * variation is tried, which is drawn; none if outputs come from the device, because the CPU makes
 * and checks varied data.
 */
static void add_all_varied(struct expectations *expectations)
{
    struct case_entries *main = &expectations->cases.items[EXPECTATIONS_MAIN];
    struct case_entries *smallest = smallest_case(expectations);
    struct case_entries *longest =
        main->count > 1 && !varied_data_are_many(&main->shape.graph) ? main : smallest;
    const struct graph *graph = &smallest->shape.graph;
    enum variation list[VARIATION_COUNT];
    bool is_alone = smallest == main && main->count == 1;
    bool is_for_device = !expectations->options.device.takes_small &&
                         expected_outputs_suit(&expectations->options.device, graph);
    size_t count = !is_alone && !is_for_device ? varied_data_list(graph, list) : 0;
    bool are_many = varied_data_are_many(graph);

    if (count && are_many)
        add_varied(smallest, list[fill_secret_seed() % count]);
    for (size_t i = count; i-- > 0 && !are_many;)
        add_varied(is_of_ends(list[i]) ? longest : smallest, list[i]);
}

static bool has_case(const void *data, const char *text)
{
    const struct expectations *expectations = data;

    for (size_t i = 0; i < expectations->cases.count; i++)
        if (strcmp(expectations->cases.items[i].shape.text, text) == 0)
            return true;
    return false;
}

static enum status add_cases(struct expectations *expectations, struct error *err)
{
    const struct expectations_options *options = &expectations->options;
    const struct problem *problem = options->problem;
    const struct expectations_cases_known known = {has_case, expectations};
    struct expectations_case shape;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < 1 + problem->also.count; i++) {
        st = expectations_case_known(&shape, problem, i, err);
        if (!st)
            add_case(expectations, &shape, i == EXPECTATIONS_MAIN ? options->trials : 1);
    }
    for (unsigned i = 0; !st && i < options->unseen && expectations_case_varies(problem); i++) {
        st = expectations_case_drawn(&shape, problem, i, &known, err);
        if (!st)
            add_case(expectations, &shape, 1);
    }
    if (!st)
        add_all_varied(expectations);
    return st;
}

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

static void make_entry(struct expectations *expectations, const struct graph *graph,
                       struct entry *entry)
{
    struct expected_outputs_source source = source_of(expectations);
    int64_t began_us = clock_now_us();
    double cost_us;

    source.are_kept = true;
    entry->status = expected_outputs_make(&source, graph, &entry->expectation, &entry->error);
    cost_us = (double)(clock_now_us() - began_us) + entry->expectation.compare_us;
    expected_outputs_rest(graph, entry->expectation.outputs);
    pthread_mutex_lock(&expectations->lock);
    entry->is_done = true;
    if (graph == main_graph(expectations))
        expectations->cost_us = cost_us;
    pthread_cond_broadcast(&expectations->made);
    pthread_mutex_unlock(&expectations->lock);
    (void)eventfd_write(expectations->made_fd, 1);
}

/* Lint the task first: it takes little time, and every verdict has its findings. */
static void lint(struct expectations *expectations)
{
    struct error err;

    if (lint_cache_recall(expectations->options.problem, expectations->options.evaluator,
                          expectations->text, &expectations->findings, &err))
        log_line("lint of %s: %s", expectations->options.problem->name, err.text);
    pthread_mutex_lock(&expectations->lock);
    expectations->is_linted = true;
    pthread_cond_broadcast(&expectations->made);
    pthread_mutex_unlock(&expectations->lock);
}

/* An entry to compute, and its graph; no entry: all are computed. */
struct work {
    const struct graph *graph;
    struct entry *entry;
};

/* True if the entry is to be computed next: the awaited one, or any if no other is awaited. */
static bool is_next(const struct expectations *expectations, const struct entry *entry)
{
    const struct entry *awaited = expectations->awaited;

    return !entry->is_done && (!awaited || awaited->is_done || awaited == entry);
}

/*
 * The next entry to compute: the one that a caller waits for; else by the judge's order, which
 * verifies the main dimensions last, and then times.
 */
static struct work find_work(struct expectations *expectations)
{
    for (size_t c = expectations->cases.count; c-- > 0;) {
        struct case_entries *entries = &expectations->cases.items[c];

        for (unsigned i = 0; i < entries->count; i++)
            if (is_next(expectations, &entries->entries[i]))
                return (struct work){&entries->shape.graph, &entries->entries[i]};
    }
    for (unsigned i = 0; i < EXPECTATIONS_SECRETS; i++)
        if (is_next(expectations, &expectations->secrets[i]))
            return (struct work){main_graph(expectations), &expectations->secrets[i]};
    return (struct work){0};
}

/* Wait until there is an entry to compute; no entry when the thread must end. */
static struct work next_work(struct expectations *expectations)
{
    struct work found = {0};

    pthread_mutex_lock(&expectations->lock);
    while (!expectations->stop && !(found = find_work(expectations)).entry) {
        block_pool_trim(expectations->blocks);
        pthread_cond_wait(&expectations->wanted, &expectations->lock);
    }
    if (expectations->stop)
        found.entry = NULL;
    pthread_mutex_unlock(&expectations->lock);
    return found;
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

/* Wait until the thread may work.  False: it must end. */
static bool begin_turn(struct expectations *expectations)
{
    const struct turn_patience patience = {.fd = -1, .is_over = must_stop, .data = expectations};

    return !expectations->options.turns || turn_lock_enter(expectations->options.turns, &patience);
}

static void end_turn(struct expectations *expectations)
{
    if (expectations->options.turns)
        turn_lock_leave(expectations->options.turns);
}

static void *fill(void *data)
{
    struct expectations *expectations = data;
    struct work work;

    if (!begin_turn(expectations))
        return NULL;
    lint(expectations);
    end_turn(expectations);
    while ((work = next_work(expectations)).entry && begin_turn(expectations)) {
        make_entry(expectations, work.graph, work.entry);
        end_turn(expectations);
    }
    return NULL;
}

static void release_case(struct case_entries *entries)
{
    for (unsigned i = 0; i < entries->count; i++)
        expected_outputs_release(&entries->shape.graph, entries->entries[i].expectation.outputs);
    free(entries->entries);
    expectations_case_release(&entries->shape);
}

/* The params of this trial stay on the device. */
static const struct entry *last_trial(const struct expectations *expectations)
{
    const struct case_entries *entries = &expectations->cases.items[EXPECTATIONS_MAIN];

    return &entries->entries[entries->count - 1];
}

/* Draw a new seed for timed runs, and free the outputs of the old one. */
static void redraw(struct expectations *expectations, struct entry *secret)
{
    expected_outputs_release(main_graph(expectations), secret->expectation.outputs);
    *secret = (struct entry){.expectation = {
                                 .param_seed = last_trial(expectations)->expectation.param_seed,
                                 .input_seed = fill_secret_seed(),
                             }};
}

static void release(struct expectations *expectations)
{
    for (unsigned i = 0; i < EXPECTATIONS_SECRETS && expectations->cases.count > 0; i++)
        expected_outputs_release(main_graph(expectations),
                                 expectations->secrets[i].expectation.outputs);
    for (size_t i = 0; i < expectations->cases.count; i++)
        release_case(&expectations->cases.items[i]);
    vec_release(&expectations->cases);
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
    struct expectations *made = mem_alloc_zeroed(1, sizeof(*made));
    enum status st;

    made->options = *options;
    made->text = mem_strdup(options->text);
    made->blocks = block_pool_new();
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->made, NULL);
    pthread_cond_init(&made->wanted, NULL);
    made->made_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    st = made->made_fd < 0 ? error_set(err, STATUS_IO, "eventfd: %s", strerror(errno))
                           : add_cases(made, err);
    if (st) {
        release(made);
        return st;
    }
    for (unsigned i = 0; i < EXPECTATIONS_SECRETS; i++)
        redraw(made, &made->secrets[i]);
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
    release(expectations);
}

struct expectations_progress expectations_progress(struct expectations *expectations)
{
    struct expectations_progress progress = {.fd = expectations->made_fd};
    eventfd_t events;

    (void)eventfd_read(expectations->made_fd, &events);
    pthread_mutex_lock(&expectations->lock);
    for (size_t c = 0; c < expectations->cases.count; c++) {
        const struct case_entries *entries = &expectations->cases.items[c];

        progress.total += entries->count;
        for (unsigned i = 0; i < entries->count; i++)
            progress.made += entries->entries[i].is_done;
    }
    pthread_mutex_unlock(&expectations->lock);
    return progress;
}

void expectations_settle(struct expectations *expectations)
{
    const struct expected_outputs_device *device = &expectations->options.device;

    if (!expected_outputs_suit(device, main_graph(expectations)))
        return;
    pthread_mutex_lock(&expectations->lock);
    while (find_work(expectations).entry)
        pthread_cond_wait(&expectations->made, &expectations->lock);
    pthread_mutex_unlock(&expectations->lock);
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

unsigned expectations_trials(const struct expectations *expectations, size_t index)
{
    return expectations->cases.items[index].count;
}

/* Let the outputs rest that were made for trials. */
static void rest_trials(const struct expectations *expectations)
{
    for (size_t c = 0; c < expectations->cases.count; c++) {
        const struct case_entries *entries = &expectations->cases.items[c];

        for (unsigned i = 0; i < entries->count; i++)
            if (entries->entries[i].is_done)
                expected_outputs_rest(&entries->shape.graph,
                                      entries->entries[i].expectation.outputs);
    }
}

static enum status await(struct expectations *expectations, struct entry *entry,
                         const struct expectation **expectation, struct error *err)
{
    pthread_mutex_lock(&expectations->lock);
    rest_trials(expectations);
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
    expectations->secrets[index].is_taken = true;
    return await(expectations, &expectations->secrets[index], expectation, err);
}

enum status expectations_compute(struct expectations *expectations, uint64_t input_seed,
                                 struct expectation *expectation, struct error *err)
{
    const struct expected_outputs_source source = source_of(expectations);

    *expectation = (struct expectation){
        .param_seed = last_trial(expectations)->expectation.param_seed, .input_seed = input_seed};
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
    const struct entry *entry = last_trial(expectations);
    bool are_deferred;

    pthread_mutex_lock(&expectations->lock);
    are_deferred = entry->is_done && entry->expectation.deferred.data;
    pthread_mutex_unlock(&expectations->lock);
    return are_deferred;
}

void expectations_renew(struct expectations *expectations)
{
    pthread_mutex_lock(&expectations->lock);
    for (unsigned i = 0; i < EXPECTATIONS_SECRETS; i++)
        if (expectations->secrets[i].is_done && expectations->secrets[i].is_taken)
            redraw(expectations, &expectations->secrets[i]);
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
