#include <math.h>

#include "core/judge/library_family.h"
#include "core/judge/parallel.h"

/* Lines whose elements are not adjacent are copied so many at a time, as their neighbours are. */
enum { BLOCK = 16 };

static void run_line(const struct library_step *step, size_t index, const float *x, float *y)
{
    const struct library_line line = {
        .x = x,
        .n = step->lines.n,
        .weight = step->op.in_count > 1 ? step->in[1] : NULL,
        .bias = step->op.in_count > 2 ? step->in[2] : NULL,
        .attributes = step->op.attributes,
    };

    step->rule->line(&line, step->op.op->kind == OP_REDUCTION ? step->out + index : y);
}

static void run_adjacent(void *data, size_t first, size_t last)
{
    const struct library_step *step = data;

    for (size_t i = first; i < last; i++)
        run_line(step, i, step->in[0] + i * step->lines.n, step->out + i * step->lines.n);
}

/* Compute `count` lines, of which number `first` is the first, in `room`. */
static void run_block(const struct library_step *step, size_t first, size_t count,
                      const ptrdiff_t *starts, float *room)
{
    const struct walk_lines *lines = &step->lines;

    for (size_t i = 0; i < lines->n; i++)
        for (size_t k = 0; k < count; k++)
            room[k * lines->n + i] = step->in[0][starts[k] + lines->offsets[i]];
    for (size_t k = 0; k < count; k++)
        run_line(step, first + k, room + k * lines->n, room + k * lines->n);
    if (step->op.op->kind == OP_REDUCTION)
        return;
    for (size_t i = 0; i < lines->n; i++)
        for (size_t k = 0; k < count; k++)
            step->out[starts[k] + lines->offsets[i]] = room[k * lines->n + i];
}

/* Every call has the room of its first lines, which the caches keep, to itself. */
static void run_scattered(void *data, size_t first, size_t last)
{
    const struct library_step *step = data;
    struct walk walk = step->lines.starts;
    float *room = step->room + first * step->lines.n;
    ptrdiff_t starts[BLOCK];

    walk_seek(&walk, first);
    for (size_t count; first < last; first += count) {
        count = last - first < BLOCK ? last - first : BLOCK;
        for (size_t k = 0; k < count; k++, walk_step(&walk))
            starts[k] = walk.offsets[0];
        run_block(step, first, count, starts, room);
    }
}

void library_lines(struct library_step *step)
{
    parallel_for(step->lines.count, 1 + (1 << 15) / step->lines.n,
                 step->lines.offsets ? run_scattered : run_adjacent, step);
}

LIBRARY_WIDE static double sum_of(const float *x, size_t n)
{
    double total = 0;

#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < n; i++)
        total += (double)x[i];
    return total;
}

LIBRARY_WIDE static double sum_squares(const float *x, size_t n, double centre)
{
    double total = 0;

#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < n; i++)
        total += ((double)x[i] - centre) * ((double)x[i] - centre);
    return total;
}

LIBRARY_WIDE static double sum_exp(const float *x, size_t n, float shift)
{
    double total = 0;

#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < n; i++)
        total += (double)expf(x[i] - shift);
    return total;
}

LIBRARY_WIDE static double product_of_elements(const float *x, size_t n)
{
    double product = 1;

#pragma omp simd reduction(* : product)
    for (size_t i = 0; i < n; i++)
        product *= (double)x[i];
    return product;
}

/* The largest element of sign * x; NaN if there is one. */
LIBRARY_WIDE static float largest_of(const float *x, size_t n, float sign)
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

LIBRARY_WIDE static void exponentiate(const float *x, size_t n, float shift, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = expf(x[i] - shift);
}

LIBRARY_WIDE static void shift_and_scale(const float *x, size_t n, float shift, float factor,
                                         float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - shift) * factor;
}

LIBRARY_WIDE static void multiply(const float *x, size_t n, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] *= x[i];
}

LIBRARY_WIDE static void add(const float *x, size_t n, float *y)
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
