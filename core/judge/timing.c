#include "core/judge/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/stats/stats.h"
#include "core/model/baseline_label.h"
#include "core/system/clock.h"

enum { BATCH_US = 20000, BATCH_MAX = 64, IDLE_RUNS = 4, LEAST_SAMPLES = 15, LEAST_ROUNDS = 6 };

/* In each group of this many rounds, one round, drawn at random, has a secret run. */
enum { ROUNDS_PER_SECRET = 3 };

/* The state of a timing. */
struct stopwatch {
    const struct timing_request *request;
    struct verdict *verdict;
    struct timing_result *result;
    size_t launches;
    size_t secret_round; /* next round with a secret run */
    size_t secrets;      /* number of secret runs so far */
    bool is_last;        /* the current round is the last */
    double data_us;      /* wall-clock time of a run without launches */
    double idle_us;      /* CPU time of the host's cores in it */
    double work_us;      /* CPU time of a run beyond that, least of all rounds */
};

/* The first run of a batch is not counted: the other program has left its data in the caches. */
enum { WARM_UP = 1, BATCH_RUNS_MAX = WARM_UP + BATCH_MAX };

/*
 * The number of runs that makes a batch long enough for the clock, but short enough that progress
 * is reported often.
 */
static size_t batch_size(const struct stopwatch *t, double run_us)
{
    double runs = BATCH_US / (run_us + t->data_us);

    return runs < 1 ? 1 : runs > BATCH_MAX ? BATCH_MAX : (size_t)runs;
}

/*
 * Run a batch on new data. Run number `collect`, after which the buffers are copied, uses `seed`.
 */
static enum status run_batch(struct stopwatch *t, struct executor_batch *batch, uint64_t seed,
                             struct executor_times *times, struct error *err)
{
    uint64_t seeds[BATCH_RUNS_MAX];

    for (size_t i = 0; i < batch->count; i++)
        seeds[i] = i == batch->collect ? seed : fill_secret_seed();
    batch->input_seeds = seeds;
    return executor_run(t->request->executor, batch, times, err);
}

static double median_of(const double *spans_us, size_t count)
{
    double sorted[BATCH_MAX];

    for (size_t i = 0; i < count; i++)
        sorted[i] = spans_us[i];
    return stats_median(sorted, count).median_us;
}

static void add_samples(struct timing_result *result, const double *spans_us, size_t count)
{
    double sorted[TIMING_MAX_SAMPLES];

    for (size_t i = 0; i < count && result->count < TIMING_MAX_SAMPLES; i++)
        result->samples[result->count++] = spans_us[i];
    for (size_t i = 0; i < result->count; i++)
        sorted[i] = result->samples[i];
    result->time = stats_median(sorted, result->count);
}

/* Verify the secret run against its expected values. */
static void check_known(struct stopwatch *t, const struct expectation *known)
{
    struct inspection in = *t->request->inspection;

    in.expected = known;
    in.input_seed = known->input_seed;
    in.is_timed = true;
    (void)inspect_run(&in, t->verdict);
}

/*
 * Repeat the secret run with wiped scratch, and compare the two. A candidate that remembers results
 * in variables of its program passes this check; secret runs with expected values and the sampled
 * run are there to find it.
 */
static enum status check_again(struct stopwatch *t, uint64_t seed, struct error *err)
{
    struct inspection in = *t->request->inspection;
    const unsigned timed = in.side;
    const struct executor_batch again = {.slot = SLOT_CANDIDATE,
                                         .input_seeds = &seed,
                                         .count = 1,
                                         .side = !timed,
                                         .with_prepare = true,
                                         .param_seed = in.param_seed};
    double span_us;
    struct executor_times times = {.spans_us = &span_us};
    enum status st;

    if (!inspect_surroundings(&in, t->verdict))
        return STATUS_OK;
    sampled_run_consider(&t->result->sampled_run, &in, seed);
    st = executor_run(t->request->executor, &again, &times, err);
    in.input_seed = seed;
    in.side = !timed;
    if (!st && inspect_surroundings(&in, t->verdict))
        (void)inspect_before(&in, timed, " in a timed run", t->verdict);
    return st;
}

static enum status check_secret(struct stopwatch *t, const struct expectation *known, uint64_t seed,
                                struct error *err)
{
    t->secrets++;
    if (!known)
        return check_again(t, seed, err);
    check_known(t, known);
    return STATUS_OK;
}

/* Measure a run without its launches. */
static enum status measure_idle(struct stopwatch *t, struct error *err)
{
    struct executor_batch batch = {
        .slot = SLOT_CANDIDATE, .count = IDLE_RUNS, .collect = IDLE_RUNS, .without_launches = true};
    double spans_us[IDLE_RUNS], cpu_us = executor_cpu_us(t->request->executor);
    struct executor_times times = {.spans_us = spans_us};
    int64_t began_us = clock_now_us();
    enum status st = run_batch(t, &batch, 0, &times, err);

