#include "core/judge/stats/baseline.h"

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

struct estimate baseline_estimate(const struct baseline *baseline)
{
    double sorted[BASELINE_SAMPLES];
    size_t count = baseline->count < BASELINE_SAMPLES ? baseline->count : BASELINE_SAMPLES;

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
