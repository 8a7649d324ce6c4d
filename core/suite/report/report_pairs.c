#include "core/suite/report/report_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/suite/statistics/geometric.h"

static const struct report_row *row_of(const struct pair_rows *from, struct suite_task at)
{
    return &from->rows[suite_task_index(from->suite, at)];
}

size_t report_pairs_collect(const struct pair_rows *from, size_t problem, size_t arm,
                            const char *over, double *ratios)
{
    size_t count = 0;

    for (unsigned repeat = 0; repeat < from->suite->repeats; repeat++) {
        const struct report_row *row = row_of(from, (struct suite_task){problem, arm, repeat});

        if (row->phase == TASK_HAS_ENDED && row->speedup.value > 0)
            ratios[count++] = over ? report_row_speedup(row, over)->value : row->speedup.value;
    }
    return count;
}

/*
 * True if every timed repeat of this problem and arm has a speedup over the baseline `over`.  With
 * `over` NULL: true if all of them have the same strongest baseline; it is stored in `*strongest`,
 * or must equal `*strongest` if that is set already.
 */
static bool all_over(const struct pair_rows *from, struct suite_task at, const char *over,
                     const char **strongest)
{
    for (at.repeat = 0; at.repeat < from->suite->repeats; at.repeat++) {
        const struct report_row *row = row_of(from, at);

        if (!report_row_is_timed(row))
            continue;
        if (over && !report_row_speedup(row, over))
            return false;
        if (!*strongest)
            *strongest = row->over;
        if (!over && strcmp(*strongest, row->over) != 0)
            return false;
    }
    return true;
}

/*
 * The baseline over which two arms are compared on a problem. NULL means the strongest baseline of
 * each session; it is returned if all sessions have the same one, or if they have no baseline in
 * common.
 */
static const char *common_baseline(const struct pair_rows *from, size_t problem,
                                   const struct report_pair *pair)
{
    const struct suite_task first = {problem, pair->first, 0}, second = {problem, pair->second, 0};
    const char *strongest = NULL;

    if (all_over(from, first, NULL, &strongest) && all_over(from, second, NULL, &strongest))
        return NULL;
    for (size_t i = 0; i < from->baseline_count; i++) {
        const char *over = from->baselines[i];

        if (all_over(from, first, over, &strongest) && all_over(from, second, over, &strongest))
            return over;
    }
    return NULL;
}

static double mean_log(const double *ratios, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += log(ratios[i]);
    return sum / (double)count;
}

/* Compute one value for each problem: the ratio of the geometric means over the repeats. */
static void compare(const struct pair_rows *from, struct report_pair *pair)
{
    const struct suite *suite = from->suite;
    size_t problems = suite->problems.count;
    double *logs = mem_alloc_zeroed(problems, sizeof(*logs));
    double *ratios = mem_alloc_zeroed(problems, sizeof(*ratios));
    double *own = mem_alloc_zeroed(2 * (size_t)suite->repeats, sizeof(*own));
    struct geometric_group *groups = mem_alloc_zeroed(problems, sizeof(*groups));

    for (size_t i = 0; i < problems; i++) {
        const char *over = common_baseline(from, i, pair);
        size_t first = report_pairs_collect(from, i, pair->first, over, own);
        size_t second = report_pairs_collect(from, i, pair->second, over, own + suite->repeats);

        if (!first || !second) {
            pair->left_out++;
            continue;
        }
        /* Rounded, so that speedups that differ only by rounding errors count as equal. */
        logs[pair->problems] =
            round((mean_log(own, first) - mean_log(own + suite->repeats, second)) * 1e12) * 1e-12;
        ratios[pair->problems] = exp(logs[pair->problems]);
        groups[pair->problems] = (struct geometric_group){&ratios[pair->problems], 1};
        pair->problems++;
    }
    pair->test = paired_test(logs, pair->problems);
    pair->ratio = geometric_mean(groups, pair->problems);
    free(logs);
    free(ratios);
    free(own);
    free(groups);
}

static void correct_all(struct report_pairs *pairs)
{
    double *p = mem_alloc_zeroed(pairs->count + 1, sizeof(*p));
    size_t count = 0;

    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->items[i].problems)
            p[count++] = pairs->items[i].test.p;
    paired_correct(p, count);
    count = 0;
    for (size_t i = 0; i < pairs->count; i++)
        pairs->items[i].corrected_p = pairs->items[i].problems ? p[count++] : 1;
    free(p);
}

void report_pairs_make(struct report_pairs *pairs, const struct pair_rows *from)
{
    size_t arms = from->suite->arms.count;

    for (size_t i = 0; i < arms; i++) {
        for (size_t j = i + 1; j < arms; j++) {
            struct report_pair pair = {.first = i, .second = j};

            compare(from, &pair);
            vec_push(pairs, pair);
        }
    }
    correct_all(pairs);
}
