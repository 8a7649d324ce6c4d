#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/host_library/host_library_family.h"

WIDE static void multiply(const float *x, size_t n, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] *= x[i];
}

WIDE static void add(const float *x, size_t n, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] += x[i];
}

static void softmax(const struct host_library_line *line, float *y)
{
    host_library_softmax(line->x, line->n, host_library_largest(line->x, line->n, 1), y);
}

static void log_softmax(const struct host_library_line *line, float *y)
{
    struct host_library_scale scale = {host_library_largest(line->x, line->n, 1), 1, 0};

    scale.centre += (float)log(host_library_sum_exp(line->x, line->n, scale.centre));
    host_library_rescale(line->x, line->n, scale, y);
}

static void cumsum(const struct host_library_line *line, float *y)
{
    double total = 0;

    for (size_t i = 0; i < line->n; i++)
        y[i] = (float)(total += (double)line->x[i]);
}

static void cumprod(const struct host_library_line *line, float *y)
{
    double product = 1;

    for (size_t i = 0; i < line->n; i++)
        y[i] = (float)(product *= (double)line->x[i]);
}

static void cummax(const struct host_library_line *line, float *y)
{
    float most = line->x[0];

    for (size_t i = 0; i < line->n; i++)
        y[i] = most = line->x[i] > most || isnan(line->x[i]) ? line->x[i] : most;
}

/* The sum of exponentials is kept relative to that of the largest element so far. */
static void logcumsumexp(const struct host_library_line *line, float *y)
{
    float most = -INFINITY;
    double total = 0;

    for (size_t i = 0; i < line->n; i++) {
        float x = line->x[i];

        if (x > most || isnan(x)) {
            total *= (double)expf(most - x);
            most = x;
        }
        total += isinf(x) ? x == most : (double)expf(x - most);
        y[i] = isfinite(most) ? most + (float)log(total) : most;
    }
}

struct numbered {
    float x;
    size_t place;
};

static int ascending(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;
    int is_nan = isnan(a->x) - isnan(b->x), more = (a->x > b->x) - (a->x < b->x);

    return is_nan ? is_nan : more ? more : (a->place > b->place) - (a->place < b->place);
}

static int falling(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;
    int is_nan = isnan(b->x) - isnan(a->x), more = (b->x > a->x) - (b->x < a->x);

    return is_nan ? is_nan : more ? more : (a->place > b->place) - (a->place < b->place);
}

static void argsort(const struct host_library_line *line, float *y)
{
    struct numbered *row = mem_alloc_zeroed(line->n, sizeof(*row));

    for (size_t i = 0; i < line->n; i++)
        row[i] = (struct numbered){line->x[i], i};
    qsort(row, line->n, sizeof(*row), line->attributes[1].integers[0] ? falling : ascending);
    for (size_t i = 0; i < line->n; i++)
        y[i] = (float)row[i].place;
    free(row);
}

/* Scale a line so that its mean square around `centre` is 1, then apply weight and bias. */
static void normalize(const struct host_library_line *line, double centre, float *y)
{
    double square = host_library_sum_squares(line->x, line->n, centre) / (double)line->n;
    float factor = (float)(1 / sqrt(square + line->attributes[0].number));

    host_library_rescale(line->x, line->n, (struct host_library_scale){(float)centre, factor, 0},
                         y);
    if (line->weight)
        multiply(line->weight, line->n, y);
    if (line->bias)
        add(line->bias, line->n, y);
}

static void rms_norm(const struct host_library_line *line, float *y)
{
    normalize(line, 0, y);
}

static void layer_norm(const struct host_library_line *line, float *y)
{
    normalize(line, host_library_sum(line->x, line->n) / (double)line->n, y);
}

#define ROWWISE(function)                                 \
    {                                                     \
#function, host_library_lines, .line = (function) \
    }

const struct host_library_rule host_library_rowwise[] = {
    ROWWISE(softmax),    ROWWISE(log_softmax),
    ROWWISE(cumsum),     ROWWISE(cumprod),
    ROWWISE(cummax),     ROWWISE(logcumsumexp),
    ROWWISE(argsort),    ROWWISE(rms_norm),
    ROWWISE(layer_norm), {0},
};
