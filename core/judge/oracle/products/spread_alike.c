#include "core/judge/oracle/products/spread_alike.h"

#include <stdlib.h>

#include "core/judge/oracle/rounding/alike.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_convolution.h"
#include "core/model/op/op_product.h"
#include "core/system/parallel.h"

/*
 * Each element of the result is a sum of `terms` products of a row of `a` and a row of `b`, and the
 * variances so far are at least `own` times the squares of the products.
 */
struct job {
    const struct oracle_spread *spread;
    struct alike *a, *b;
    double terms, own;
    size_t rows, columns; /* of a matrix of the result */
    struct walk batch;    /* of a product */
    size_t groups;        /* of a convolution */
};

static bool are_any(const struct alike *alike, size_t count)
{
    size_t i = 0;

    while (i < count && !(alike[i].share > 0))
        i++;
    return i < count;
}

static void add(const struct job *job, size_t i, struct alike a, struct alike b)
{
    double *out = &job->spread->out[i];

    if (a.share > 0 && b.share > 0)
        *out += alike_variance(a, b, job->terms, job->spread->call.out[i], *out / job->own);
}

static void add_to_product(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    size_t m = job->rows, n = job->columns;
    struct walk at = job->batch;

    for (size_t i = first; i < last; i++) {
        walk_seek(&at, i / m);
        for (size_t j = 0; j < n; j++)
            add(job, i * n + j, job->a[(size_t)at.offsets[0] * m + i % m],
                job->b[(size_t)at.offsets[1] * n + j]);
    }
}

void spread_alike_product(const struct oracle_spread *spread)
{
    struct product p = product_of(spread->call.op);
    size_t m = (size_t)p.m, n = (size_t)p.n, k = (size_t)p.k;
    struct alike_rows rows = {m, p.a_transposed ? 1 : k, p.a_transposed ? m : 1, k};
    struct alike_rows columns = {n, p.b_transposed ? k : 1, p.b_transposed ? 1 : n, k};
    struct job job = {.spread = spread, .terms = (double)k, .rows = m, .columns = n};
    size_t a = value_elements(spread->call.op->in[0]), b = value_elements(spread->call.op->in[1]);

    if (k < ALIKE_LEAST_TERMS || a == 0 || b == 0)
        return;
    job.own = ROUNDING_VARIANCE * (job.terms + 64) * oracle_product_growth(p.m, p.n, p.k);
    job.batch = walk_matrices(spread->call.op);
    job.a = alike_of_all(spread->call.in[0], &rows, a / (m * k), m * k, job.terms);
    job.b = alike_of_all(spread->call.in[1], &columns, b / (k * n), k * n, job.terms);
    if (are_any(job.a, a / k) && are_any(job.b, b / k))
        parallel_for((size_t)shape_elements(&p.batch) * m, 1 + (1 << 12) / n, add_to_product, &job);
    free(job.a);
    free(job.b);
}

static void add_to_convolution(void *data, size_t first, size_t last)
{
    const struct job *job = data;

    for (size_t i = first; i < last; i++) {
        size_t channel = i / job->columns, group = channel / job->rows;
        size_t b = group % job->groups * job->rows + channel % job->rows;

        add(job, i, job->a[group], job->b[b]);
    }
}

void spread_alike_convolution(const struct oracle_spread *spread)
{
    struct convolution c = convolution_of(spread->call.op);
    const struct window_axis *axes = c.window.axes;
    size_t groups = (size_t)c.groups, parts = (size_t)c.batch * groups, taps = 1;
    size_t in = value_elements(spread->call.op->in[0]) / (parts ? parts : 1);
    size_t weights = value_elements(spread->call.op->in[1]) / groups;
    bool is_transposed = c.window.kind == WINDOW_TRANSPOSED;
    struct job job = {.spread = spread, .rows = (size_t)c.out_channels, .columns = 1};
    struct alike_rows whole = {1, 0, 1, in}, rows = {job.rows, weights / job.rows, 1, 0};

    for (size_t i = 0; i < WINDOW_AXES; i++) {
        taps *= (size_t)axes[i].kernel;
        job.columns *= (size_t)axes[i].out;
    }
    taps *= (size_t)c.in_channels;
    if (taps < ALIKE_LEAST_TERMS || in == 0)
        return;
    rows.row_step = is_transposed ? 0 : rows.row_step;
    rows.n = is_transposed ? weights : weights / job.rows;
    job.groups = groups;
    job.terms = (double)taps;
    job.own = ROUNDING_VARIANCE * (job.terms + 64) * oracle_convolution_growth(&c);
    job.a = alike_of_all(spread->call.in[0], &whole, parts, in, job.terms);
    job.b = alike_of_all(spread->call.in[1], &rows, groups, weights, job.terms);
    if (are_any(job.a, parts) && are_any(job.b, groups * job.rows))
        parallel_for(value_elements(spread->call.op->out), 1 << 12, add_to_convolution, &job);
    free(job.a);
    free(job.b);
}
