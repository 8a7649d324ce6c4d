#include <math.h>

#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/spread_reduction.h"

static double sum_of(const struct oracle_line *line)
{
    double total = 0;

    for (size_t i = 0; i < line->n; i++)
        total += line->x[i];
    return total;
}

static void sum(const struct oracle_line *line, double *y)
{
    *y = sum_of(line);
}

static void mean(const struct oracle_line *line, double *y)
{
    *y = sum_of(line) / (double)line->n;
}

static void prod(const struct oracle_line *line, double *y)
{
    double product = 1;

    for (size_t i = 0; i < line->n; i++)
        product *= line->x[i];
    *y = product;
}

/* Computed in two passes; NaN if there are no more elements than the correction. */
static void var(const struct oracle_line *line, double *y)
{
    double centre = sum_of(line) / (double)line->n, total = 0;
    double freedom = (double)line->n - (double)line->attributes[2].integers[0];

    for (size_t i = 0; i < line->n; i++)
        total += (line->x[i] - centre) * (line->x[i] - centre);
    *y = freedom > 0 ? total / freedom : (double)NAN;
}

/* Index of the first of the largest elements of sign * x, or of the first NaN. */
static size_t find_extreme(const struct oracle_line *line, double sign)
{
    size_t best = 0;

    for (size_t i = 1; i < line->n && !isnan(line->x[best]); i++)
        if (isnan(line->x[i]) || sign * line->x[i] > sign * line->x[best])
            best = i;
    return best;
}

static void max(const struct oracle_line *line, double *y)
{
    *y = line->x[find_extreme(line, 1)];
}

static void min(const struct oracle_line *line, double *y)
{
    *y = line->x[find_extreme(line, -1)];
}

static void argmax(const struct oracle_line *line, double *y)
{
    *y = (double)find_extreme(line, 1);
}

static void argmin(const struct oracle_line *line, double *y)
{
    *y = (double)find_extreme(line, -1);
}

/* The largest element is subtracted first, so that nothing overflows. */
static void logsumexp(const struct oracle_line *line, double *y)
{
    double largest = line->x[find_extreme(line, 1)], total = 0;

    for (size_t i = 0; i < line->n; i++)
        total += exp(line->x[i] - largest);
    *y = isinf(largest) ? largest : largest + log(total);
}

#define REDUCTION(function, ...)                                                                \
    {                                                                                           \
#function, .evaluate = oracle_lines, .spread = oracle_spread_lines, .line = (function), \
                   .spread_line = spread_reduction_##function, __VA_ARGS__                      \
    }
#define KEEPS .keeps_elements = true

const struct oracle_rule oracle_reduction[] = {
    REDUCTION(sum, .error = {0}),
    REDUCTION(mean, .error = {0}),
    REDUCTION(max, KEEPS),
    REDUCTION(min, KEEPS),
    REDUCTION(prod, .error = {0}),
    REDUCTION(var, .error = {0}),
    REDUCTION(argmax, KEEPS),
    REDUCTION(argmin, KEEPS),
    REDUCTION(logsumexp, .error = {0}),
    {0},
};
