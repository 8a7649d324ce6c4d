#include "core/judge/stats/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/mem.h"

static const double share = 0.05; /* share of the judging time that a baseline may use */

/*
 * In the first evaluation, fewer samples than BASELINE_ROUNDS are enough if together they take this
 * long.
 */
enum { FIRST_LIMIT_US = 1000000, FIRST_LEAST = 2 };

void baseline_begin(struct baseline *baseline)
{
    baseline->rounds.count = baseline->fresh = 0;
    baseline->is_placed = false;
}

void baseline_restart(struct baseline *baseline)
{
    baseline->count = 0;
}

static bool is_first_time(const struct baseline *baseline)
{
    size_t taken = baseline->count + baseline->rounds.count;

    if (taken < FIRST_LEAST)
        return true;
    return taken < BASELINE_ROUNDS &&
           (double)taken * baseline->cost_us <
               (baseline->first_us > 0 ? baseline->first_us : FIRST_LIMIT_US);
}

void baseline_allow(struct baseline *baseline, double elapsed_us)
{
    double most_us = baseline->place_us + BASELINE_ROUNDS * baseline->cost_us;

    baseline->credit_us += share * elapsed_us;
    if (baseline->credit_us > most_us)
        baseline->credit_us = most_us;
}

/* The time that preparing the baseline and taking another sample will take. */
static double next_us(const struct baseline *baseline)
{
    return baseline->cost_us + (baseline->is_placed ? 0 : baseline->place_us);
}

bool baseline_is_due(const struct baseline *baseline)
{
    if (baseline->is_broken || baseline->rounds.count == BASELINE_SAMPLES)
        return false;
    return is_first_time(baseline) || baseline->credit_us >= next_us(baseline);
}

static void spend(struct baseline *baseline, double us)
{
    baseline->credit_us = baseline->credit_us > us ? baseline->credit_us - us : 0;
}

void baseline_place(struct baseline *baseline, double place_us)
{
    baseline->place_us = place_us;
    baseline->is_placed = true;
    spend(baseline, place_us);
}

void baseline_add(struct baseline *baseline, size_t round, const struct run_time *runs,
                  size_t count, double cost_us)
{
    program_rounds_add(&baseline->rounds, round, runs, count);
    baseline->cost_us = cost_us;
    spend(baseline, cost_us);
}

/* The ratios by round, for each part of what other programs cost. */
struct round_ratios {
    double theirs[PROGRAM_ROUNDS_MAX]; /* times */
    double ratios[REFILLS][PROGRAM_ROUNDS_MAX];
    size_t count;
    double slowdown, own_slowdown;
};

/* From all runs. */
static void pair_rounds(const struct baseline *baseline, const struct program_rounds *own,
                        bool is_busy, struct round_ratios *made)
{
    double ours[PROGRAM_ROUNDS_MAX];
    double refill_us = program_rounds_refill_us(own);

    made->count = program_rounds_pair(own, &baseline->rounds, is_busy, ours, made->theirs);
    made->slowdown = program_rounds_slowdown(&baseline->rounds);
    made->own_slowdown = program_rounds_slowdown(own);
    for (size_t i = 0; i < made->count; i++)
        for (unsigned refill = 0; refill < REFILLS; refill++)
            made->ratios[refill][i] = stats_refilled(made->theirs[i], refill_us, refill) /
                                      stats_refilled(ours[i], refill_us, refill);
}

/* From repeated runs if there are enough of them; their times count as before. */
static void pair_repeated(const struct baseline *baseline, const struct program_rounds *own,
                          struct round_ratios *made)
{
    double ratios[REFILLS][PROGRAM_ROUNDS_MAX];
    size_t count = own->is_disturbed ? program_rounds_repeated(own, &baseline->rounds, ratios) : 0;

    if (!count)
        return;
    memcpy(made->ratios, ratios, sizeof(ratios));
    made->count = count;
    made->slowdown = made->own_slowdown = 1;
}

void baseline_fold(struct baseline *baseline, const struct program_rounds *own, bool is_busy,
                   double time)
{
    struct round_ratios *made = mem_alloc_zeroed(1, sizeof(*made));

    baseline->rounds.is_disturbed = own->is_disturbed;
    pair_rounds(baseline, own, is_busy, made);
    pair_repeated(baseline, own, made);
    for (size_t i = 0; i < made->count; i++) {
        size_t at = baseline->count++ % BASELINE_SAMPLES;

        baseline->samples[at] = made->theirs[i];
        baseline->slowdowns[at] = made->slowdown;
        baseline->own_slowdowns[at] = made->own_slowdown;
        for (unsigned refill = 0; refill < REFILLS; refill++)
            baseline->relative[refill][at] = made->ratios[refill][i] * time;
    }
    baseline->fresh = made->count;
    baseline->rounds.count = 0;
    free(made);
}

static size_t sample_count(const struct baseline *baseline)
{
    return baseline->count < BASELINE_SAMPLES ? baseline->count : BASELINE_SAMPLES;
}

static struct estimate median_of(const struct baseline *baseline, const double *values)
{
    double sorted[BASELINE_SAMPLES];
    size_t count = sample_count(baseline);

    for (size_t i = 0; i < count; i++)
        sorted[i] = values[i];
    return stats_ratio(sorted, count);
}

struct estimate baseline_relative(const struct baseline *baseline)
{
    struct estimate parts[REFILLS];

    for (unsigned refill = 0; refill < REFILLS; refill++)
        parts[refill] = median_of(baseline, baseline->relative[refill]);
    return stats_enclose(parts);
}

enum status baseline_check(const struct baseline *baseline, double least_us, struct error *why)
{
    char median[FORMAT_SIZE], least[FORMAT_SIZE];
    double median_us;

    for (size_t i = 0; i < sample_count(baseline); i++)
        if (!isfinite(baseline->samples[i]))
            return error_set(why, STATUS_INVALID, "a run took %g us, which cannot be a time",
                             baseline->samples[i]);
    median_us = median_of(baseline, baseline->samples).median_us;
    if (median_us <= 0)
        return error_set(why, STATUS_INVALID,
                         "its time is %.3g us: the clock did not measure its work", median_us);
    if (median_us < least_us)
        return error_set(why, STATUS_INVALID,
                         "its time is %s, but nothing correct takes less than %s: the clock did "
                         "not measure its work",
                         format_time(median, median_us), format_time(least, least_us));
    return STATUS_OK;
}

struct comparison baseline_compare(const struct baseline *baseline,
                                   const struct baseline_scale *scale, const struct estimate *own)
{
    struct estimate relative = baseline_relative(baseline);
    double slowdown = median_of(baseline, baseline->slowdowns).median_us,
           own_slowdown = median_of(baseline, baseline->own_slowdowns).median_us;
    bool is_fresh = baseline->fresh >= sample_count(baseline);
    struct comparison made = {
        .name = mem_strdup(baseline->name),
        .speedup = relative.median_us / scale->time,
        .speedup_low = relative.low_us / scale->time * (is_fresh ? 1 : scale->low) / slowdown,
        .speedup_high =
            relative.high_us / scale->time * (is_fresh ? 1 : scale->high) * own_slowdown,
    };

    stats_scale_time(own, &made);
    return made;
}
