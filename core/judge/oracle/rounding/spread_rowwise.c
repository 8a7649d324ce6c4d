#include "core/judge/oracle/rounding/spread_rowwise.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/choice/choice.h"
#include "core/judge/oracle/rounding/spread_sum.h"

static double square(double x)
{
    return x * x;
}

static double largest_of(const double *x, size_t n)
{
    double largest = x[0];

    for (size_t i = 1; i < n; i++)
        largest = fmax(largest, x[i]);
    return largest;
}

/* The first place of the largest element. */
static size_t place_of_largest(const double *x, size_t n)
{
    size_t place = 0;

    for (size_t i = 1; i < n; i++)
        place = x[i] > x[place] ? i : place;
    return place;
}

/* Errors of arguments beyond which their exponentials say nothing. */
static const double most_reach = 40;

/*
 * The variance of exp(x), relative to it, when x has this variance, and its argument x - shift is
 * rounded. Large errors grow like the function.
 */
static double relative_variance(double x, double shift, double variance)
{
    double reach =
        ROUNDING_DEVIATIONS * sqrt(variance + ROUNDING_VARIANCE * (x * x + shift * shift));

    return square((expm1(fmin(reach, most_reach)) + 8 * ROUNDING_UNIT) / ROUNDING_DEVIATIONS);
}

/* The variance of the sum of n shares y, relative to it. */
static double denominator_variance(const double *y, size_t n)
{
    double most = largest_of(y, n);
    struct spread_shares shares = {0};

    for (size_t i = 0; i < n && most > 0; i++)
        spread_shares_add(&shares, y[i], most);
    if (most > 0)
        spread_shares_turn(&shares, y, n, most);
    return spread_shares_variance(&shares) + ROUNDING_VARIANCE;
}

double spread_rowwise_sum(const double *y, size_t n)
{
    return sqrt(denominator_variance(y, n));
}

double spread_rowwise_argument(double x, double shift)
{
    return ROUNDING_UNIT + sqrt(ROUNDING_VARIANCE * (x * x + shift * shift));
}

/*
 * The variance of a share y whose exponential has a relative variance `own`, and the others
 * `others` together. y e / (y e + 1 - y) grows less than e, and no share is above 1.
 */
static double share_variance(double y, double own, double others)
{
    double grown = 1 + y * ROUNDING_DEVIATIONS * sqrt(own);
    double off = square(y) * (square((1 - y) / grown) * own + others);

    return fmin(off, square(fmax(y, 1 - y) / ROUNDING_DEVIATIONS));
}

/*
 * The largest term without that of an element, `own`. If it is this element's, rounding may have
 * made the two differ, since compilers may or may not round a product before they add it: where a
 * mask is not sure, a term is as large as 1e30, and its last digit exceeds all others.
 */
static double largest_of_others(double largest, double own)
{
    return own < largest * (1 - 0x1p-20) ? largest - own : 0;
}

/*
 * dy_i = y_i (dx_i - sum of y_j dx_j) for small errors. The largest term is kept apart from the sum
 * of the others, since a term that is subtracted from a sum which it dominates leaves no digits.
 */
void spread_rowwise_weights(const double *x, const double *given, const double *y, size_t n,
                            double *variance)
{
    double shift = largest_of(x, n), others = denominator_variance(y, n), largest = 0;

    for (size_t i = 0; i < n; i++) {
        double term;

        variance[i] = y[i] > 0 ? relative_variance(x[i], shift, given[i]) : 0;
        term = y[i] * y[i] * variance[i];
        others += fmin(term, largest);
        largest = fmax(term, largest);
    }
    for (size_t i = 0; i < n; i++) {
        double rest = largest_of_others(largest, y[i] * y[i] * variance[i]);

        variance[i] = share_variance(y[i], variance[i], others + rest);
    }
}

/* A share gains as much as others lose, and their errors add up (ROUNDING_FLIP). */
static void widen(double *variance, double off)
{
    *variance = fmax(*variance, square(ROUNDING_FLIP * off / ROUNDING_DEVIATIONS));
}

/*
 * Errors beyond the range of an exponential may make another element the largest one: it then has
 * the share that the largest one loses.
 */
