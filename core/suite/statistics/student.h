#ifndef CORE_SUITE_STATISTICS_STUDENT_H
#define CORE_SUITE_STATISTICS_STUDENT_H

#include <stddef.h>

#include "core/session/state/session.h"

/*
 * Means of a few repeats, with intervals of Student's t distribution over the logarithms of ratios.
 */

/*
 * The geometric mean of ratios, all above 0, with its 95 % interval.  With one ratio the interval
 * is unknown: low 0, high infinity.  All zeros without ratios.
 */
struct ratio student_mean(const double *ratios, size_t count);

/* The ratio of two geometric means of independent samples. */
struct student_comparison {
    struct ratio ratio; /* first over second; 0 if one of them has no ratios */
    double p;           /* two-sided; 1 if unknown */
};

/*
 * Welch's test and interval (B. L. Welch, Biometrika 34, 1947), with the degrees of freedom of
 * Satterthwaite: the two variances need not be equal.  With fewer than two ratios on a side the
 * interval is unknown.
 */
struct student_comparison student_compare(const double *first, size_t first_count,
                                          const double *second, size_t second_count);

#endif
