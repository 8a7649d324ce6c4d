#include "core/base/steadiness.h"

static const double widest = 4;

bool steadiness_is_lost(double low, double high)
{
    return low > 0 && high > widest * low;
}

bool steadiness_is_gain(double gain)
{
    const double noise = 1.01;

    return gain > noise;
}
