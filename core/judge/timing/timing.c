#include "core/judge/timing/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/judge/batches/launch_times.h"
#include "core/judge/batches/timing_batch.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/stats/stats.h"
#include "core/judge/timing/check_draws.h"
#include "core/judge/timing/timed_check.h"
#include "core/system/clock.h"
#include "core/system/log.h"

enum {
    BATCH_US = 20000,
    GPU_BATCH_US = 3000, /* a GPU's clock is finer */
    IDLE_RUNS = 4,
    LEAST_SAMPLES = 15,
    FEW_SAMPLES = 6,   /* the least whose range holds the median with 95 % */
    CLEAR_US = 250000, /* on a GPU: a ratio that is clear by then is not timed longer */
    SLOW_US = 200000,
    SLOW_GPU_US = 2000
};

/* The programs that can take turns. */
enum { PROGRAMS = 1 + TIMING_RIVALS };

static const struct rival {
    unsigned slot;
    size_t most_rounds;
} rivals[TIMING_RIVALS] = {
    [TIMING_BEST] = {SLOT_BEST, TIMING_MAX_ROUNDS},
    [TIMING_FIRST] = {SLOT_FIRST, 8},
};

/* The most that the batches of the first may take of the budget. */
static const double first_share = 0.25;

/* The least number of rounds is drawn, so that no candidate knows which round is the last. */
enum { LEAST_ROUNDS = 5, MORE_ROUNDS = 3 };

/* The state of a timing. */
struct stopwatch {
    const struct timing_request *request;
    struct verdict *verdict;
    struct timing_result *result;
    struct timed_checks checks;
    struct launch_times launches;
    struct check_draws draws;
    double data_us; /* wall-clock time of a run without launches */
    double idle_us; /* CPU time of the host's cores in it */
    double work_us; /* CPU time of a run beyond that, least of all rounds */
};

/*
 * The number of runs that makes a batch long enough for the clock, but short enough that progress
 * is reported often and that it fits into the time for timing.
 */
static size_t batch_size(const struct stopwatch *t, double run_us)
{
    double usual_us = t->request->cores ? BATCH_US : GPU_BATCH_US;
    double batch_us = fmin(usual_us, (double)t->request->budget_us);
    double runs = batch_us / (run_us + t->data_us);

    return runs < 1 ? 1 : runs > TIMING_BATCH_MAX ? TIMING_BATCH_MAX : (size_t)runs;
}

/* Make a run, and add its times to those of the batch. */
static enum status add_run(struct stopwatch *t, const struct executor_run *run,
                           struct timing_batch *batch, struct run_time *time, struct error *err)
{
    struct executor *executor = t->request->executor;
    struct executor_times times = {.each_us = run->times_each ? t->launches.last_us : NULL};
    double cpu_us = executor_cpu_us(executor);
    int64_t began_us = clock_now_us();
    enum status st = executor_run(executor, run, &times, err);

    batch->wall_us += (double)(clock_now_us() - began_us);
    batch->cpu_us += executor_cpu_us(executor) - cpu_us;
    batch->sum_us += times.span_us;
    batch->has_zero |= times.span_us <= 0;
    batch->runs++;
    if (!st && run->times_each)
        launch_times_note(&t->launches, t->result->rounds);
    if (times.work.threads > t->request->cores)
        times.work.threads = t->request->cores;
    *time = (struct run_time){times.span_us, times.work};
    return st;
}

/* While other programs empty the caches, repeat the run that was just made. */
static enum status repeat(const struct stopwatch *t, unsigned slot, struct timing_batch *batch,
                          const struct run_time *time, struct error *err)
{
    if (!timing_repeats_are_due(t->result->is_disturbed, t->request->budget_us))
        return STATUS_OK;
    return timing_repeats_take(t->request->executor, slot, time->work.total_us, &batch->repeats,
                               err);
}

/*
 * A warm-up run on new data, of a program that is not so slow that caches do not matter. On a GPU
 * making the data keeps the clock up, and displaces all caches; if the host makes them, the GPU
 * waits for so long that a run is no warmer for one before it.
 */
static enum status warm_up(struct stopwatch *t, unsigned slot, double run_us,
                           struct timing_batch *batch, struct error *err)
{
    const struct executor_run run = {.slot = slot,
                                     .input_seed = fill_secret_seed(),
                                     .poison = poison_draw(fill_secret_seed()),
                                     .is_watched = t->result->is_watched,
                                     .times_each = slot == SLOT_CANDIDATE && t->launches.are_aside};
    struct run_time time;
    bool is_slow = t->request->cores ? run_us >= SLOW_US : fmax(run_us, t->data_us) >= SLOW_GPU_US;

