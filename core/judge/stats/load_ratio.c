#include "core/judge/stats/load_ratio.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/stats/stats.h"

/* A quarter of the runs are quicker than the lower time of a program. */
static const double lower = 0.25;

/* Fewer repeated runs are no evidence. */
enum { LEAST_REPEATS = 8 };

/* The parts of the width of an interval, as a logarithm (load_ratio.h), and its limit. */
static const double random_part = 0.6, least_part = 0.2, most_width = 10;

/* The systematic part of one side: `slope` for each unit of |ln r|, up to a limit. */
struct side {
    double slope, most_ratio;
};

static const struct side towards_one = {0.13, 1.5}, away_from_one = {0.45, 1};

/* The times of a program, in microseconds. */
struct program_times {
    double median, lower;
    double warm;    /* the lower one of repeated runs, or of all if few were repeated */
    double divided; /* the lower one if work is divided as in its runs */
    double spread;  /* half of the width of the interval of the median of the rounds, a logarithm */
};

static struct estimate median_of_rounds(const struct program_rounds *rounds)
{
    double times_us[PROGRAM_ROUNDS_MAX];

    for (size_t i = 0; i < rounds->count; i++)
        times_us[i] = program_rounds_us(rounds, i, true);
    return stats_ratio(times_us, rounds->count);
}

static struct program_times times_of(const struct program_rounds *rounds)
{
    double *sorted = mem_alloc_zeroed(PROGRAM_RUNS_MAX, sizeof(*sorted));
    struct estimate median = median_of_rounds(rounds);
    struct program_times times = {.spread = log(median.high_us / median.low_us) / 2};
    size_t count = program_rounds_times(rounds, &rounds->fresh, DIVISION_EXPECTED, sorted);

    times.median = stats_median(sorted, count).median_us; /* sorts */
    times.lower = times.warm = stats_quantile(sorted, count, lower);
    count = program_rounds_times(rounds, &rounds->fresh, DIVISION_SEEN, sorted);
    stats_median(sorted, count);
    times.divided = fmax(stats_quantile(sorted, count, lower), times.lower);
    count = program_rounds_times(rounds, &rounds->repeated, DIVISION_EXPECTED, sorted);
    stats_median(sorted, count);
    if (count >= LEAST_REPEATS)
        times.warm = fmax(stats_quantile(sorted, count, lower), times.median / 3);
    free(sorted);
    return times;
}

static void enclose(struct estimate *range, double ratio)
{
    range->low_us = fmin(range->low_us, ratio);
    range->high_us = fmax(range->high_us, ratio);
}

/* How far one side of the interval reaches, as a factor. */
static double reach_of(double spread, double waited_share, double ratio, const struct side *side)
{
    double systematic =
        waited_share * (least_part + side->slope * fmin(fabs(log(ratio)), side->most_ratio));

    return exp(fmin(hypot(random_part * spread, systematic), most_width));
}

struct estimate load_ratio(const struct program_rounds *own, const struct program_rounds *other)
{
    const struct side *low = &towards_one, *high = &away_from_one;
    struct program_times ours, theirs;
    struct estimate range;
    double ratio, spread;

    if (!own->count || !other->count)
        return (struct estimate){0};
    ours = times_of(own);
    theirs = times_of(other);
    ratio = theirs.median / ours.median;
    if (ratio < 1) {
        low = &away_from_one;
        high = &towards_one;
    }
    range = (struct estimate){ratio, ratio, ratio};
    enclose(&range, theirs.lower / ours.lower);
    enclose(&range, theirs.warm / ours.warm);
    spread = hypot(ours.spread, theirs.spread);
    range.low_us /= reach_of(spread, own->load.waited_share, ratio, low);
    range.high_us *= reach_of(spread, own->load.waited_share, ratio, high);
    enclose(&range, theirs.divided / ours.lower);
    enclose(&range, theirs.lower / ours.divided);
    return range;
}