static void spread_large_errors(const double *x, const double *given, const double *y, size_t n,
                                double *variance)
{
    size_t place = place_of_largest(x, n);
    double lost = 0;

    for (size_t i = 0; i < n; i++) {
        double reach = ROUNDING_DEVIATIONS * sqrt(given[i] + given[place]);
        double share = exp(fmin(reach - (x[place] - x[i]), 0));

        if (i == place || !(reach > most_reach) || isnan(share))
            continue;
        lost += share;
        widen(&variance[i], share * fmax(y[i], 1 - y[i]));
    }
    widen(&variance[place], fmin(lost, 1) * fmax(y[place], 1 - y[place]));
}

void spread_rowwise_far_weights(const double *x, const double *given, const double *y, size_t n,
                                double *variance)
{
    bool is_large = ROUNDING_DEVIATIONS * sqrt(2 * largest_of(given, n)) > most_reach;
    double *kept = is_large ? mem_alloc_zeroed(n, sizeof(*kept)) : NULL;

    if (is_large)
        memcpy(kept, given, n * sizeof(*kept));
    spread_rowwise_weights(x, given, y, n, variance);
    if (is_large)
        spread_large_errors(x, kept, y, n, variance);
    free(kept);
}

double spread_rowwise_denominator(const double *x, const double *y, size_t n)
{
    double shift = largest_of(x, n), variance = denominator_variance(y, n);

    for (size_t i = 0; i < n; i++)
        variance += y[i] > 0 ? square(y[i]) * relative_variance(x[i], shift, 0) : 0;
    return sqrt(variance);
}

/* The least and the largest share that an element may have, of a sum that is 1. */
struct shares {
    double least, most;
};

static struct shares shares_of(const struct spread_line *line, size_t i, double y, double shift,
                               double largest)
{
    struct choice_list list = choices_list(line->choices, line->names[i]);
    struct shares shares = {y, y};

    for (size_t k = 0; k < list.count; k++) {
        double share = exp(fmin(list.numbers[k] - shift, most_reach)) * largest;

        shares.least = fmin(shares.least, share);
        shares.most = fmax(shares.most, share);
    }
    return shares;
}

/* The least and the largest sum of shares y, which add up to 1, where elements may be others. */
static struct shares sum_of(const struct spread_line *line, const double *y, double shift,
                            double largest)
{
    struct shares sum = {1, 1};

    for (size_t i = 0; i < line->values.n; i++) {
        struct shares shares = shares_of(line, i, y[i], shift, largest);

        sum.least -= y[i] - shares.least;
        sum.most += shares.most - y[i];
    }
    sum.least = fmax(sum.least, DBL_MIN);
    return sum;
}

/*
 * Elements that rounding may leave out, or replace by other numbers: their shares are others then,
 * and all others grow or shrink as the sum does. These change by one factor, so that in a later sum
 * of products their changes add up: as many as the shares would be if they were equal.
 */
static void spread_choices(const struct spread_line *line, double *variance)
{
    const double *x = line->values.x, *y = line->y;
    size_t n = line->values.n, place = place_of_largest(x, n);
    struct shares sum = sum_of(line, y, x[place], y[place]);
    double squares = 0;

    for (size_t i = 0; i < n; i++)
        squares += square(y[i]);

    for (size_t i = 0; i < n; i++) {
        struct shares shares = shares_of(line, i, y[i], x[place], y[place]);
        double others_least = fmax(sum.least - shares.least, 0);
        double others_most = fmax(sum.most - shares.most, 0);
        double high = shares.most / fmax(others_least + shares.most, DBL_MIN);
        double low = shares.least / fmax(others_most + shares.least, DBL_MIN);

        double off = fmax(fmax(fmin(high, 1) - y[i], y[i] - low), 0);

        if (line->names[i] == 0 && squares > 0)
            off = fmin(off / sqrt(squares), fmax(y[i], 1 - y[i]));
        widen(&variance[i], off);
    }
}

/*
 * A kernel may compute an element once for the denominator and again for the share, and round it
 * only in one of them: exp(x * scale - largest), with x * scale and the difference in one
 * instruction, is not the exponential of the rounded product that it added up.
 */
void spread_rowwise_softmax(const struct spread_line *line, double *variance)
{
    const double *x = line->values.x, *y = line->y;

    spread_rowwise_weights(x, line->variance, y, line->values.n, variance);
    for (size_t i = 0; i < line->values.n; i++)
        if (line->variance[i] > 0)
            variance[i] += ROUNDING_VARIANCE * square(x[i] * y[i]);
    if (line->names)
        spread_choices(line, variance);
}