    return is_slow ? STATUS_OK : add_run(t, &run, batch, &time, err);
}

static void add_samples(struct timing_result *result, const struct timing_batch *batch)
{
    double sorted[TIMING_MAX_SAMPLES];

    for (size_t i = 0; i < batch->count && result->count < TIMING_MAX_SAMPLES; i++)
        result->samples[result->count++] = batch->times[i].us;
    for (size_t i = 0; i < result->count; i++)
        sorted[i] = result->samples[i];
    result->time = stats_median(sorted, result->count);
}

/* Measure a run without its launches. */
static enum status measure_idle(struct stopwatch *t, struct error *err)
{
    struct timing_batch batch = {0};
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < IDLE_RUNS; i++) {
        const struct executor_run run = {.slot = SLOT_CANDIDATE,
                                         .input_seed = fill_secret_seed(),
                                         .poison = poison_draw(fill_secret_seed()),
                                         .without_launches = true};
        struct run_time time;

        st = add_run(t, &run, &batch, &time, err);
    }
    if (t->request->cores)
        timing_result_look_ahead(t->result, t->request->executor);
    t->data_us = batch.wall_us / IDLE_RUNS;
    t->idle_us = batch.cpu_us / IDLE_RUNS;
    log_line("a run without launches: %.1f ms", t->data_us / 1000);
    return st;
}

/* Check a batch's times, and note the work of its runs. */
static void hold_against_clocks(struct stopwatch *t, const struct timing_batch *batch)
{
    timing_batch_check(batch, t->verdict);
    t->work_us = fmin(t->work_us, batch->cpu_us / (double)batch->runs - t->idle_us);
}

/*
 * Make a counted run of the candidate. If it is to be checked, check it and warm up again. The
 * executor learns after the run that it is collected.
 */
static enum status count_run(struct stopwatch *t, struct timing_batch *batch,
                             enum timed_check check, struct error *err)
{
    const struct expectation *known = check_draws_known(&t->draws, check);
    const struct executor_run run = {.slot = SLOT_CANDIDATE,
                                     .input_seed = known ? known->input_seed : fill_secret_seed(),
                                     .poison = poison_draw(fill_secret_seed()),
                                     .is_watched = t->result->is_watched,
                                     .times_each = !t->launches.are_aside};
    int64_t began_us;
    enum status st = add_run(t, &run, batch, &batch->times[batch->count], err);

    if (!st && (check == CHECK_NONE ||
                check_draws_one_in(2))) /* a run that is not repeated is checked, too */
        st = repeat(t, SLOT_CANDIDATE, batch, &batch->times[batch->count], err);
    batch->count++;
    if (st || check == CHECK_NONE)
        return st;
    batch->has_secret |= check == CHECK_AGAIN;
    t->draws.secrets += check == CHECK_AGAIN;
    began_us = clock_now_us();
    st = timed_check_run(&t->checks, check, known, run.input_seed, err);
    t->result->checks_us += clock_now_us() - began_us;
    if (st || t->draws.is_last || t->verdict->outcome != OUTCOME_NONE)
        return st;
    return warm_up(t, SLOT_CANDIDATE, batch->times[batch->count - 1].us, batch, err);
}

/* Time the launches if no warm-up run has. */
static enum status time_launches(struct stopwatch *t, struct timing_batch *batch, struct error *err)
{
    const struct executor_run run = {.slot = SLOT_CANDIDATE,
                                     .input_seed = fill_secret_seed(),
                                     .poison = poison_draw(fill_secret_seed()),
                                     .times_each = true};
    struct run_time time;

    return launch_times_are_due(&t->launches, t->result->rounds)
               ? add_run(t, &run, batch, &time, err)
               : STATUS_OK;
}

/* Time a round of the candidate. */
static enum status time_candidate(struct stopwatch *t, struct error *err)
{
    struct timing_result *result = t->result;
    double run_us = result->count ? result->time.median_us : t->request->expected_us;
    size_t count = batch_size(t, run_us);
    size_t chosen = check_draws_secret(&t->draws, count);
    struct timing_batch batch = {0};
    enum status st;

