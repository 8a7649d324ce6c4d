#include "core/judge/stats/baseline.h"

#include <math.h>

#include "core/base/mem.h"

static const double share = 0.05; /* share of the judging time that a baseline may use */

/* The first time, fewer samples than BASELINE_FIRST are enough if they take this long together. */
enum { FIRST_LIMIT_US = 1000000, FIRST_LEAST = 2 };

static bool is_first_time(const struct baseline *baseline)
{
    if (baseline->count < FIRST_LEAST)
        return true;
    return baseline->count < BASELINE_FIRST &&
           (double)baseline->count * baseline->cost_us < FIRST_LIMIT_US;
}

void baseline_allow(struct baseline *baseline, double elapsed_us)
{
    double most_us = BASELINE_FIRST * baseline->cost_us;

    baseline->credit_us += share * elapsed_us;
    if (baseline->credit_us > most_us)
        baseline->credit_us = most_us;
}

bool baseline_is_due(const struct baseline *baseline)
{
    if (baseline->is_broken)
        return false;
    return is_first_time(baseline) || baseline->credit_us >= baseline->cost_us;
}

void baseline_add(struct baseline *baseline, double us, double cost_us)
{
    baseline->samples[baseline->count++ % BASELINE_SAMPLES] = us;
    baseline->cost_us = cost_us;
    baseline->credit_us = baseline->credit_us > cost_us ? baseline->credit_us - cost_us : 0;
}

static size_t sample_count(const struct baseline *baseline)
{
    return baseline->count < BASELINE_SAMPLES ? baseline->count : BASELINE_SAMPLES;
}

enum status baseline_check(const struct baseline *baseline, double least_us, struct error *why)
{
    double median_us;

    for (size_t i = 0; i < sample_count(baseline); i++)
        if (!isfinite(baseline->samples[i]))
            return error_set(why, STATUS_INVALID, "a run took %g us, which is no time",
                             baseline->samples[i]);
    median_us = baseline_estimate(baseline).median_us;
    if (median_us <= 0)
        return error_set(why, STATUS_INVALID, "its time is %.3g us: the clock did not see its work",
                         median_us);
    if (median_us < least_us)
        return error_set(why, STATUS_INVALID,
                         "its time is %.3g us, but nothing correct takes less than %.3g us: the "
                         "clock did not see its work",
                         median_us, least_us);
    return STATUS_OK;
}

struct estimate baseline_estimate(const struct baseline *baseline)
{
    double sorted[BASELINE_SAMPLES];
    size_t count = sample_count(baseline);

    for (size_t i = 0; i < count; i++)
        sorted[i] = baseline->samples[i];
    return stats_median(sorted, count);
}

struct comparison baseline_compare(const struct baseline *baseline, const struct estimate *own)
{
    struct estimate other = baseline_estimate(baseline);

    return (struct comparison){
        .name = mem_strdup(baseline->name),
        .time = other,
        .speedup = other.median_us / own->median_us,
        .speedup_low = other.low_us / own->high_us,
        .speedup_high = other.high_us / own->low_us,
    };
}
