#include <math.h>

#include "core/judge/library_family.h"

WIDE static double sum_of(const float *x, size_t n)
{
    double total = 0;

#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < n; i++)
        total += (double)x[i];
    return total;
}

WIDE static double sum_squares(const float *x, size_t n, double centre)
{
    double total = 0;

#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < n; i++)
        total += ((double)x[i] - centre) * ((double)x[i] - centre);
    return total;
}

WIDE static double sum_exp(const float *x, size_t n, float shift)
{
    double total = 0;

#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < n; i++)
        total += (double)expf(x[i] - shift);
    return total;
}

WIDE static double product_of_elements(const float *x, size_t n)
{
    double product = 1;

#pragma omp simd reduction(* : product)
    for (size_t i = 0; i < n; i++)
        product *= (double)x[i];
    return product;
}

/* The largest element of sign * x; NaN if there is one. */
WIDE static float largest_of(const float *x, size_t n, float sign)
{
    float largest = -INFINITY;
    int is_nan = 0;

#pragma omp simd reduction(max : largest) reduction(| : is_nan)
    for (size_t i = 0; i < n; i++) {
        const float one = sign * x[i];

        largest = one > largest ? one : largest;
        is_nan |= one != one;
    }
    return is_nan ? NAN : largest;
}

WIDE static void exponentiate(const float *x, size_t n, float shift, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = expf(x[i] - shift);
}

WIDE static void shift_and_scale(const float *x, size_t n, float shift, float factor, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - shift) * factor;
}

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

static void sum(const struct library_line *line, float *y)
{
    *y = (float)sum_of(line->x, line->n);
}

static void mean(const struct library_line *line, float *y)
{
    *y = (float)(sum_of(line->x, line->n) / (double)line->n);
}

static void prod(const struct library_line *line, float *y)
{
    *y = (float)product_of_elements(line->x, line->n);
}

static void var(const struct library_line *line, float *y)
{
    double centre = sum_of(line->x, line->n) / (double)line->n;
    double freedom = (double)line->n - (double)line->attributes[2].integers[0];

    *y = freedom > 0 ? (float)(sum_squares(line->x, line->n, centre) / freedom) : NAN;
}

static void max(const struct library_line *line, float *y)
{
    *y = largest_of(line->x, line->n, 1);
}

static void min(const struct library_line *line, float *y)
{
    *y = -largest_of(line->x, line->n, -1);
}

static void logsumexp(const struct library_line *line, float *y)
{
    float shift = largest_of(line->x, line->n, 1);

    *y = isinf(shift) ? shift : shift + (float)log(sum_exp(line->x, line->n, shift));
}

static void softmax(const struct library_line *line, float *y)
{
    exponentiate(line->x, line->n, largest_of(line->x, line->n, 1), y);
    shift_and_scale(y, line->n, 0, (float)(1 / sum_of(y, line->n)), y);
}

static void log_softmax(const struct library_line *line, float *y)
{
    float shift = largest_of(line->x, line->n, 1);

    shift += (float)log(sum_exp(line->x, line->n, shift));
    shift_and_scale(line->x, line->n, shift, 1, y);
}

/* Scaled to a mean square, around `centre`, of 1; then weight and bias. */
static void normalize(const struct library_line *line, double centre, float *y)
{
    double square = sum_squares(line->x, line->n, centre) / (double)line->n;

    shift_and_scale(line->x, line->n, (float)centre,
                    (float)(1 / sqrt(square + line->attributes[0].number)), y);
    if (line->weight)
        multiply(line->weight, line->n, y);
    if (line->bias)
        add(line->bias, line->n, y);
}

static void rms_norm(const struct library_line *line, float *y)
{
    normalize(line, 0, y);
}

static void layer_norm(const struct library_line *line, float *y)
{
    normalize(line, sum_of(line->x, line->n) / (double)line->n, y);
}

#define LINEWISE(function)                           \
    {                                                \
#function, library_lines, .line = (function) \
    }

const struct library_rule library_linewise[] = {
    LINEWISE(sum),         LINEWISE(mean),     LINEWISE(prod),       LINEWISE(var),
    LINEWISE(max),         LINEWISE(min),      LINEWISE(logsumexp),  LINEWISE(softmax),
    LINEWISE(log_softmax), LINEWISE(rms_norm), LINEWISE(layer_norm), {0},
};
