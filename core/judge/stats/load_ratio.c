#include "core/judge/stats/load_ratio.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/stats/stats.h"

/* Assumptions about the cost of emptied caches: none, half, or all of it. */
enum { PARTS = 3, HALF = 1 };

static const double shares[PARTS] = {0.5, 0.25, 0}; /* of the runs are quicker than the time */

/* The parts of the width of an interval, as a logarithm (load_ratio.h), and its limit. */
static const double random_part = 0.6, least_part = 0.2, most_width = 10;

/* The systematic part of one side: `slope` for each unit of |ln r|, up to a limit. */
struct side {
    double slope, most_ratio;
};

static const struct side towards_one = {0.13, 1.5}, away_from_one = {0.45, 1};

struct program_times {
    double us[PARTS];
    double spread; /* half of the width of the interval of the median of the rounds, a logarithm */
};

static double least(double us)
{
    return us / 3;
}

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
    size_t count = program_rounds_runs(rounds, sorted);
    struct estimate median = median_of_rounds(rounds);
    struct program_times times = {.spread = log(median.high_us / median.low_us) / 2};

    stats_median(sorted, count); /* sorts */
    for (unsigned part = 0; part < PARTS; part++)
        times.us[part] = fmax(stats_quantile(sorted, count, shares[part]), least(median.median_us));
    free(sorted);
    return times;
}

/* A time without that part of what emptied caches cost. */
static double without(double us, double cost_us, unsigned part)
{
    return fmax(us - cost_us * part / (PARTS - 1), least(us));
}

/* Causes of a wide interval: both programs' spreads, the share of time waited, and the ratio. */
struct doubt {
    double spread, waited_share, ratio;
};

/* How far one side of the interval reaches, as a factor. */
static double reach_of(const struct doubt *doubt, const struct side *side)
{
    double systematic =
        doubt->waited_share *
        (least_part + side->slope * fmin(fabs(log(doubt->ratio)), side->most_ratio));

    return exp(fmin(hypot(random_part * doubt->spread, systematic), most_width));
}

struct estimate load_ratio(const struct program_rounds *own, const struct program_rounds *other)
{
    struct program_times ours, theirs;
    double cost_us = LOAD_REFILLS * program_rounds_refill_us(own), ratios[PARTS];
    const struct side *low = &towards_one, *high = &away_from_one;
    struct estimate range;
    struct doubt doubt;

    if (!own->count || !other->count)
        return (struct estimate){0};
    ours = times_of(own);
    theirs = times_of(other);
    for (unsigned part = 0; part < PARTS; part++)
        ratios[part] =
            without(theirs.us[part], cost_us, part) / without(ours.us[part], cost_us, part);
    doubt = (struct doubt){hypot(ours.spread, theirs.spread), own->load.waited_share, ratios[HALF]};
    if (ratios[HALF] < 1) {
        low = &away_from_one;
        high = &towards_one;
    }
    range = (struct estimate){ratios[HALF], ratios[HALF], ratios[HALF]};
    for (unsigned part = 0; part < PARTS; part++) {
        range.low_us = fmin(range.low_us, ratios[part]);
        range.high_us = fmax(range.high_us, ratios[part]);
    }
    range.low_us /= fmax(reach_of(&doubt, low), program_rounds_doubt(own));
    range.high_us *= fmax(reach_of(&doubt, high), program_rounds_doubt(other));
    return range;
}
