#include "core/judge/timing.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/judge/stats.h"

enum { BATCH_US = 8000, BATCH_MAX = 64, LEAST_SAMPLES = 15, LEAST_ROUNDS = 6 };

static size_t batch_size(double run_us)
{
    double runs = run_us > 0 ? BATCH_US / run_us : BATCH_MAX;

    return runs < 1 ? 1 : runs > BATCH_MAX ? BATCH_MAX : (size_t)runs;
}

/*
 * Runs in a row, after one that does not count: another candidate had the
 * caches before it.  Run `secret` gets `seed` and is copied; none does when it
 * is not below `count`.
 */
struct batch {
    unsigned slot;
    size_t count, secret;
    uint64_t seed;
};

static enum status run_batch(struct executor *executor, const struct batch *batch, double *spans_us,
                             struct error *err)
{
    uint64_t seeds[1 + BATCH_MAX];
    double all_us[1 + BATCH_MAX];
    enum status st;

    for (size_t i = 0; i <= batch->count; i++)
        seeds[i] = i == 1 + batch->secret ? batch->seed : pool_fresh_seed();
    st = executor_time(executor, batch->slot, seeds, 1 + batch->count, 1 + batch->secret, all_us,
                       err);
    if (!st)
        memcpy(spans_us, all_us + 1, batch->count * sizeof(*spans_us));
    return st;
}

/* The device cannot have worked longer than the judge waited. */
static bool fits_wall_clock(const double *spans_us, size_t count, int64_t wall_us)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        if (spans_us[i] <= 0)
            return false;
        sum += spans_us[i];
    }
    return sum <= (double)wall_us;
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

/* One batch of the candidate, with its secret run looked at. */
static enum status time_candidate(const struct timing_request *r, struct verdict *verdict,
                                  struct timing_result *result, struct error *err)
{
    size_t count = batch_size(result->count ? result->time.median_us : r->expected_us);
    struct batch batch = {.slot = SLOT_CANDIDATE,
                          .count = count,
                          .secret = (size_t)(pool_fresh_seed() % count),
                          .seed = r->inspection->expectation->seed};
    double spans_us[BATCH_MAX];
    int64_t began_us = clock_now_us();
    enum status st = run_batch(r->executor, &batch, spans_us, err);

    if (st)
        return st;
    if (!fits_wall_clock(spans_us, count, clock_now_us() - began_us))
        verdict_conclude(verdict, OUTCOME_SUSPECT, "the device's times do not fit the wall clock");
    else if (inspect_run(r->inspection, verdict)) {
        result->own_rounds[result->rounds] = median_of(spans_us, count);
        add_samples(result, spans_us, count);
    }
    return STATUS_OK;
}

static enum status time_best(const struct timing_request *r, struct timing_result *result,
                             struct error *err)
{
    size_t count = batch_size(r->best_us);
    struct batch batch = {.slot = SLOT_BEST, .count = count, .secret = count};
    double spans_us[BATCH_MAX];
    enum status st = run_batch(r->executor, &batch, spans_us, err);

    if (!st)
        result->best_rounds[result->rounds] = median_of(spans_us, count);
    return st;
}

static bool is_enough(const struct timing_request *r, const struct timing_result *result,
                      int64_t spent_us)
{
    if (result->rounds == TIMING_MAX_ROUNDS || result->count == TIMING_MAX_SAMPLES)
        return true;
    if (spent_us > r->budget_us && (result->rounds >= LEAST_ROUNDS || spent_us > 4 * r->budget_us))
        return true;
    return result->count >= LEAST_SAMPLES && result->rounds >= LEAST_ROUNDS &&
           stats_relative_width(&result->time) <= r->precision;
}

/* Both in turn, and each is first as often: what comes second finds other caches and clocks. */
static enum status time_round(const struct timing_request *r, struct verdict *verdict,
                              struct timing_result *result, struct error *err)
{
    bool is_second = r->best_us > 0 && result->rounds % 2 == 1;
    enum status st = is_second ? time_best(r, result, err) : STATUS_OK;

    if (!st)
        st = time_candidate(r, verdict, result, err);
    if (!st && r->best_us > 0 && !is_second)
        st = time_best(r, result, err);
    return st;
}

enum status timing_run(const struct timing_request *request, struct verdict *verdict,
                       struct timing_result *result, struct error *err)
{
    int64_t began_us = clock_now_us();
    enum status st = STATUS_OK;

    while (!st && verdict->outcome == OUTCOME_NONE &&
           !is_enough(request, result, clock_now_us() - began_us)) {
        st = time_round(request, verdict, result, err);
        result->rounds++;
        request->progress(request->data, (unsigned)result->count, result->time.median_us);
    }
    return st;
}
