#include "core/judge/oracle/elementwise/changes.h"

#include <math.h>

#include "core/base/attr.h"
#include "core/judge/oracle/elementwise/strip.h"

WIDE void changes_find(const double *moved, const double *y, double *restrict off)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        double change = fabs(moved[i] - y[i]);

        off[i] = change >= 0 ? change : 0;
    }
}

WIDE double changes_widen_small(const double *x, const double *steps, double *restrict off)
{
    double others = 0;

    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        bool is_small = steps[i] < 1e-3 * fabs(x[i]) && off[i] > 0;

        off[i] = is_small ? 1.01 * off[i] : off[i];
        others += !is_small && steps[i] != 0;
    }
    return others;
}

WIDE void changes_take_larger(const double *other, double *restrict off)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        off[i] = other[i] > off[i] ? other[i] : off[i];
}
