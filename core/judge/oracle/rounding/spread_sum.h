#ifndef CORE_JUDGE_ORACLE_ROUNDING_SPREAD_SUM_H
#define CORE_JUDGE_ORACLE_ROUNDING_SPREAD_SUM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The rounding errors of sums, products and moments in float32.
 *
 * A sum in order makes an error of half a spacing of each partial sum at most. Other orders have
 * other partial sums, all below the sum of the magnitudes. These errors form a random walk, except
 * for equal addends, whose errors are equal too. Therefore the error that a plain float loop makes
 * on these elements is computed and counts as well; so does that of a loop from the last element,
 * because small equal addends behind large ones err more than before them.
 */
struct spread_sum {
    double total, magnitude; /* sum of x, and of |x| */
    double squares;          /* sum of the squares of the partial sums */
    double drift;            /* the largest error of the loop so far */
    float loop;              /* the sum so far */
};

/* Add an element to a sum that was all zeros at first. */
static inline void spread_sum_add(struct spread_sum *sum, double x)
{
    double off;

    sum->total += x;
    sum->magnitude += fabs(x);
    sum->squares += sum->total * sum->total;
    sum->loop += (float)x;
    off = fabs((double)sum->loop - sum->total);
    sum->drift = off > sum->drift ? off : sum->drift;
}

/* Count the error of a loop over x * factor from the last of the n elements that were added. */
void spread_sum_turn(struct spread_sum *sum, const double *x, size_t n, double factor);

/* The variance of the error of a float32 sum of these elements. */
double spread_sum_variance(const struct spread_sum *sum);

/*
 * A sum of exponentials, of which only the shares in it are known. If all addends are multiplied by
 * one number, equal ones round in another way, so their errors may all have one sign. Kernels
 * differ in the number, so two sums are computed: of the shares, and of exponentials of which the
 * largest is 1. All zeros at first.
 */
struct spread_shares {
    struct spread_sum plain, scaled;
};

/* Add a share; `most` is the largest one, above 0. */
static inline void spread_shares_add(struct spread_shares *shares, double share, double most)
{
    spread_sum_add(&shares->plain, share);
    spread_sum_add(&shares->scaled, share / most);
}

/* Count the errors of loops from the last of the n shares that were added. */
void spread_shares_turn(struct spread_shares *shares, const double *share, size_t n, double most);

/* The variance of the error of the float32 sum, relative to it: the larger of both. */
double spread_shares_variance(const struct spread_shares *shares);

/* The same for the shares exp(x - less) of n elements. */
double spread_shares_variance_of(const double *x, size_t n, double less);

/* The product of elements, 1 at first, and the variance of its error: of (a + da) (b + db). */
struct spread_product {
    double product, variance;
    double last;
    double alike; /* elements that equal the one before: products of blocks of them err alike */
};

/* Multiply by an element with this variance, whose product is exact for integers. */
void spread_product_multiply(struct spread_product *p, double x, double variance, bool is_integer);

/* The variance, with that of products of blocks: the errors of equal ones do not cancel. */
double spread_product_variance(const struct spread_product *p);

/*
 * The variance that terms of one sign add to a sum of `terms` numbers because their errors have a
 * mean. Only the sum and the sum of the squares are known.
 *
 * - Equal terms have equal errors, each up to half a spacing. total^2 = terms * squares holds only
 *   for equal terms.
 * - Of terms below the spacing of a partial sum, more are lost than are rounded up. By Euler and
 *   Maclaurin's formula, terms with density f near zero err by f spacing^2 / 24 each. The density
 *   is assumed to be six times the mean density, and the mean of spacing^2 to be
 *   2/3 (ROUNDING_UNIT * total)^2. A loss of more than a thousandth does not count as rounding.
 */
double spread_sum_bias(double total, double squares, double terms);

/* Mean and mean square of elements, and the variances of their errors. */
struct spread_moments {
    double mean, mean_variance;
    double square, square_variance; /* around the mean, or around 0 */
};

/*
 * The moments of n elements with these variances. The square may be computed around the mean, in
 * one or two passes, or as E[x^2] - E[x]^2 with its cancellation, with all elements shifted by the
 * first one or not.
 */
struct spread_moments spread_moments_of(const double *x, const double *variance, size_t n,
                                        bool is_centred);

/* 1 / sqrt(square + eps), and its relative standard deviation. */
struct spread_scale {
    double scale, deviation;
};

/* The scale for a mean square with this variance. */
struct spread_scale spread_scale_of(double square, double square_variance, double eps);

/*
 * The largest variance of y = (x - mean) * scale, whatever the errors are: the squares of n such
 * numbers add up to n at most.
 */
double spread_norm_most(double y, double n);

#endif
