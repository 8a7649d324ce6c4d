#include "core/suite/statistics/success.h"

#include <math.h>

double success_at(size_t count, size_t right, size_t k)
{
    double all_wrong = 1;

    if (k == 0 || k > count || right > count)
        return (double)NAN;
    if (k > count - right)
        return 1;
    /* The quotient of the binomials as a product, which does not overflow. */
    for (size_t i = count - right + 1; i <= count; i++)
        all_wrong *= 1 - (double)k / (double)i;
    return 1 - all_wrong;
}
