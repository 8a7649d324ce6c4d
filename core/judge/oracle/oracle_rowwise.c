#include <math.h>

#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/row_order.h"
#include "core/judge/oracle/rounding/second_evaluation.h"
#include "core/judge/oracle/rounding/spread_rowwise.h"

static double largest_of(const struct oracle_line *line)
{
    double largest = line->x[0];

    for (size_t i = 1; i < line->n; i++)
        largest = fmax(largest, line->x[i]);
    return largest;
}

static double sum_exp(const struct oracle_line *line, double shift)
{
    double total = 0;

    for (size_t i = 0; i < line->n; i++)
        total += exp(line->x[i] - shift);
    return total;
}

static void softmax(const struct oracle_line *line, double *y)
{
    double shift = largest_of(line), total = sum_exp(line, shift);

    for (size_t i = 0; i < line->n; i++)
        y[i] = exp(line->x[i] - shift) / total;
    if (line->moves != 0)
        total = 1 + line->moves * spread_rowwise_denominator(line->x, y, line->n);
    for (size_t i = 0; line->moves != 0 && i < line->n; i++)
        y[i] /= total;
    if (line->errs != 0)
        own_error_weigh(line, shift, y);
}

static void log_softmax(const struct oracle_line *line, double *y)
{
    double shift = largest_of(line), log_total = log(sum_exp(line, shift));

    for (size_t i = 0; i < line->n; i++)
        y[i] = line->x[i] - shift - log_total;
    if (line->moves != 0)
        log_total = line->moves * spread_rowwise_log_denominator(line->x, y, line->n);
    for (size_t i = 0; line->moves != 0 && i < line->n; i++)
        y[i] -= log_total;
}

static void cumsum(const struct oracle_line *line, double *y)
{
    double total = 0;

    for (size_t i = 0; i < line->n; i++)
        y[i] = total += line->x[i];
}

static void cumprod(const struct oracle_line *line, double *y)
{
    double product = 1;

    for (size_t i = 0; i < line->n; i++)
        y[i] = product *= line->x[i];
}

/* From the first NaN on all results are NaN. */
static void cummax(const struct oracle_line *line, double *y)
{
    double most = line->x[0];

    for (size_t i = 0; i < line->n; i++)
        y[i] = most = line->x[i] > most || isnan(line->x[i]) ? line->x[i] : most;
}

/* The sum of exponentials is kept relative to that of the largest element so far. */
static void logcumsumexp(const struct oracle_line *line, double *y)
{
    double most = (double)-INFINITY, total = 0;

    for (size_t i = 0; i < line->n; i++) {
        double x = line->x[i];

        if (x > most || isnan(x)) {
            total *= exp(most - x);
            most = x;
        }
        total += isinf(x) ? x == most : exp(x - most);
        y[i] = isfinite(most) ? most + log(total) : most;
    }
}

static void argsort(const struct oracle_line *line, double *y)
{
    row_order_find(line->x, line->n, line->attributes[1].integers[0] != 0, y);
}

/* Scale a line so that its mean square around `centre` is 1, then apply weight and bias. */
static void normalize(const struct oracle_line *line, double centre, bool is_centred, double *y)
{
    double eps = line->attributes[0].number, squares = 0;

    for (size_t i = 0; i < line->n; i++)
        squares += (line->x[i] - centre) * (line->x[i] - centre);

    double scale = 1 / sqrt(squares / (double)line->n + eps);

    if (line->moves != 0)
        shared_error_move_norm(line, is_centred, &centre, &scale);
    for (size_t i = 0; i < line->n; i++)
        y[i] = (line->x[i] - centre) * scale * (line->weight ? line->weight[i] : 1) +
               (line->bias ? line->bias[i] : 0);
}

/* Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019. */
static void rms_norm(const struct oracle_line *line, double *y)
{
    normalize(line, 0, false, y);
}

/* Ba, Kiros and Hinton, "Layer Normalization", 2016. */
static void layer_norm(const struct oracle_line *line, double *y)
{
    double total = 0;

    for (size_t i = 0; i < line->n; i++)
        total += line->x[i];
    normalize(line, total / (double)line->n, true, y);
}

#define ROWWISE(function, ...)                                                                  \
    {                                                                                           \
#function, .evaluate = oracle_lines, .spread = oracle_spread_lines, .line = (function), \
                   .spread_line = spread_rowwise_##function, __VA_ARGS__                        \
    }
#define SCANS .is_scan = true

const struct oracle_rule oracle_rowwise[] = {
    ROWWISE(softmax, .errs_itself = true),
    ROWWISE(log_softmax, .error = {0}),
    ROWWISE(cumsum, SCANS),
    ROWWISE(cumprod, SCANS),
    ROWWISE(cummax, .keeps_elements = true),
    ROWWISE(logcumsumexp, SCANS),
    ROWWISE(argsort, .error = {0}),
    ROWWISE(rms_norm, .error = {0}),
    ROWWISE(layer_norm, .error = {0}),
    {0},
};
