#ifndef CORE_JUDGE_ORACLE_ROUNDING_ALIKE_H
#define CORE_JUDGE_ORACLE_ROUNDING_ALIKE_H

#include <stddef.h>

/*
 * Sums in float32 of which many terms are equal, and others are not.
 *
 * As long as a sum stays between the same powers of two, adding equal terms makes equal errors,
 * each up to half a spacing of the sum. In a product of a row and a column the terms are equal
 * where both have their most frequent number, as shares of equal logits times equal values are. How
 * often, is estimated from a sample, so that long rows cost nothing. The error of the loop itself
 * (spread_sum.h) says less here: kernels sum up multiples of the terms, as exponentials in place of
 * shares, which round in other ways.
 */

/* Number of elements in a sample. */
enum { ALIKE_SAMPLE = 64 };

/* Sums with fewer terms have no alike ones: their errors are within those of random roundings. */
enum { ALIKE_LEAST_TERMS = 128 };

/* The most frequent number of a row except 0, and its share of the elements, 0 for a rare one. */
struct alike {
    double share, number;
};

/* Elements begin + row * row_step + i * step, for i below n, of each of `rows` rows. */
struct alike_rows {
    size_t rows, row_step, step, n;
};

/* The most frequent number of row `row` of `x`, whose elements are factors in sums of `terms`. */
struct alike alike_of(const double *x, const struct alike_rows *rows, size_t row, double terms);

/* The same for each row of each of `matrices` matrices of `size` elements. The caller frees. */
struct alike *alike_of_all(const double *x, const struct alike_rows *rows, size_t matrices,
                           size_t size, double terms);

/*
 * The variance that equal terms add to a sum of `terms` products of a row and a column with these
 * most frequent numbers. `total` is the sum, and `squares` at least the sum of the terms' squares.
 */
double alike_variance(struct alike a, struct alike b, double terms, double total, double squares);

#endif
