#include "core/suite/statistics/geometric.h"

#include <math.h>
#include <stdint.h>

#include "core/base/mem.h"
#include "core/base/splitmix.h"
#include "core/judge/stats/stats.h"

/* Draw an index below `count`.  `count` is far below 2^32, so the bias is below 2^-32. */
static size_t draw(uint64_t *state, size_t count)
{
    uint64_t bits = splitmix(*state);

    *state += SPLITMIX_STEP;
    return (size_t)(((bits >> 32) * (uint64_t)count) >> 32);
}

/* The logarithms of all groups in one array; group i ends before ends[i]. */
struct logs {
    double *items;
    size_t *ends;
    size_t count; /* the number of groups */
};

static struct logs take_logs(const struct geometric_group *groups, size_t count)
{
    struct logs logs = {.ends = mem_alloc_zeroed(count, sizeof(size_t)), .count = count};
    size_t total = 0;

    for (size_t i = 0; i < count; i++)
        logs.ends[i] = total += groups[i].count;
    logs.items = mem_alloc_zeroed(total, sizeof(double));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < groups[i].count; j++)
            logs.items[logs.ends[i] - groups[i].count + j] = log(groups[i].ratios[j]);
    return logs;
}

/*
 * The mean over groups of the groups' means.  With `state`: the mean of one bootstrap draw, which
 * draws groups and the items of each drawn group.
 */
static double mean_log(const struct logs *logs, uint64_t *state)
{
    double sum = 0;

    for (size_t i = 0; i < logs->count; i++) {
        size_t group = state ? draw(state, logs->count) : i;
        size_t first = group ? logs->ends[group - 1] : 0, count = logs->ends[group] - first;
        double of_group = 0;

        for (size_t j = 0; j < count; j++)
            of_group += logs->items[first + (state ? draw(state, count) : j)];
        sum += of_group / (double)count;
    }
    return sum / (double)logs->count;
}

static void find_interval(const struct logs *logs, struct ratio *mean)
{
    double *draws = mem_alloc_zeroed(GEOMETRIC_DRAWS, sizeof(*draws));
    uint64_t state = 1;

    for (size_t i = 0; i < GEOMETRIC_DRAWS; i++)
        draws[i] = mean_log(logs, &state);
    stats_sort(draws, GEOMETRIC_DRAWS);
    mean->low = exp(stats_quantile(draws, GEOMETRIC_DRAWS, 0.025));
    mean->high = exp(stats_quantile(draws, GEOMETRIC_DRAWS, 0.975));
    free(draws);
}

struct ratio geometric_mean(const struct geometric_group *groups, size_t count)
{
    struct ratio mean = {0};
    struct logs logs;

    if (count == 0)
        return mean;
    logs = take_logs(groups, count);
    mean = (struct ratio){exp(mean_log(&logs, NULL)), 0, (double)INFINITY};
    if (count > 1 || groups[0].count > 1)
        find_interval(&logs, &mean);
    free(logs.items);
    free(logs.ends);
    return mean;
}