    t->launches.runs = 0;
    st = warm_up(t, SLOT_CANDIDATE, run_us, &batch, err);
    if (!st)
        st = time_launches(t, &batch, err);
    for (size_t i = 0; !st && i < count && t->verdict->outcome == OUTCOME_NONE; i++)
        st = count_run(t, &batch, check_draws_take(&t->draws, i, chosen, count), err);
    if (st || t->verdict->outcome != OUTCOME_NONE)
        return st;
    hold_against_clocks(t, &batch);
    t->draws.since_secret = batch.has_secret ? 0 : t->draws.since_secret + 1;
    timing_batch_keep(&batch, result->rounds, &result->own);
    add_samples(result, &batch);
    return st;
}

/* Time a round of a rival. */
static enum status time_rival(struct stopwatch *t, enum timing_rival rival, struct error *err)
{
    struct timing_result *result = t->result;
    size_t count = batch_size(t, t->request->rivals[rival].us);
    unsigned slot = rivals[rival].slot;
    struct timing_batch batch = {0};
    enum status st = warm_up(t, slot, t->request->rivals[rival].us, &batch, err);

    for (; !st && batch.count < count; batch.count++) {
        const struct executor_run run = {.slot = slot,
                                         .input_seed = fill_secret_seed(),
                                         .poison = poison_draw(fill_secret_seed()),
                                         .is_watched = result->is_watched};

        st = add_run(t, &run, &batch, &batch.times[batch.count], err);
        if (!st)
            st = repeat(t, slot, &batch, &batch.times[batch.count], err);
    }
    if (!st)
        timing_batch_keep(&batch, result->rounds, &result->rivals[rival]);
    else if (executor_outcome(t->request->executor) != OUTCOME_NONE)
        result->rival_failed = true;
    return result->rival_failed ? STATUS_OK : st;
}

/* Few samples end a timing if half their interval is at most this share of the precision. */
static const double share_of_few = 0.5;

/*
 * True if the median is certain. Samples of a kernel that takes a round of its own for each run are
 * few; on a GPU, whose times are steady, fewer are enough if their interval is much narrower than
 * it has to be. On a CPU a few samples in a row may be alike because of what else runs there.
 */
static bool is_precise(const struct stopwatch *t)
{
    const struct timing_result *result = t->result;
    double width = stats_relative_width(&result->time);

    if (result->count >= LEAST_SAMPLES)
        return width <= t->request->precision;
    return !t->request->cores && result->count >= FEW_SAMPLES &&
           width <= share_of_few * t->request->precision;
}

/*
 * The time limit. On a GPU it is short if the ratio to the best is clear by then: times of slow
 * kernels that vary by more than the precision would otherwise use up the limit without a change of
 * the decision.
 */
static int64_t limit_us(const struct stopwatch *t)
{
    int64_t usual_us = timing_result_budget_us(t->result, t->request->budget_us);
    bool is_short = !t->request->cores && usual_us > CLEAR_US &&
                    timing_result_is_clear(t->result, 2 * t->request->precision);

    return is_short ? CLEAR_US : usual_us;
}

/* True if the next round should be the last. */
static bool is_enough(const struct stopwatch *t, int64_t spent_us)
{
    const struct timing_result *result = t->result;
    int64_t budget_us = limit_us(t);

    if (result->rounds == TIMING_MAX_ROUNDS - 1 || result->count == TIMING_MAX_SAMPLES)
        return true;
    if (result->rounds < CHECK_DRAWS_ROUNDS)
        return false; /* there may have been no secret run yet */
    if (spent_us > budget_us &&
        (result->rounds >= t->draws.least_rounds || spent_us > 4 * budget_us))
        return true;
    return result->rounds >= t->draws.least_rounds && is_precise(t);
}

/*
 * Conclude the verdict if in every round the cores worked for much longer than all of them could in
 * the device's times. The work includes launches, and making data after a kernel has displaced the
 * cached data.
 */
static void judge_work(struct stopwatch *t)
{
    double span_us = t->result->time.median_us;
    double allowed_us =
        2 * span_us * t->request->cores + t->idle_us / 2 + 500 + 50 * (double)t->launches.launches;
    char span[FORMAT_SIZE], work[FORMAT_SIZE];

    if (t->request->cores && t->work_us < (double)INFINITY && t->work_us > allowed_us)
        verdict_conclude(t->verdict, OUTCOME_SUSPECT,
                         "the device reports %s for a run in which its cores worked for %s",
                         format_time(span, span_us), format_time(work, t->work_us));
}

