#include <stdatomic.h>

#include "core/judge/device_oracle/device_oracle.h"
#include "core/judge/device_oracle/oracle_state.h"
#include "core/system/clock.h"
#include "core/system/log.h"

/* The phases of a comparison, for the log. */
enum phase {
    PHASE_WAIT,    /* wait for another call to end */
    PHASE_LOAD,    /* build the programs, and make their buffers */
    PHASE_EXPECT,  /* draw data, and compute expected elements */
    PHASE_DELIVER, /* copy the elements */
    PHASE_COMPARE,
    PHASE_READ, /* read the results, and add them up */
    PHASE_REST, /* free the buffers */
    PHASE_COUNT
};

struct phases {
    int64_t at_us; /* when the current phase began */
    double ms[PHASE_COUNT];
};

static void phases_end(struct phases *phases, enum phase phase)
{
    int64_t now_us = clock_now_us();

    phases->ms[phase] = (double)(now_us - phases->at_us) / 1000;
    phases->at_us = now_us;
}

static void phases_log(const struct phases *phases, const struct expected_comparison *c)
{
    const double *ms = phases->ms;

    log_line("%s: compared %s, ms: wait %.0f, load %.0f, expect %.0f, deliver %.0f, compare %.0f, "
             "read %.0f, rest %.0f",
             c->graph->values.items[c->output].name, c->handle ? "in place" : "a copy",
             ms[PHASE_WAIT], ms[PHASE_LOAD], ms[PHASE_EXPECT], ms[PHASE_DELIVER], ms[PHASE_COMPARE],
             ms[PHASE_READ], ms[PHASE_REST]);
}

static const struct oracle_compared *compared_of(const struct device_oracle *oracle, size_t output)
{
    for (size_t i = 0; i < oracle->program.compared.count; i++)
        if (oracle->program.compared.items[i].value == output)
            return &oracle->program.compared.items[i];
    return NULL;
}

static const double *results_of(const struct device_oracle *oracle, size_t index)
{
    size_t bytes;

    return (const double *)(const void *)(executor_allocation(oracle->executor, 0, index, &bytes) +
                                          BUFFER_GUARD_BYTES);
}

/* Run the comparison on the data on the device, and make the error map if it is wanted. */
static enum status run_comparison(struct device_oracle *oracle, uint64_t input_seed, bool with_map,
                                  struct error *err)
{
    struct executor_run run = {
        .slot = SLOT_CANDIDATE, .input_seed = input_seed, .keeps_data = true};
    struct executor_times times = {0};
    enum status st = executor_run(oracle->executor, &run, &times, err);

    run.slot = SLOT_MAP;
    return !st && with_map ? executor_run(oracle->executor, &run, &times, err) : st;
}

/*
 * Results of a comparison: the counts, whether an error map was made, and the times of its phases.
 */
struct compared_results {
    struct oracle_found found;
    bool with_map;
    struct phases *phases;
};

/* Copy the candidate's elements; `*compared` receives the numbers of the output's tensors. */
static enum status deliver(struct device_oracle *oracle, const struct expected_comparison *c,
                           const struct oracle_compared **compared, struct error *err)
{
    const struct executor_source source = {c->got, c->handle};

    *compared = compared_of(oracle, c->output);
    if (!*compared)
        return error_set(err, STATUS_UNAVAILABLE, "the device does not compare this output");
    return executor_deliver(oracle->executor, (*compared)->got, &source, err);
}

/* Read what the last program of the comparison has left. */
static enum status collect(struct device_oracle *oracle, const struct expected_comparison *c,
                           const struct oracle_compared *compared, struct oracle_found *found,
                           struct error *err)
{
    enum status st = executor_collect(oracle->executor, 0, err);

    if (!st)
        *found = (struct oracle_found){&c->graph->values.items[c->output],
                                       results_of(oracle, compared->found),
                                       results_of(oracle, compared->cells)};
    return st;
}

static enum status compare(struct device_oracle *oracle, const struct expected_comparison *c,
                           struct compared_results *results, struct error *err)
{
    const struct oracle_compared *compared = NULL;
    enum status st = oracle_state_compute(oracle, c->expected, err);

    phases_end(results->phases, PHASE_EXPECT);
    if (!st) /* to compute uses the tensor of the candidate's elements */
        st = deliver(oracle, c, &compared, err);
    phases_end(results->phases, PHASE_DELIVER);
    if (!st)
        st = run_comparison(oracle, c->expected->input_seed, results->with_map, err);
    phases_end(results->phases, PHASE_COMPARE);
    return st ? st : collect(oracle, c, compared, &results->found, err);
}

enum status device_oracle_compare(void *device_oracle, const struct expected_comparison *comparison,
                                  struct trial *trial, struct error_map *map, struct error *err)
{
    struct device_oracle *oracle = device_oracle;
    int64_t began_us = clock_now_us();
    struct phases phases = {.at_us = began_us};
    struct compared_results results = {.with_map = map != NULL, .phases = &phases};
    enum status st;

    pthread_mutex_lock(&oracle->lock);
    oracle->has_imports |= comparison->handle != NULL;
    phases_end(&phases, PHASE_WAIT);
    st = oracle_state_load(oracle, comparison->problem, comparison->graph, err);
    phases_end(&phases, PHASE_LOAD);
    if (!st)
        st = compare(oracle, comparison, &results, err);
    if (!st)
        oracle_comparison_read(&results.found, trial, map);
    phases_end(&phases, PHASE_READ);
    if (st)
        oracle_state_unload(oracle);
    else
        oracle_state_make_room(oracle);
    phases_end(&phases, PHASE_REST);
    oracle->compare_us =
        (double)(clock_now_us() - began_us) - 1000 * phases.ms[PHASE_EXPECT] + oracle->compute_us;
    pthread_mutex_unlock(&oracle->lock);
    phases_log(&phases, comparison);
    return st;
}

/* Make the digest of an output that is on the device. */
static enum status digest_of(struct device_oracle *oracle, const struct expected_comparison *c,
                             uint64_t *digest, struct error *err)
{
    const struct executor_run run = {
        .slot = SLOT_DIGEST, .input_seed = oracle->value_input_seed, .keeps_data = true};
    const struct oracle_compared *compared = NULL;
    struct executor_times times = {0};
    struct oracle_found found;
    enum status st = deliver(oracle, c, &compared, err);

    if (!st)
        st = executor_run(oracle->executor, &run, &times, err);
    if (!st)
        st = collect(oracle, c, compared, &found, err);
    if (!st)
        *digest = oracle_comparison_digest(&found);
    return st;
}

enum status device_oracle_digest(void *device_oracle, const struct expected_comparison *comparison,
                                 uint64_t *digest, struct error *err)
{
    struct device_oracle *oracle = device_oracle;
    int64_t began_us = clock_now_us();
    enum status st;

    pthread_mutex_lock(&oracle->lock);
    oracle->has_imports |= comparison->handle != NULL;
    st = oracle_state_load(oracle, comparison->problem, comparison->graph, err);
    if (!st)
        st = digest_of(oracle, comparison, digest, err);
    if (st)
        oracle_state_unload(oracle);
    else if (!comparison->is_followed)
        oracle_state_make_room(oracle);
    pthread_mutex_unlock(&oracle->lock);
    log_line("%s: a digest took %.0f ms", comparison->graph->values.items[comparison->output].name,
             (double)(clock_now_us() - began_us) / 1000);
    return st;
}
