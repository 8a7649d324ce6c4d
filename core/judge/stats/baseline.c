#include "core/judge/stats/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/judge/stats/load_ratio.h"

static const double share = 0.05; /* share of the judging time that a baseline may use */

/*
 * In the first evaluation, fewer samples than BASELINE_ROUNDS are enough if together they take this
 * long.
 */
enum { FIRST_LIMIT_US = 1000000, FIRST_LEAST = 2 };

void baseline_begin(struct baseline *baseline)
{
    program_rounds_clear(&baseline->rounds);
    baseline->fresh = 0;
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

/* Add a sample; `ratio` is that to the candidate. */
static void add_sample(struct baseline *baseline, double us, const struct estimate *ratio,
                       double time)
{
    size_t at = baseline->count++ % BASELINE_SAMPLES;

    baseline->samples[at] = us;
    baseline->relative[BASELINE_LOW][at] = ratio->low_us * time;
    baseline->relative[BASELINE_MIDDLE][at] = ratio->median_us * time;
    baseline->relative[BASELINE_HIGH][at] = ratio->high_us * time;
}

/* One ratio by round. */
static void fold_quiet(struct baseline *baseline, const double *own, const double *other,
                       size_t count, double time)
{
    for (size_t i = 0; i < count; i++) {
        double ratio = other[i] / own[i];

        add_sample(baseline, other[i], &(struct estimate){ratio, ratio, ratio}, time);
    }
}

void baseline_fold(struct baseline *baseline, const struct program_rounds *own, bool is_busy,
                   double time)
{
    double ours[PROGRAM_ROUNDS_MAX], theirs[PROGRAM_ROUNDS_MAX];
    size_t count = program_rounds_pair(own, &baseline->rounds, is_busy, ours, theirs);
    struct estimate ratio;

    baseline->rounds.load = own->load;
    if (own->load.is_disturbed) {
        ratio = load_ratio(own, &baseline->rounds);
        for (size_t i = 0; i < count; i++)
            add_sample(baseline, theirs[i], &ratio, time);
    } else {
        fold_quiet(baseline, ours, theirs, count, time);
    }
    baseline->fresh = count;
    program_rounds_clear(&baseline->rounds);
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
    struct estimate made = median_of(baseline, baseline->relative[BASELINE_MIDDLE]);

    made.low_us = fmin(made.low_us, median_of(baseline, baseline->relative[BASELINE_LOW]).low_us);
    made.high_us =
        fmax(made.high_us, median_of(baseline, baseline->relative[BASELINE_HIGH]).high_us);
    return made;
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

/* How far an end of the interval is from the ratio, as a factor with the unseen part. */
static double reach_of(double factor, double unseen)
{
    return exp(hypot(log(factor), unseen));
}

static void widen(struct comparison *made, double unseen)
{
    made->speedup_low = made->speedup / reach_of(made->speedup / made->speedup_low, unseen);
    made->speedup_high = made->speedup * reach_of(made->speedup_high / made->speedup, unseen);
}

struct comparison baseline_compare(const struct baseline *baseline,
                                   const struct baseline_scale *scale, const struct estimate *own)
{
    struct estimate relative = baseline_relative(baseline);
    bool is_fresh = baseline->fresh >= sample_count(baseline);
    struct comparison made = {
        .name = mem_strdup(baseline->name),
        .speedup = relative.median_us / scale->time,
        .speedup_low = relative.low_us / scale->time * (is_fresh ? 1 : scale->low),
        .speedup_high = relative.high_us / scale->time * (is_fresh ? 1 : scale->high),
    };

    if (scale->unseen > 0)
        widen(&made, scale->unseen);
    stats_scale_time(own, &made);
    return made;
}
