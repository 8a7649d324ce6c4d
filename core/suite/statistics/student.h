#ifndef CORE_SUITE_STATISTICS_STUDENT_H
#define CORE_SUITE_STATISTICS_STUDENT_H

#include <stddef.h>

#include "core/session/state/session.h"

/* Means of few repeats, by Student's t distribution on the logarithms of ratios. */

/* The chance that |t| is at least `t` with `freedom` degrees of freedom, which need not be whole.
 */
double student_tail(double t, double freedom);

/* The t above which half of `tail` lies; 0 < tail < 1. */
double student_quantile(double tail, double freedom);

/*
 * The geometric mean of ratios, which are above 0, with its 95 % interval.  Of one ratio the
 * interval is unknown: low 0, high infinity.  All zeros without ratios.
 */
struct ratio student_mean(const double *ratios, size_t count);

/* The ratio of two geometric means, whose ratios were drawn independently. */
struct student_comparison {
    struct ratio ratio; /* of the first over the second; 0 if there are none of one */
    double p;           /* two-sided; 1 if unknown */
};

/*
 * Welch's test and interval (B. L. Welch, Biometrika 34, 1947), with the degrees of freedom of
 * Satterthwaite: the variances of both need not be equal.  With fewer than two ratios on a side the
 * interval is unknown.
 */
struct student_comparison student_compare(const double *first, size_t first_count,
                                          const double *second, size_t second_count);

#endif
