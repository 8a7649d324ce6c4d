#include "core/judge/oracle/oracle_gemm.h"

#include <cblas.h>

#include "core/system/parallel.h"

/* The least part of a product that is worth a thread: lines, and multiplications. */
enum { LEAST_LINES = 32, LEAST_WORK = 1 << 20 };

static void multiply(const struct oracle_gemm *g)
{
    cblas_dgemm(CblasRowMajor, g->a_transposed ? CblasTrans : CblasNoTrans,
                g->b_transposed ? CblasTrans : CblasNoTrans, (blasint)g->m, (blasint)g->n,
                (blasint)g->k, g->scale, g->a, (blasint)g->a_row, g->b, (blasint)g->b_row, g->keep,
                g->c, (blasint)g->c_row);
}

static void multiply_rows(void *data, size_t first, size_t last)
{
    struct oracle_gemm part = *(const struct oracle_gemm *)data;

    part.m = last - first;
    part.a += first * (part.a_transposed ? 1 : part.a_row);
    part.c += first * part.c_row;
    multiply(&part);
}

static void multiply_columns(void *data, size_t first, size_t last)
{
    struct oracle_gemm part = *(const struct oracle_gemm *)data;

    part.n = last - first;
    part.b += first * (part.b_transposed ? part.b_row : 1);
    part.c += first;
    multiply(&part);
}

void oracle_gemm(const struct oracle_gemm *gemm)
{
    struct oracle_gemm whole = *gemm;
    bool by_rows = gemm->m >= gemm->n;
    size_t lines = by_rows ? gemm->m : gemm->n, others = by_rows ? gemm->n : gemm->m;
    size_t grain = LEAST_WORK / (others * gemm->k + 1) + 1;

    parallel_for(lines, grain > LEAST_LINES ? grain : LEAST_LINES,
                 by_rows ? multiply_rows : multiply_columns, &whole);
}
