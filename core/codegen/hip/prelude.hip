/*
 * The common part of the kernel languages (dialect.h) in HIP. It differs from CUDA C++ only in the
 * conversions of halves and in names that HIP already defines.  larger() and smaller() return NaN if
 * an operand is NaN.
 */

#pragma clang force_cuda_host_device begin
#define __kernel extern "C" __global__
#define __global
#define restrict __restrict__
#undef INFINITY
#undef INT_MIN
#undef INT_MAX
#undef LONG_MIN
#undef LONG_MAX
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
struct half_bits { ushort bits; };
#define half half_bits
FUNCTION number larger(number a, number b) { return (a < b) | (b != b) ? b : a; }
FUNCTION number smaller(number a, number b) { return (b < a) | (b != b) ? b : a; }
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
    return __half2float(__ushort_as_half(p[i].bits));
}
__device__ inline void vstore_half(float x, size_t i, half *p)
{
    p[i].bits = __half_as_ushort(__float2half_rn(x));
}
