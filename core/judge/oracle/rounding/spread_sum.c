#include "core/judge/oracle/rounding/spread_sum.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/rounding/rounding.h"

static void count_drift(struct spread_sum *sum, float loop)
{
    double off = fabs((double)loop - sum->total);

    sum->drift = off > sum->drift ? off : sum->drift;
}

void spread_sum_turn(struct spread_sum *sum, const double *x, size_t n, double factor)
{
    float loop = 0;

    for (size_t i = n; i-- > 0;)
        loop += (float)(x[i] * factor);
    count_drift(sum, loop);
}

void spread_shares_turn(struct spread_shares *shares, const double *share, size_t n, double most)
{
    spread_sum_turn(&shares->plain, share, n, 1);
    spread_sum_turn(&shares->scaled, share, n, 1 / most);
}

/* The drift is a single sample of the error, so twice its size is allowed. */
double spread_sum_variance(const struct spread_sum *sum)
{
    double drift = isfinite(sum->drift) ? 2 * sum->drift / ROUNDING_DEVIATIONS : 0;

    return ROUNDING_VARIANCE * (sum->squares + sum->magnitude * sum->magnitude) + drift * drift;
}

static double relative_variance(const struct spread_sum *sum)
{
    return sum->total > 0 ? spread_sum_variance(sum) / (sum->total * sum->total) : 0;
}

double spread_shares_variance(const struct spread_shares *shares)
{
    return fmax(relative_variance(&shares->plain), relative_variance(&shares->scaled));
}

double spread_shares_variance_of(const double *x, size_t n, double less)
{
    struct spread_shares shares = {0};
    double *share = mem_alloc_zeroed(n + 1, sizeof(*share)), most = 0;

    for (size_t i = 0; i < n; i++) {
        share[i] = exp(x[i] - less);
        most = fmax(most, share[i]);
    }
    for (size_t i = 0; i < n && most > 0; i++)
        spread_shares_add(&shares, share[i], most);
    if (most > 0)
        spread_shares_turn(&shares, share, n, most);
    free(share);
    return spread_shares_variance(&shares);
}

void spread_product_multiply(struct spread_product *p, double x, double variance, bool is_integer)
{
    p->variance = p->variance * x * x + (p->product * p->product + p->variance) * variance;
    p->product *= x;
    p->variance += is_integer ? 0 : ROUNDING_VARIANCE * p->product * p->product;
    p->alike += !is_integer && x == p->last;
    p->last = x;
}

/*
 * A tree multiplies n / 2 equal pairs, then n / 4 of these, ...: of n equal elements its product is
 * off by up to n / 2 roundings, and by 0.3 n in root mean square.
 */
double spread_product_variance(const struct spread_product *p)
{
    double off = p->alike / 4 * p->product;

    return p->variance + ROUNDING_VARIANCE * off * off;
}

double spread_sum_bias(double total, double squares, double terms)
{
    double likeness = total * total / (terms * squares);
    double ties = ROUNDING_UNIT * terms * total / (2 * ROUNDING_DEVIATIONS);
    double lost =
        fmin(ROUNDING_UNIT * ROUNDING_UNIT * terms * terms / 6, 1e-3) * total / ROUNDING_DEVIATIONS;

    return lost * lost + (likeness > 0.9 ? ties * ties * fmin(10 * (likeness - 0.9), 1) : 0);
}

static double square(double x)
{
    return x * x;
}

/* The sums of one pass over the elements. */
struct pass {
    struct spread_sum sum, square_sum;
    double variances, variance_squares; /* sums of the elements' variances and of their squares */
    double fourth;                      /* sum of x^4 */
};

static struct pass pass_over(const double *x, const double *variance, size_t n)
{
    struct pass p = {0};

    for (size_t i = 0; i < n; i++) {
        double own = square(x[i]);

        spread_sum_add(&p.sum, x[i]);
        spread_sum_add(&p.square_sum, own);
        p.variances += variance[i];
        p.variance_squares += variance[i] * variance[i];
        p.fourth += own * own;
    }
    return p;
}