    t->data_us = (double)(clock_now_us() - began_us) / IDLE_RUNS;
    t->idle_us = (executor_cpu_us(t->request->executor) - cpu_us) / IDLE_RUNS;
    return st;
}

/* The judge's own measurements of a batch. */
struct clocks {
    double wall_us; /* time that the judge waited */
    double cpu_us;  /* CPU time of the executor on the host's cores */
};

/* Conclude the verdict if the device reports more time than the judge waited. */
static void hold_against_clocks(struct stopwatch *t, const struct executor_batch *batch,
                                const double *spans_us, const struct clocks *clocks)
{
    double sum_us = 0, work_us = clocks->cpu_us / (double)batch->count - t->idle_us;
    bool has_zero = false;

    for (size_t i = 0; i < batch->count; i++) {
        has_zero |= spans_us[i] <= 0;
        sum_us += spans_us[i];
    }
    if (has_zero || sum_us > clocks->wall_us)
        verdict_conclude(
            t->verdict, OUTCOME_SUSPECT,
            "the device reports %.4g us for %zu runs, but the judge waited only %.4g us", sum_us,
            batch->count, clocks->wall_us);
    if (batch->collect == batch->count &&
        work_us < t->work_us) /* a batch with a copy does other work as well */
        t->work_us = work_us;
}

/*
 * Draw the secret run of a batch. In the last round it is the last run, so that a candidate that
 * misbehaves from some run on is found.
 */
static size_t choose_secret(const struct stopwatch *t, size_t count)
{
    return WARM_UP + (t->is_last ? count - 1 : fill_secret_seed() % count);
}

/* The expected values of the next secret run: the first and the last have them, others do not. */
static const struct expectation *known_secret(const struct stopwatch *t)
{
    if (t->is_last)
        return t->request->secrets[EXPECTATIONS_SECRETS - 1];
    return t->secrets < EXPECTATIONS_SECRETS - 1 ? t->request->secrets[t->secrets] : NULL;
}

/* Time a round of the candidate. If it is the round's turn, inspect a secret run. */
static enum status time_candidate(struct stopwatch *t, struct error *err)
{
    struct timing_result *result = t->result;
    size_t count = batch_size(t, result->count ? result->time.median_us : t->request->expected_us);
    bool has_secret = result->rounds == t->secret_round;
    struct executor_batch batch = {.slot = SLOT_CANDIDATE,
                                   .count = WARM_UP + count,
                                   .side = t->request->inspection->side,
                                   .collect =
                                       has_secret ? choose_secret(t, count) : WARM_UP + count};
    double spans_us[BATCH_RUNS_MAX];
    struct executor_times times = {.spans_us = spans_us,
                                   .each_us = result->each_us + result->rounds * t->launches};
    const struct expectation *known = known_secret(t);
    uint64_t seed = known ? known->input_seed : fill_secret_seed();
    double cpu_us = executor_cpu_us(t->request->executor);
    int64_t began_us = clock_now_us();
    enum status st = run_batch(t, &batch, seed, &times, err);
    struct clocks clocks = {.wall_us = (double)(clock_now_us() - began_us),
                            .cpu_us = executor_cpu_us(t->request->executor) - cpu_us};

    if (st)
        return st;
    hold_against_clocks(t, &batch, spans_us, &clocks);
    if (has_secret && t->verdict->outcome == OUTCOME_NONE)
        st = check_secret(t, known, seed, err);
    result->own_rounds[result->rounds] = median_of(spans_us + WARM_UP, count);
    add_samples(result, spans_us + WARM_UP, count);
    return st;
}

static enum status time_best(struct stopwatch *t, struct error *err)
{
    size_t count = batch_size(t, t->request->best_us);
    struct executor_batch batch = {
        .slot = SLOT_BEST, .count = WARM_UP + count, .collect = WARM_UP + count};
    double spans_us[BATCH_RUNS_MAX];
    struct executor_times times = {.spans_us = spans_us};
    enum status st = run_batch(t, &batch, 0, &times, err);

    if (!st)
        t->result->best_rounds[t->result->rounds] = median_of(spans_us + WARM_UP, count);
    else if (executor_outcome(t->request->executor) != OUTCOME_NONE)
        t->result->best_failed = true;
    return t->result->best_failed ? STATUS_OK : st;
}

/* Draw the next round with a secret run; the last round always has one. */
static void draw_secret(struct stopwatch *t)
{
    if (t->is_last)
        t->secret_round = t->result->rounds;
    else if (t->result->rounds % ROUNDS_PER_SECRET == 0)
        t->secret_round = t->result->rounds + fill_secret_seed() % ROUNDS_PER_SECRET;
}

