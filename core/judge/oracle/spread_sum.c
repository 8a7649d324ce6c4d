#include "core/judge/oracle/spread_sum.h"

#include <math.h>

#include "core/judge/oracle/rounding.h"

static const double unit_variance = ROUNDING_UNIT * ROUNDING_UNIT / 3;

void spread_sum_add(struct spread_sum *sum, double x)
{
    double off;

    sum->total += x;
    sum->magnitude += fabs(x);
    sum->squares += sum->total * sum->total;
    sum->loop += (float)x;
    off = fabs((double)sum->loop - sum->total);
    sum->drift = off > sum->drift ? off : sum->drift;
}

/* The drift is a single sample, so twice as much is allowed. */
double spread_sum_variance(const struct spread_sum *sum)
{
    double drift = isfinite(sum->drift) ? 2 * sum->drift / ROUNDING_DEVIATIONS : 0;

    return unit_variance * (sum->squares + sum->magnitude * sum->magnitude) + drift * drift;
}

static double add_all(const double *x, size_t n, double centre, bool is_squared)
{
    double total = 0;

    for (size_t i = 0; i < n; i++)
        total += is_squared ? (x[i] - centre) * (x[i] - centre) : x[i] - centre;
    return total;
}

/* The variance of the mean square of n elements around `centre`, from those of the elements. */
static double inherit(const double *x, const double *variance, size_t n, double centre)
{
    double linear = 0, squares = 0, total = 0, count = (double)n;

    for (size_t i = 0; i < n; i++) {
        linear += 4 * (x[i] - centre) * (x[i] - centre) * variance[i];
        squares += 2 * variance[i] * variance[i];
        total += variance[i];
    }
    return (linear + squares + total * total) / (count * count);
}

/* Squares are rounded before they are added. */
static double square_error(const double *x, size_t n)
{
    struct spread_sum sum = {0};
    double rounding = 0;

    for (size_t i = 0; i < n; i++) {
        spread_sum_add(&sum, x[i] * x[i]);
        rounding += unit_variance * x[i] * x[i] * x[i] * x[i];
    }
    return (spread_sum_variance(&sum) + rounding) / ((double)n * (double)n);
}

struct spread_moments spread_moments_of(const double *x, const double *variance, size_t n,
                                        bool is_centred)
{
    double count = (double)n;
    struct spread_sum sum = {0};
    struct spread_moments m = {0};

    for (size_t i = 0; i < n; i++)
        spread_sum_add(&sum, x[i]);
    m.mean = sum.total / count;
    m.mean_variance =
        (spread_sum_variance(&sum) + add_all(variance, n, 0, false)) / (count * count);
    m.mean = is_centred ? m.mean : 0;
    m.square = add_all(x, n, m.mean, true) / count;
    m.square_variance = inherit(x, variance, n, m.mean) + square_error(x, n);
    if (is_centred)
        m.square_variance += 4 * m.mean * m.mean * spread_sum_variance(&sum) / (count * count) +
                             unit_variance * m.mean * m.mean * m.mean * m.mean;
    return m;
}

struct spread_scale spread_scale_of(double square, double square_variance, double eps)
{
    double reach = ROUNDING_DEVIATIONS * sqrt(square_variance);
    double scale = 1 / sqrt(square + eps), least = fmax(square - reach, 0) + eps;
    double off = least > 0 ? 1 / sqrt(least) - scale : (double)INFINITY;

    off += 16 * ROUNDING_UNIT * scale;
    return (struct spread_scale){scale, off / ROUNDING_DEVIATIONS};
}
