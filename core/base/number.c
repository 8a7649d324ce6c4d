#include "core/base/number.h"

int64_t number_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

int64_t number_round_up(int64_t size, int64_t step)
{
    return (size + step - 1) / step * step;
}
