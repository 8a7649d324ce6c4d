#ifndef CORE_SUITE_REPORT_PAIRS_H
#define CORE_SUITE_REPORT_PAIRS_H

#include "core/suite/report_row.h"
#include "core/suite/statistics/paired.h"

/* Comparisons of arms, each pair on the problems on which both have a speedup. */
struct report_pair {
    size_t first, second;    /* indices of arms */
    size_t problems;         /* compared ones */
    size_t left_out;         /* problems on which an arm has no speedup */
    struct ratio ratio;      /* geometric mean of first's speedup over second's */
    struct paired_test test; /* of the logarithms of the ratios; p before correction */
    double corrected_p;      /* by Holm over all pairs with problems; 1 without */
};

/* All zeros is empty; vec_release() frees it. */
struct report_pairs {
    struct report_pair *items;
    size_t count, capacity;
};

/* The results that are compared; all is borrowed. */
struct pair_rows {
    const struct suite *suite;
    const struct report_row *rows; /* one for each task, in the suite's order */
    const char *const *baselines;  /* the names of all that rows have speedups over */
    size_t baseline_count;
};

/*
 * Append all pairs of arms.  Speedups are over the strongest baseline of each session; where
 * sessions of both arms on a problem differ in that, over one that all of them were timed with.
 */
void report_pairs_make(struct report_pairs *pairs, const struct pair_rows *from);

/*
 * Store the speedups of a problem's repeats with an arm, over a baseline that all of them were
 * timed with, NULL for the strongest of each session; return their number.
 */
size_t report_pairs_collect(const struct pair_rows *from, size_t problem, size_t arm,
                            const char *over, double *ratios);

#endif
