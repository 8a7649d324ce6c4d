#include <math.h>

#include "core/judge/host_library/host_library_family.h"

WIDE void host_library_repeat(float one, size_t n, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = one;
}

WIDE double host_library_sum(const float *x, size_t n)
{
    double total = 0;

#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < n; i++)
        total += (double)x[i];
    return total;
}

WIDE double host_library_sum_squares(const float *x, size_t n, double centre)
{
    double total = 0;

#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < n; i++)
        total += ((double)x[i] - centre) * ((double)x[i] - centre);
    return total;
}

WIDE float host_library_largest(const float *x, size_t n, float sign)
{
    float largest = -INFINITY;
    int is_nan = 0;

#pragma omp simd reduction(max : largest) reduction(| : is_nan)
    for (size_t i = 0; i < n; i++) {
        const float one = sign * x[i];

        largest = one > largest ? one : largest;
        is_nan |= one != one;
    }
    return is_nan ? NAN : largest;
}

WIDE double host_library_sum_exp(const float *x, size_t n, float centre)
{
    double total = 0;

#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < n; i++)
        total += (double)expf(x[i] - centre);
    return total;
}

WIDE static void exponentiate(const float *x, size_t n, float shift, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = expf(x[i] - shift);
}

WIDE void host_library_rescale(const float *x, size_t n, struct host_library_scale scale, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - scale.centre) * scale.factor + scale.term;
}

void host_library_softmax(const float *x, size_t n, float largest, float *y)
{
    exponentiate(x, n, largest, y);
    host_library_rescale(
        y, n, (struct host_library_scale){.factor = (float)(1 / host_library_sum(y, n))}, y);
}