/* The variance that all results y have from the sum; `given` is NULL if x is exact. */
static double log_denominator_variance(const double *x, const double *given, const double *y,
                                       size_t n)
{
    double shift = largest_of(x, n), variance = 0;

    for (size_t i = 0; i < n; i++) {
        double share = exp(y[i]), own = given ? given[i] : 0;

        variance += share > 0 ? square(share) * relative_variance(x[i], shift, own) : 0;
    }
    return variance + spread_shares_variance_of(y, n, 0) + ROUNDING_VARIANCE * square(shift);
}

double spread_rowwise_log_denominator(const double *x, const double *y, size_t n)
{
    return sqrt(log_denominator_variance(x, NULL, y, n));
}

/* The same for logarithms of shares: each is off by what its own number and the sum may be off by.
 */
static void spread_log_choices(const struct spread_line *line, double *variance)
{
    const double *x = line->values.x;
    size_t n = line->values.n, place = place_of_largest(x, n);
    double *y = mem_alloc_zeroed(n, sizeof(*y));
    struct shares sum;

    for (size_t i = 0; i < n; i++)
        y[i] = exp(line->y[i]);
    sum = sum_of(line, y, x[place], y[place]);
    for (size_t i = 0; i < n; i++) {
        struct choice_list list = choices_list(line->choices, line->names[i]);
        double far = 0;

        for (size_t k = 0; k < list.count; k++)
            far = fmax(far, fabs(list.numbers[k] - x[i]));
        if (isfinite(line->y[i]) && isfinite(far))
            widen(&variance[i], far + fmax(log(sum.most), -log(sum.least)));
    }
    free(y);
}

/* dy_i = dx_i - sum of exp(y_j) dx_j */
void spread_rowwise_log_softmax(const struct spread_line *line, double *variance)
{
    const double *x = line->values.x;
    double shared = log_denominator_variance(x, line->variance, line->y, line->values.n);

    for (size_t i = 0; i < line->values.n; i++) {
        double own = ROUNDING_UNIT * (4 * fabs(x[i]) + 4 * fabs(line->y[i]) + 8);

        variance[i] = isfinite(line->y[i])
                          ? line->variance[i] + shared + square(own / ROUNDING_DEVIATIONS)
                          : 0;
    }
    if (line->names)
        spread_log_choices(line, variance);
}

void spread_rowwise_cumsum(const struct spread_line *line, double *variance)
{
    struct spread_sum sum = {0};
    double inherited = 0;

    for (size_t i = 0; i < line->values.n; i++) {
        double x = line->values.x[i];

        spread_sum_add(&sum, x);
        inherited += line->variance[i] * (1 + line->later.inherited) + line->later.own * x * x;
        variance[i] = inherited + (line->is_integer ? 0 : spread_sum_variance(&sum));
    }
}

void spread_rowwise_cumprod(const struct spread_line *line, double *variance)
{
    struct spread_product p = {.product = 1};

    for (size_t i = 0; i < line->values.n; i++) {
        spread_product_multiply(&p, line->values.x[i], line->variance[i], line->is_integer);
        variance[i] = isfinite(p.product) ? spread_product_variance(&p) : 0;
    }
}

/*
 * y = (x - mean) * scale * weight + bias. An implementation may compute x * scale and mean * scale
 * separately.
 */
static void spread_norm(const struct spread_line *line, bool is_centred, double *variance)
{
    const struct oracle_line *values = &line->values;
    double eps = values->attributes[0].number;
    struct spread_moments m = spread_moments_of(values->x, line->variance, values->n, is_centred);
    struct spread_scale s = spread_scale_of(m.square, m.square_variance, eps);
    double widest = square(s.scale + ROUNDING_DEVIATIONS * s.deviation);
    double mean_variance = is_centred ? m.mean_variance + ROUNDING_VARIANCE * square(m.mean) : 0;

    for (size_t i = 0; i < values->n; i++) {
        double x = values->x[i], centred = x - m.mean;
        double weight = values->weight ? values->weight[i] : 1;
        double off = (line->variance[i] + mean_variance + ROUNDING_VARIANCE * x * x) * widest +
                     square(centred * s.deviation);

        off = fmin(off, spread_norm_most(centred * s.scale, (double)values->n));
        variance[i] = square(weight) * off;
        variance[i] += line->weight ? line->weight[i] * square(centred * s.scale) : 0;
        variance[i] += line->bias ? line->bias[i] : 0;
    }
}

void spread_rowwise_rms_norm(const struct spread_line *line, double *variance)
{
    spread_norm(line, false, variance);
}

void spread_rowwise_layer_norm(const struct spread_line *line, double *variance)
{
    spread_norm(line, true, variance);
}
