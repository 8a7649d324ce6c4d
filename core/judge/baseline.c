#include "core/judge/baseline.h"

#include "core/base/mem.h"

void baseline_add(struct baseline *baseline, double us)
{
    baseline->samples[baseline->count++ % BASELINE_SAMPLES] = us;
}

unsigned baseline_wanted(const struct baseline *baseline)
{
    return baseline->count < BASELINE_FIRST ? BASELINE_FIRST : 1;
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
