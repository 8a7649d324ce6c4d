#ifndef CORE_SUITE_REPORT_REPORT_PAIRS_H
#define CORE_SUITE_REPORT_REPORT_PAIRS_H

#include "core/suite/report/report_row.h"
#include "core/suite/statistics/paired.h"

/* The comparison of two arms, on the problems on which both have a speedup. */
struct report_pair {
    size_t first, second;    /* indices of the arms */
    size_t problems;         /* the number of problems compared */
    size_t left_out;         /* the number of problems on which one of the arms has no speedup */
    struct ratio ratio;      /* geometric mean of first's speedup over second's */
    struct paired_test test; /* the test on the logarithms of the ratios; its p is not corrected */
    /* p corrected by Holm's method over all pairs that have problems; 1 if this one has none */
    double corrected_p;
};

/* All zeros is empty; vec_release() frees it. */
struct report_pairs {
    struct report_pair *items;
    size_t count, capacity;
};

/* The results to compare; everything is borrowed. */
struct pair_rows {
    const struct suite *suite;
    const struct report_row *rows; /* one for each task, in the suite's order */
    const char *const *baselines;  /* the names of all baselines that some row has a speedup over */
    size_t baseline_count;
};

/*
 * Compare each pair of arms and append the results. Speedups are over the strongest baseline of
 * each session. If the sessions of a problem have different strongest baselines, their speedups are
 * over one baseline that all of them were timed with.
 */
void report_pairs_make(struct report_pairs *pairs, const struct pair_rows *from);

/*
 * Store the speedups of all repeats of a problem and an arm, and return their number.  `over` is a
 * baseline that all of them were timed with, or NULL for the strongest of each session.
 */
size_t report_pairs_collect(const struct pair_rows *from, size_t problem, size_t arm,
                            const char *over, double *ratios);

#endif
