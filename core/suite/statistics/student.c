#include "core/suite/statistics/student.h"

#include <math.h>

/*
 * The continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22; Press et
 * al., "Numerical Recipes", 3rd ed., section 6.4).
 */
static double beta_fraction(double a, double b, double x)
{
    enum { MOST_TERMS = 500 };
    const double tiny = 1e-300;
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), sum = d;

    for (int m = 1; m <= MOST_TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step = 1;

        for (int i = 0; i < 2; i++) {
            double term = i ? odd : even;

            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            step = d * c;
            sum *= step;
        }
        if (fabs(step - 1) < 1e-15)
            break;
    }
    return sum;
}

/* The regularized incomplete beta function. */
static double beta(double a, double b, double x)
{
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/*
 * The probability that |t| is at least `t` with `freedom` degrees of freedom, which may have a
 * fraction.
 */
static double tail_of(double t, double freedom)
{
    return beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

/* The t with tail_of(t, freedom) = tail, for 0 < tail < 1. */
static double quantile(double tail, double freedom)
{
    double low = 0, high = 1;

    while (tail_of(high, freedom) > tail && high < 1e300)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-13 * high; i++) {
        double middle = low + (high - low) / 2;

        if (tail_of(middle, freedom) > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Mean and variance of logarithms. */
struct moments {
    double mean, variance; /* variance: that of the mean; 0 with one value */
    size_t count;
};

static struct moments find_moments(const double *ratios, size_t count)
{
    struct moments m = {.count = count};
    double squares = 0;

    for (size_t i = 0; i < count; i++)
        m.mean += log(ratios[i]) / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += pow(log(ratios[i]) - m.mean, 2);
    if (count > 1)
        m.variance = squares / (double)(count - 1) / (double)count;
    return m;
}

static struct ratio around(double mean, double variance, double freedom)
{
    double width = variance > 0 ? quantile(0.05, freedom) * sqrt(variance) : 0;

    return (struct ratio){exp(mean), exp(mean - width), exp(mean + width)};
}

struct ratio student_mean(const double *ratios, size_t count)
{
    struct moments m = find_moments(ratios, count);

    if (count < 2)
        return count ? (struct ratio){exp(m.mean), 0, (double)INFINITY} : (struct ratio){0};
    return around(m.mean, m.variance, (double)count - 1);
}

struct student_comparison student_compare(const double *first, size_t first_count,
                                          const double *second, size_t second_count)
{
    struct moments a = find_moments(first, first_count), b = find_moments(second, second_count);
    struct student_comparison comparison = {.p = 1};
    double variance = a.variance + b.variance, difference = a.mean - b.mean, freedom;

    if (!first_count || !second_count)
        return comparison;
    comparison.ratio = (struct ratio){exp(difference), 0, (double)INFINITY};
    if (first_count < 2 || second_count < 2)
        return comparison;
    freedom = variance * variance /
              (a.variance * a.variance / (double)(first_count - 1) +
               b.variance * b.variance / (double)(second_count - 1));
    comparison.ratio = around(difference, variance, freedom);
    if (variance > 0)
        comparison.p = tail_of(fabs(difference) / sqrt(variance), freedom);
    else
        comparison.p = difference == 0 ? 1 : 0;
    return comparison;
}