/* True if the next round should be the last. */
static bool is_enough(const struct stopwatch *t, int64_t spent_us)
{
    const struct timing_result *result = t->result;

    if (result->rounds == TIMING_MAX_ROUNDS - 1 || result->count == TIMING_MAX_SAMPLES)
        return true;
    if (result->rounds == 0 || result->rounds % ROUNDS_PER_SECRET != 0)
        return false; /* this group may have had no secret run yet */
    if (spent_us > t->request->budget_us &&
        (result->rounds >= LEAST_ROUNDS || spent_us > 4 * t->request->budget_us))
        return true;
    return result->count >= LEAST_SAMPLES && result->rounds >= LEAST_ROUNDS &&
           stats_relative_width(&result->time) <= t->request->precision;
}

/*
 * Conclude the verdict if in every round the cores worked for much longer than the device's times
 * explain on all cores. Launches count as work too, and so does making data after a kernel has
 * emptied the caches.
 */
static void judge_work(struct stopwatch *t)
{
    double span_us = t->result->time.median_us;
    double allowed_us =
        2 * span_us * t->request->cores + t->idle_us / 2 + 500 + 50 * (double)t->launches;

    if (t->request->cores && t->work_us < (double)INFINITY && t->work_us > allowed_us)
        verdict_conclude(
            t->verdict, OUTCOME_SUSPECT,
            "the device reports %.4g us for a run in which its cores worked for %.4g us", span_us,
            t->work_us);
}

/*
 * Time both programs in turn. Each is first equally often, because the second finds other contents
 * of the caches and another clock rate.
 */
static enum status time_round(struct stopwatch *t, struct error *err)
{
    bool has_best = t->request->best_us > 0, best_first = has_best && t->result->rounds % 2 == 1;
    enum status st = best_first ? time_best(t, err) : STATUS_OK;

    if (!st && !t->result->best_failed)
        st = time_candidate(t, err);
    if (!st && t->verdict->outcome == OUTCOME_NONE && has_best && !best_first)
        st = time_best(t, err);
    return st;
}

enum status timing_run(const struct timing_request *request, struct verdict *verdict,
                       struct timing_result *result, struct error *err)
{
    struct stopwatch t = {.request = request,
                          .verdict = verdict,
                          .result = result,
                          .launches = request->inspection->dispatch->launches.count,
                          .work_us = (double)INFINITY};
    int64_t began_us = clock_now_us();
    enum status st = measure_idle(&t, err);

    result->each_us = mem_alloc_zeroed(TIMING_MAX_ROUNDS * t.launches, sizeof(*result->each_us));
    while (!st && !t.is_last) {
        t.is_last = is_enough(&t, clock_now_us() - began_us);
        draw_secret(&t);
        st = time_round(&t, err);
        if (st || verdict->outcome != OUTCOME_NONE || result->best_failed)
            return st;
        result->rounds++;
        request->progress(request->data, (unsigned)result->count, result->time.median_us);
    }
    if (!st)
        judge_work(&t);
    return st;
}

/* The median time of launch `index` over the rounds. */
static double launch_us(const struct timing_result *result, size_t index, size_t launches)
{
    double rounds_us[TIMING_MAX_ROUNDS];

    for (size_t r = 0; r < result->rounds; r++)
        rounds_us[r] = result->each_us[r * launches + index];
    return stats_median(rounds_us, result->rounds).median_us;
}

static void keep_launches(const struct timing_result *result, const struct launch_list *launches,
                          struct verdict *verdict)
{
    for (size_t i = 0; i < launches->count; i++) {
        struct kernel_time time = {.kernel = mem_strdup(launches->items[i].kernel),
                                   .median_us = launch_us(result, i, launches->count)};

        vec_push(&verdict->timing.per_kernel, time);
    }
}

static void compare_best(const struct timing_result *result, struct verdict *verdict)
{
    double best[TIMING_MAX_ROUNDS];
    struct comparison comparison = {.name = mem_strdup(BASELINE_BEST)};

    memcpy(best, result->best_rounds, result->rounds * sizeof(*best));
    comparison.time = stats_median(best, result->rounds);
    stats_speedup(result->own_rounds, result->best_rounds, result->rounds, &comparison);
    vec_push(&verdict->against, comparison);
}

void timing_keep(const struct timing_request *request, const struct timing_result *result,
                 struct verdict *verdict)
{
    struct timing *timing = &verdict->timing;
    double sorted[TIMING_MAX_SAMPLES];

    memcpy(sorted, result->samples, result->count * sizeof(*sorted));
    timing->time = stats_median(sorted, result->count);
    timing->p10_us = stats_quantile(sorted, result->count, 0.1);
    timing->p90_us = stats_quantile(sorted, result->count, 0.9);
    timing->runs = (unsigned)result->count;
    timing->is_present = true;
    keep_launches(result, &request->inspection->dispatch->launches, verdict);
    if (request->best_us > 0)
        compare_best(result, verdict);
}

void timing_release(struct timing_result *result)
{
    free(result->each_us);
    result->each_us = NULL;
    sampled_run_release(&result->sampled_run);
}
