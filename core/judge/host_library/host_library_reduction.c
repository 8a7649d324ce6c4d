#include <math.h>

#include "core/judge/host_library/host_library_family.h"
#include "core/system/parallel.h"

/* Number of parts of a line that all cores share. */
enum { PARTS = 64 };

/* Reduce elements to one number; `given` is a number known of the whole line. */
typedef double take_fn(const float *x, size_t n, double given);

/* Combine the numbers of two parts. */
typedef double join_fn(double a, double b);

struct fold {
    const struct host_library_line *line;
    take_fn *take;
    double given;
    double *taken; /* result of each part */
};

static void take_parts(void *data, size_t first, size_t last)
{
    const struct fold *fold = data;
    size_t n = fold->line->n;

    for (size_t i = first; i < last; i++) {
        size_t from = n * i / PARTS, to = n * (i + 1) / PARTS;

        fold->taken[i] = fold->take(fold->line->x + from, to - from, fold->given);
    }
}

static double fold_parts(const struct host_library_line *line, take_fn *take, join_fn *join,
                         double given)
{
    double taken[PARTS], all;
    struct fold fold = {line, take, given, taken};

    parallel_for(PARTS, 1, take_parts, &fold);
    all = taken[0];
    for (size_t i = 1; i < PARTS; i++)
        all = join(all, taken[i]);
    return all;
}

static double fold_line(const struct host_library_line *line, take_fn *take, join_fn *join,
                        double given)
{
    if (line->is_shared)
        return fold_parts(line, take, join, given);
    return take(line->x, line->n, given);
}

static double add(double a, double b)
{
    return a + b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static double take_sum(const float *x, size_t n, double given)
{
    (void)given;
    return host_library_sum(x, n);
}

static double take_exp(const float *x, size_t n, double centre)
{
    return host_library_sum_exp(x, n, (float)centre);
}

static double take_largest(const float *x, size_t n, double sign)
{
    return (double)host_library_largest(x, n, (float)sign);
}

WIDE static double take_product(const float *x, size_t n, double given)
{
    double product = 1;

    (void)given;
#pragma omp simd reduction(* : product)
    for (size_t i = 0; i < n; i++)
        product *= (double)x[i];
    return product;
}

static void sum(const struct host_library_line *line, float *y)
{
    *y = (float)fold_line(line, take_sum, add, 0);
}

static double mean_of(const struct host_library_line *line)
{
    return fold_line(line, take_sum, add, 0) / (double)line->n;
}

static void mean(const struct host_library_line *line, float *y)
{
    *y = (float)mean_of(line);
}

static void prod(const struct host_library_line *line, float *y)
{
    *y = (float)fold_line(line, take_product, multiply, 0);
}

static void var(const struct host_library_line *line, float *y)
{
    double freedom = (double)line->n - (double)line->attributes[2].integers[0];
    double squares = fold_line(line, host_library_sum_squares, add, mean_of(line));

    *y = freedom > 0 ? (float)(squares / freedom) : NAN;
}

static void max(const struct host_library_line *line, float *y)
{
    *y = (float)fold_line(line, take_largest, larger, 1);
}

static void min(const struct host_library_line *line, float *y)
{
    *y = (float)-fold_line(line, take_largest, larger, -1);
}

static void logsumexp(const struct host_library_line *line, float *y)
{
    double centre = fold_line(line, take_largest, larger, 1);

    *y = (float)(isinf(centre) ? centre : centre + log(fold_line(line, take_exp, add, centre)));
}

/* Unlike ==, NaN equals NaN. */
static bool is_same(float x, float wanted)
{
    return x == wanted || (isnan(x) && isnan(wanted));
}

WIDE static bool is_among(const float *x, size_t n, float wanted)
{
    int found = 0;

#pragma omp simd reduction(| : found)
    for (size_t i = 0; i < n; i++)
        found |= (x[i] == wanted) | ((x[i] != x[i]) & (wanted != wanted));
    return found;
}

/*
 * Index of the first of the largest elements of sign * x, or of the first NaN, found in the block
 * that has it.
 */
static float find_extreme(const struct host_library_line *line, float sign)
{
    enum { BLOCK = 256 };
    float wanted = sign * (float)fold_line(line, take_largest, larger, (double)sign);
    size_t at = 0;

    while (line->n - at > BLOCK && !is_among(line->x + at, BLOCK, wanted))
        at += BLOCK;
    while (!is_same(line->x[at], wanted))
        at++;
    return (float)at;
}

static void argmax(const struct host_library_line *line, float *y)
{
    *y = find_extreme(line, 1);
}

static void argmin(const struct host_library_line *line, float *y)
{
    *y = find_extreme(line, -1);
}

WIDE static void add_across(const struct host_library_sheaf *sheaf, double factor, float *y)
{
    double totals[HOST_LIBRARY_SHEAF] = {0};

    for (size_t i = 0; i < sheaf->lines->n; i++) {
        const float *x = sheaf->x + sheaf->lines->offsets[i];

#pragma omp simd
        for (size_t k = 0; k < sheaf->count; k++)
            totals[k] += (double)x[k];
    }
    for (size_t k = 0; k < sheaf->count; k++)
        y[k] = (float)(totals[k] * factor);
}

static void sum_across(const struct host_library_sheaf *sheaf, float *y)
{
    add_across(sheaf, 1, y);
}

static void mean_across(const struct host_library_sheaf *sheaf, float *y)
{
    add_across(sheaf, 1 / (double)sheaf->lines->n, y);
}

/* The largest of sign * x, times sign; NaN is kept. */
WIDE static void find_extremes(const struct host_library_sheaf *sheaf, float sign, float *y)
{
    host_library_repeat(-sign * INFINITY, sheaf->count, y);
    for (size_t i = 0; i < sheaf->lines->n; i++) {
        const float *x = sheaf->x + sheaf->lines->offsets[i];

#pragma omp simd
        for (size_t k = 0; k < sheaf->count; k++)
            y[k] = ((sign * x[k] > sign * y[k]) | (x[k] != x[k])) ? x[k] : y[k];
    }
}

static void max_across(const struct host_library_sheaf *sheaf, float *y)
{
    find_extremes(sheaf, 1, y);
}

static void min_across(const struct host_library_sheaf *sheaf, float *y)
{
    find_extremes(sheaf, -1, y);
}

const struct host_library_rule host_library_reduction[] = {
    {"sum", host_library_lines, .line = sum, .across = sum_across},
    {"mean", host_library_lines, .line = mean, .across = mean_across},
    {"max", host_library_lines, .line = max, .across = max_across},
    {"min", host_library_lines, .line = min, .across = min_across},
    {"prod", host_library_lines, .line = prod},
    {"var", host_library_lines, .line = var},
    {"argmax", host_library_lines, .line = argmax},
    {"argmin", host_library_lines, .line = argmin},
    {"logsumexp", host_library_lines, .line = logsumexp},
    {0},
};
