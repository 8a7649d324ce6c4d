#ifndef CORE_SUITE_STATISTICS_PAIRED_H
#define CORE_SUITE_STATISTICS_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

/* Tests of paired differences, for the comparison of two arms on the same problems. */

/* Up to this number of differences, the distribution of the rank sum is computed exactly. */
enum { PAIRED_MOST_EXACT = 50 };

struct paired_test {
    size_t count;              /* differences that are not 0 */
    size_t zeros;              /* differences that are 0, which the test leaves out */
    double positive, negative; /* sums of the ranks of positive and of negative differences */
    double p;                  /* two-sided; 1 without differences */
    /* matched-pairs rank-biserial correlation, -1 to 1; 0 without differences */
    double effect;
    bool is_exact;
};

/*
 * Wilcoxon's signed-rank test (F. Wilcoxon, Biometrics Bulletin 1, 1945).  Differences of 0 are
 * left out, equal sizes share the mean of their ranks.  Up to PAIRED_MOST_EXACT differences p comes
 * from the exact distribution over all signs, also with shared ranks; above, from the normal
 * approximation with corrections for shared ranks and for continuity (Hollander, Wolfe and Chicken,
 * "Nonparametric Statistical Methods", 3rd ed., section 3.1).  The effect is (positive - negative)
 * / (positive + negative) (D. Kerby, Comprehensive Psychology 3, 2014).  All differences must be
 * finite.
 */
struct paired_test paired_test(const double *differences, size_t count);

/*
 * Replace the p values of `count` comparisons by Holm's, with which the chance of any false finding
 * among all stays below the level (S. Holm, Scand. J. Stat. 6, 1979).
 */
void paired_correct(double *p, size_t count);

#endif
