#include "core/judge/stats/stats.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void stats_sort(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof(*numbers), compare_doubles);
}

/*
 * The largest rank k, counted from 1, for which the k-th lowest and the k-th highest of `count`
 * samples enclose the median with 95 %; 1 if none does. The k-th lowest is above the median if
 * fewer than k samples are below it, and their number is binomial with p = 1/2.
 */
static size_t interval_rank(size_t count)
{
    const double tail = 0.025;
    double n = (double)count, below = 0;
    double log_chance = -n * log(2); /* of exactly k samples; a logarithm, since 2^-n underflows */
    size_t k = 0;

    while (k < count / 2 && (below += exp(log_chance)) <= tail) {
        log_chance += log((n - (double)k) / ((double)k + 1));
        k++;
    }
    return k ? k : 1;
}

struct estimate stats_median(double *samples, size_t count)
{
    size_t rank = interval_rank(count);

    if (count == 0)
        return (struct estimate){0};
    stats_sort(samples, count);
    return (struct estimate){
        .median_us = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
        .low_us = samples[rank - 1],
        .high_us = samples[count - rank],
    };
}

double stats_quantile(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count ? count - 1 : 0);
    size_t below = (size_t)place;

    if (count == 0)
        return 0;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_relative_width(const struct estimate *estimate)
{
    if (estimate->median_us <= 0)
        return (double)INFINITY;
    return (estimate->high_us - estimate->low_us) / 2 / estimate->median_us;
}

struct estimate stats_ratio(double *ratios, size_t count)
{
    static const double lord[STATS_LEAST] = {0, 0, 6.353, 1.304, 0.717, 0.507}; /* 5 %, two-sided */
    struct estimate made = stats_median(ratios, count);
    double factor;

    if (!count || count >= STATS_LEAST)
        return made;
    factor = count == 1 ? (double)INFINITY : pow(made.high_us / made.low_us, lord[count]);
    made.low_us = made.median_us / factor;
    made.high_us = made.median_us * factor;
    return made;
}

struct estimate stats_speedup(const double *own, const double *other, size_t count)
{
    double *ratios = mem_alloc_zeroed(count + 1, sizeof(*ratios));
    struct estimate made;

    for (size_t i = 0; i < count; i++)
        ratios[i] = other[i] / own[i];
    made = stats_ratio(ratios, count);
    free(ratios);
    return made;
}

void stats_set_speedup(const struct estimate *speedup, struct comparison *comparison)
{
    comparison->speedup = speedup->median_us;
    comparison->speedup_low = speedup->low_us;
    comparison->speedup_high = speedup->high_us;
}

void stats_scale_time(const struct estimate *own, struct comparison *comparison)
{
    comparison->time = (struct estimate){
        .median_us = own->median_us * comparison->speedup,
        .low_us = own->median_us * comparison->speedup_low,
        .high_us = own->median_us * comparison->speedup_high,
    };
}
