/*
 * The common part of the kernel languages (dialect.h) in CUDA C++.  larger() and smaller() return
 * NaN if an operand is NaN.  The names defined here must not be names that a dimension of a problem
 * may have, because dimensions can be macros.
 */

#define __kernel extern "C" __global__
#define __global
#define restrict __restrict__
#define INFINITY __int_as_float(0x7f800000)
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define FUNCTION template <class number> __device__ inline
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
struct half { ushort bits; };
FUNCTION number larger(number a, number b) { return (a < b) | (b != b) ? b : a; }
FUNCTION number smaller(number a, number b) { return (b < a) | (b != b) ? b : a; }
#if __CUDA_ARCH__ >= 800
#define ORDER(name, instruction) \
    __device__ inline float name(float a, float b) \
    { \
        float found; \
        asm(instruction ".NaN.f32 %0, %1, %2;" : "=f"(found) : "f"(a), "f"(b)); \
        return found; \
    }
ORDER(larger, "max") ORDER(smaller, "min")
#endif
/* log(exp(a) + exp(b)) */
__device__ inline float log_add(float a, float b)
{
    return a == b ? a + 0.693147181f : larger(a, b) + log1pf(expf(-fabsf(a - b)));
}
FUNCTION number tanh_log1p(number x) { const number n = x * (x + 2.0f); return n / (n + 2.0f); }
FUNCTION number sign(number a) { return (number)((a > 0) - (a < 0)); }
#define max larger
#define min smaller
#define as_uint __float_as_uint
#define as_float __uint_as_float
#define get_global_id(axis) ((size_t)blockIdx.x * blockDim.x + threadIdx.x)
__device__ inline float vload_half(size_t i, const half *p)
{
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(p[i].bits));
    return x;
}
__device__ inline void vstore_half(float x, size_t i, half *p)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(p[i].bits) : "f"(x));
}
