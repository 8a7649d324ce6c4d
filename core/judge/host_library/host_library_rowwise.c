#include <math.h>

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
    ROWWISE(softmax),
    ROWWISE(log_softmax),
    ROWWISE(cumsum),
    ROWWISE(cumprod),
    ROWWISE(rms_norm),
    ROWWISE(layer_norm),
    {0},
};
