#ifndef CORE_JUDGE_ORACLE_ORACLE_GEMM_H
#define CORE_JUDGE_ORACLE_ORACLE_GEMM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * c = scale a b + keep c, for matrices of doubles in rows that begin `*_row` elements after each
 * other. A transposed operand is stored as its columns.
 */
struct oracle_gemm {
    size_t m, n, k; /* a: m x k, b: k x n, c: m x n */
    double scale, keep;
    const double *a, *b;
    double *c;
    size_t a_row, b_row, c_row;
    bool a_transposed, b_transposed;
};

/*
 * Compute it by parallel_for(), a thread of BLAS for each part (blas_use_cores()): BLAS's own
 * threads wait for each other, for milliseconds in each small product of a machine that is busy.
 */
void oracle_gemm(const struct oracle_gemm *gemm);

#endif