/* The programs of the round: TIMING_RIVALS stands for the candidate.  Returns their number. */
static size_t list_programs(const struct stopwatch *t, unsigned programs[PROGRAMS])
{
    size_t count = 0;

    programs[count++] = TIMING_RIVALS;
    for (unsigned rival = 0; rival < TIMING_RIVALS; rival++)
        if (t->request->rivals[rival].us > 0 && t->result->rounds < rivals[rival].most_rounds)
            programs[count++] = rival;
    return count;
}

/*
 * Time all programs in turn. A later program finds other contents of the caches and another clock
 * rate. So each program has each place equally often and follows each other one: the first program
 * changes with each round, and the direction changes when each has been the first.
 */
static enum status time_round(struct stopwatch *t, struct error *err)
{
    unsigned programs[PROGRAMS];
    size_t count = list_programs(t, programs), round = t->result->rounds;
    size_t step = round / count % 2 ? count - 1 : 1;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < count && t->verdict->outcome == OUTCOME_NONE; i++) {
        unsigned program = programs[(round + i * step) % count];

        if (t->result->rival_failed)
            break;
        st = program == TIMING_RIVALS ? time_candidate(t, err)
                                      : time_rival(t, (enum timing_rival)program, err);
    }
    return st;
}

/* Time the baselines between two rounds. */
static enum status time_guests(struct stopwatch *t, struct error *err)
{
    const struct timing_guests *guests = &t->request->guests;
    int64_t began_us = clock_now_us();
    enum status st = guests->time ? guests->time(guests->data, t->result->rounds, err) : STATUS_OK;

    t->result->aside_us += clock_now_us() - began_us;
    if (st && executor_outcome(t->request->executor) != OUTCOME_NONE)
        t->result->rival_failed = true;
    return t->result->rival_failed ? STATUS_OK : st;
}

static enum status time_rounds(struct stopwatch *t, struct error *err)
{
    struct timing_result *result = t->result;
    int64_t began_us = clock_now_us();

    while (!t->draws.is_last) {
        enum status st;

        t->draws.is_last = is_enough(t, clock_now_us() - began_us - t->result->aside_us);
        st = time_round(t, err);
        if (!st && t->verdict->outcome == OUTCOME_NONE && !result->rival_failed)
            st = time_guests(t, err);
        if (st || t->verdict->outcome != OUTCOME_NONE || result->rival_failed)
            return st;
        result->rounds++;
        if (t->request->cores)
            timing_result_note_load(result, t->request->executor);
        t->request->progress(t->request->data, (unsigned)result->count, result->time.median_us);
    }
    return STATUS_OK;
}

static enum status finish_checks(struct stopwatch *t, struct error *err)
{
    int64_t began_us = clock_now_us();
    enum status st = timed_checks_finish(&t->checks, err);

    t->result->checks_us += clock_now_us() - began_us;
    return st;
}

enum status timing_run(const struct timing_request *request, struct verdict *verdict,
                       struct timing_result *result, struct error *err)
{
    size_t launches = request->inspection->dispatch->launches.count;
    struct stopwatch t = {
        .request = request,
        .verdict = verdict,
        .result = result,
        .checks = {.inspection = request->inspection,
                   .verdict = verdict,
                   .sample = &result->sample,
                   .most_different = request->sample,
                   .verify = request->verify,
                   .data = request->data,
                   .aside_us = &result->aside_us},
        .draws = {.known = request->secrets,
                  .sample = request->sample,
                  .least_rounds = LEAST_ROUNDS + fill_secret_seed() % (MORE_ROUNDS + 1)},
        .work_us = (double)INFINITY};
    enum status st;

    result->sample = sampled_runs_make(request->sample, request->inspection);
    timing_result_begin(result, request->core_share, request->rivals);
    result->each_us = mem_alloc_zeroed(TIMING_MAX_ROUNDS * launches, sizeof(*result->each_us));
    launch_times_begin(&t.launches, launches, request->cores, result->each_us);
    timing_result_begin_rounds(result, request->executor);
    st = measure_idle(&t, err);
    if (!st)
        st = time_rounds(&t, err);
    if (!st && verdict->outcome == OUTCOME_NONE && !result->rival_failed)
        st = finish_checks(&t, err);
    timed_checks_release(&t.checks);
    if (!st && verdict->outcome == OUTCOME_NONE && !result->rival_failed)
        judge_work(&t);
    launch_times_release(&t.launches);
    return st;
}

bool timing_can_afford(const struct timing_request *request, enum timing_rival rival)
{
    double runs = 2 * (double)rivals[rival].most_rounds; /* a warm-up and a counted run in each */

    return rival == TIMING_BEST ||
           runs * request->rivals[rival].us <= first_share * (double)request->budget_us;
}