/* Sums over squares around the centre. */
struct centred {
    struct spread_sum squares;
    double weighted; /* their sum, weighted by the variances */
};

static struct centred centre_on(const double *x, const double *variance, size_t n, double centre)
{
    struct centred c = {0};
    float turned = 0;

    for (size_t i = 0; i < n; i++) {
        double own = square(x[i] - centre);

        spread_sum_add(&c.squares, own);
        c.weighted += own * variance[i];
    }
    for (size_t i = n; i-- > 0;)
        turned += (float)square(x[i] - centre);
    count_drift(&c.squares, turned);
    return c;
}

/*
 * The variance of the sum of squares if they are divided by the largest one first, so that none
 * overflows: then equal ones round in another way.
 */
static double scaled_variance(const double *x, size_t n)
{
    struct spread_sum sum = {0};
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    for (size_t i = 0; i < n && most > 0; i++)
        spread_sum_add(&sum, x[i] / most * (x[i] / most));
    return most > 0 ? spread_sum_variance(&sum) * most * most * most * most : 0;
}

/*
 * The variances of the sums of x - s and of its square in order, where s is the line's first
 * element: x lies `far` from s in the mean, and its squares around the mean add up to `centred`.
 * The partial sums of squares grow evenly.
 */
struct shifted {
    double sum, squares;
};

static struct shifted shift(double centred, double far, double n)
{
    double total = centred + n * far * far;
    double unit = ROUNDING_VARIANCE * (n / 3 + 4) * total;

    return (struct shifted){unit * n, unit * total + 4 * far * far * unit * n};
}

/*
 * The variance of the mean square: inherited from the elements, of which each may be off by all
 * deviations, as one is that another choice replaces; and that of computing it from a sum
 * of rounded squares, either around the mean or with the squared mean subtracted afterwards. Both
 * sums count: equal elements may be exact in one of them and drift in the other. Or all elements
 * are shifted by the first one before, as in Chan, Golub and LeVeque, "Algorithms for Computing the
 * Sample Variance", 1983, which errs more if that lies far from the mean.
 */
struct spread_moments spread_moments_of(const double *x, const double *variance, size_t n,
                                        bool is_centred)
{
    struct pass p = pass_over(x, variance, n);
    double count = (double)n, mean = is_centred ? p.sum.total / count : 0,
           mean_square = mean * mean;
    struct centred c = centre_on(x, variance, n, mean);
    double inherited = 4 * c.weighted + square(ROUNDING_DEVIATIONS) * p.variance_squares +
                       p.variances * p.variances;
    double squares = spread_sum_variance(&c.squares);
    double own = spread_sum_variance(&p.square_sum) +
                 (is_centred ? squares : fmax(squares, scaled_variance(x, n))) +
                 ROUNDING_VARIANCE * p.fourth + 4 * mean_square * spread_sum_variance(&p.sum);
    double far = is_centred && n > 0 ? mean - x[0] : 0, sum = spread_sum_variance(&p.sum);

    if (is_centred && isfinite(far)) {
        struct shifted shifted = shift(c.squares.total, far, count);

        own = fmax(own, shifted.squares + ROUNDING_VARIANCE * count * count * square(far * far));
        sum = fmax(sum, shifted.sum);
    }

    return (struct spread_moments){
        .mean = mean,
        .mean_variance = (sum + p.variances) / (count * count),
        .square = c.squares.total / count,
        .square_variance =
            (inherited + own) / (count * count) + ROUNDING_VARIANCE * mean_square * mean_square,
    };
}

struct spread_scale spread_scale_of(double square, double square_variance, double eps)
{
    double reach = ROUNDING_DEVIATIONS * sqrt(square_variance);
    double scale = 1 / sqrt(square + eps), least = fmax(square - reach, 0) + eps;
    double off = least > 0 ? 1 / sqrt(least) - scale : (double)INFINITY;

    off += 16 * ROUNDING_UNIT * scale;
    return (struct spread_scale){scale, off / ROUNDING_DEVIATIONS};
}

double spread_norm_most(double y, double n)
{
    double most = (fabs(y) + sqrt(n)) / ROUNDING_DEVIATIONS;

    return most * most;
}
