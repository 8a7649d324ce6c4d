#include "core/judge/oracle/spread_reduction.h"

#include <math.h>

#include "core/judge/oracle/spread_sum.h"

/*
 * The variance that a sum inherits from its terms. An implementation may sum earlier than the graph
 * does, for example the rows of x instead of those of x w. All terms then share their errors, which
 * no longer cancel. Class f32 allows for this; in class mixed the errors would be too large.
 */
static double inherit(const struct spread_line *line)
{
    double variances = 0, deviations = 0;

    for (size_t i = 0; i < line->values.n; i++) {
        variances += line->variance[i];
        deviations += sqrt(line->variance[i]);
    }
    return line->is_mixed ? variances : deviations * deviations;
}

static double spread_total(const struct spread_line *line)
{
    struct spread_sum sum = {0};

    for (size_t i = 0; i < line->values.n; i++)
        spread_sum_add(&sum, line->values.x[i]);
    spread_sum_turn(&sum, line->values.x, line->values.n, 1);
    return inherit(line) + (line->is_integer ? 0 : spread_sum_variance(&sum));
}

void spread_reduction_sum(const struct spread_line *line, double *variance)
{
    *variance = isfinite(*line->y) ? spread_total(line) : 0;
}

void spread_reduction_mean(const struct spread_line *line, double *variance)
{
    double n = (double)line->values.n;

    *variance = isfinite(*line->y) ? spread_total(line) / (n * n) : 0;
}

/* The largest number that sign * element i may be. */
static double reach(const struct spread_line *line, size_t i, double sign)
{
    return sign * line->values.x[i] + ROUNDING_DEVIATIONS * sqrt(line->variance[i]);
}

/* A bound that the largest element certainly reaches. */
static double find_sure(const struct spread_line *line, double sign)
{
    double sure = (double)-INFINITY;

    for (size_t i = 0; i < line->values.n; i++)
        sure = fmax(sure, sign * line->values.x[i] - ROUNDING_DEVIATIONS * sqrt(line->variance[i]));
    return sure;
}

static void spread_extreme(const struct spread_line *line, double sign, double *variance)
{
    double sure = find_sure(line, sign), most = 0;

    for (size_t i = 0; i < line->values.n; i++)
        if (line->variance[i] > most && reach(line, i, sign) >= sure)
            most = line->variance[i];
    *variance = most;
}

void spread_reduction_max(const struct spread_line *line, double *variance)
{
    spread_extreme(line, 1, variance);
}

void spread_reduction_min(const struct spread_line *line, double *variance)
{
    spread_extreme(line, -1, variance);
}

/* The variance of an index. Exact elements cannot change places: of equal ones the first counts. */
static void spread_place(const struct spread_line *line, double sign, double *variance)
{
    double sure = find_sure(line, sign), far = 0, best = *line->y;
    bool is_sure = line->variance[(size_t)best] == 0;

    for (size_t i = 0; i < line->values.n; i++)
        if ((line->variance[i] > 0 || !is_sure) && reach(line, i, sign) >= sure)
            far = fmax(far, fabs((double)i - best));
    *variance = far * far / (ROUNDING_DEVIATIONS * ROUNDING_DEVIATIONS);
}

void spread_reduction_argmax(const struct spread_line *line, double *variance)
{
    spread_place(line, 1, variance);
}

void spread_reduction_argmin(const struct spread_line *line, double *variance)
{
    spread_place(line, -1, variance);
}

void spread_reduction_prod(const struct spread_line *line, double *variance)
{
    struct spread_product p = {.product = 1};

    for (size_t i = 0; i < line->values.n; i++)
        spread_product_multiply(&p, line->values.x[i], line->variance[i], line->is_integer);
    *variance = isfinite(p.product) ? spread_product_variance(&p) : 0;
}

void spread_reduction_var(const struct spread_line *line, double *variance)
{
    double n = (double)line->values.n;
    double freedom = n - (double)line->values.attributes[2].integers[0];
    struct spread_moments m =
        spread_moments_of(line->values.x, line->variance, line->values.n, true);
    double factor = n / freedom;

    *variance = isfinite(*line->y) ? m.square_variance * factor * factor : 0;
}

/*
 * Errors of x are weighted by the softmax; those of the sum and the logarithm are added as they
 * are. The errors of x may be one error that all of them share, that of a mean that was subtracted,
 * so in class f32 they are added like those of a sum.
 */
void spread_reduction_logsumexp(const struct spread_line *line, double *variance)
{
    double y = *line->y, off = 0, most = 0, variances = 0, deviations = 0;

    for (size_t i = 0; i < line->values.n && isfinite(y); i++) {
        double x = line->values.x[i], share = exp(x - y);

        if (share == 0)
            continue;
        off += share * share * ROUNDING_VARIANCE * x * x;
        variances += share * share * line->variance[i];
        deviations += share * sqrt(line->variance[i]);
        most = fmax(most, fabs(x));
    }
    most = ROUNDING_UNIT * (4 * most + 6 * fabs(y) + 6) / ROUNDING_DEVIATIONS;
    if (isfinite(y))
        off += (line->is_mixed ? variances : deviations * deviations) +
               spread_shares_variance_of(line->values.x, line->values.n, y) + most * most;
    *variance = isfinite(y) ? off : 0;
}
