#include "core/judge/task/same_numbers.h"

#include <math.h>

/* Bounds on the rounding error of long sums in double precision: relative, and near zero. */
static const double relative_rounding = 1e-12, absolute_rounding = 1e-15;

bool same_numbers(double a, double b)
{
    double size = fmax(fabs(a), fabs(b));

    return a == b ||
           (isfinite(size) && fabs(a - b) <= relative_rounding * size + absolute_rounding);
}

bool same_numbers_equal(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!same_numbers(a[i], b[i]))
            return false;
    return true;
}

bool same_numbers_all(const double *elements, size_t count, double number)
{
    for (size_t i = 0; i < count; i++)
        if (!same_numbers(elements[i], number))
            return false;
    return true;
}
