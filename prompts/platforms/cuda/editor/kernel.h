/*
 * The names of CUDA that kernels use, for clangd in an editor: it shows faults and completes names
 * without CUDA's toolkit, whose headers need a clang of the same age.  Only declarations: the
 * compiler of kforge never reads this file.
 */
#pragma once

#define __global__   __attribute__((global))
#define __device__   __attribute__((device))
#define __host__     __attribute__((host))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__
#define __grid_constant__
#define __forceinline__        inline __attribute__((always_inline))
#define __noinline__           __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...)
#define __align__(bytes)         __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))

#define CHAR_BIT     8
#define DBL_DIG      15
#define DBL_EPSILON  2.2204460492503131e-16
#define DBL_MANT_DIG 53
#define DBL_MAX      1.7976931348623157e308
#define DBL_MIN      2.2250738585072014e-308
#define FLT_DIG      6
#define FLT_EPSILON  1.19209290e-7f
#define FLT_MANT_DIG 24
#define FLT_MAX      3.40282347e38f
#define FLT_MIN      1.17549435e-38f
#define HUGE_VAL     __builtin_huge_val()
#define HUGE_VALF    __builtin_huge_valf()
#define INFINITY     __builtin_huge_valf()
#define INT16_MAX    32767
#define INT16_MIN    (-32768)
#define INT32_MAX    2147483647
#define INT32_MIN    (-2147483647 - 1)
#define INT64_MAX    9223372036854775807LL
#define INT64_MIN    (-9223372036854775807LL - 1)
#define INT8_MAX     127
#define INT8_MIN     (-128)
#define INT_MAX      2147483647
#define INT_MIN      (-2147483647 - 1)
#define LLONG_MAX    9223372036854775807LL
#define LLONG_MIN    (-9223372036854775807LL - 1)
#define LONG_MAX     9223372036854775807L
#define LONG_MIN     (-9223372036854775807L - 1)
#define M_1_PI       0.31830988618379067154
#define M_2_PI       0.63661977236758134308
#define M_2_SQRTPI   1.12837916709551257390
#define M_E          2.7182818284590452354
#define M_LN10       2.30258509299404568402
#define M_LN2        0.69314718055994530942
#define M_LOG10E     0.43429448190325182765
#define M_LOG2E      1.4426950408889634074
#define M_PI         3.14159265358979323846
#define M_PI_2       1.57079632679489661923
#define M_PI_4       0.78539816339744830962
#define M_SQRT1_2    0.70710678118654752440
#define M_SQRT2      1.41421356237309504880
#define NAN          __builtin_nanf("")
#define SCHAR_MAX    127
#define SCHAR_MIN    (-128)
#define SHRT_MAX     32767
#define SHRT_MIN     (-32768)
#define SIZE_MAX     18446744073709551615UL
#define UCHAR_MAX    255
#define UINT16_MAX   65535
#define UINT32_MAX   4294967295U
#define UINT64_MAX   18446744073709551615ULL
#define UINT8_MAX    255
#define UINT_MAX     4294967295U
#define ULLONG_MAX   18446744073709551615ULL
#define ULONG_MAX    18446744073709551615UL
#define USHRT_MAX    65535

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef long long int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define KFORGE_VECTOR(type, name)                                      \
    struct name##1                                                     \
    {                                                                  \
        type x;                                                        \
    };                                                                 \
    struct __align__(2 * sizeof(type)) name##2                         \
    {                                                                  \
        type x, y;                                                     \
    };                                                                 \
    struct name##3                                                     \
    {                                                                  \
        type x, y, z;                                                  \
    };                                                                 \
    struct __align__(sizeof(type) < 8 ? 4 * sizeof(type) : 16) name##4 \
    {                                                                  \
        type x, y, z, w;                                               \
    };                                                                 \
    __device__ name##2 make_##name##2(type x, type y);                 \
    __device__ name##3 make_##name##3(type x, type y, type z);         \
    __device__ name##4 make_##name##4(type x, type y, type z, type w)
KFORGE_VECTOR(signed char, char);
KFORGE_VECTOR(unsigned char, uchar);
KFORGE_VECTOR(short, short);
KFORGE_VECTOR(unsigned short, ushort);
KFORGE_VECTOR(int, int);
KFORGE_VECTOR(unsigned int, uint);
KFORGE_VECTOR(long long, longlong);
KFORGE_VECTOR(unsigned long long, ulonglong);
KFORGE_VECTOR(float, float);
KFORGE_VECTOR(double, double);

struct dim3 {
    unsigned x, y, z;
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
extern const __device__ int warpSize;

__device__ void __syncthreads();
__device__ int __syncthreads_count(int), __syncthreads_and(int), __syncthreads_or(int);
__device__ void __syncwarp(unsigned mask = 0xffffffffu);
__device__ void __threadfence(), __threadfence_block(), __threadfence_system();
__device__ void __nanosleep(unsigned), __trap(), __brkpt();
__device__ void __assume(bool);
__device__ long long clock64();
__device__ int clock();
__device__ unsigned __activemask(), __ballot_sync(unsigned, int);
__device__ int __all_sync(unsigned, int), __any_sync(unsigned, int);
__device__ unsigned __match_any_sync(unsigned, unsigned);
__device__ unsigned __reduce_add_sync(unsigned, unsigned), __reduce_max_sync(unsigned, unsigned);
template <class T> __device__ T __shfl_sync(unsigned, T, int, int = 32);
template <class T> __device__ T __shfl_up_sync(unsigned, T, unsigned, int = 32);
template <class T> __device__ T __shfl_down_sync(unsigned, T, unsigned, int = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned, T, int, int = 32);
template <class T> __device__ T __ldg(const T *);
template <class T> __device__ T __ldcg(const T *);
template <class T> __device__ T __ldca(const T *);
template <class T> __device__ T __ldcs(const T *);
template <class T> __device__ T __ldlu(const T *);
template <class T> __device__ T __ldcv(const T *);
template <class T> __device__ void __stcs(T *, T);
template <class T> __device__ void __stcg(T *, T);
template <class T> __device__ void __stwb(T *, T);
template <class T> __device__ void __stwt(T *, T);
template <class T, class U> __device__ T atomicAdd(T *, U);
template <class T, class U> __device__ T atomicSub(T *, U);
template <class T, class U> __device__ T atomicExch(T *, U);
template <class T, class U> __device__ T atomicMin(T *, U);
template <class T, class U> __device__ T atomicMax(T *, U);
template <class T, class U> __device__ T atomicAnd(T *, U);
template <class T, class U> __device__ T atomicOr(T *, U);
template <class T, class U> __device__ T atomicXor(T *, U);
template <class T, class U> __device__ T atomicInc(T *, U);
template <class T, class U, class V> __device__ T atomicCAS(T *, U, V);
__device__ unsigned __cvta_generic_to_shared(const void *);
__device__ size_t __cvta_generic_to_global(const void *);
__device__ void __pipeline_memcpy_async(void *, const void *, size_t, size_t = 0);
__device__ void __pipeline_commit(), __pipeline_wait_prior(size_t);

#define KFORGE_OF_ONE(name)                       \
    __device__ float name##f(float), name(float); \
    __device__ double name(double)
KFORGE_OF_ONE(sqrt);
KFORGE_OF_ONE(rsqrt);
KFORGE_OF_ONE(cbrt);
KFORGE_OF_ONE(exp);
KFORGE_OF_ONE(exp2);
KFORGE_OF_ONE(exp10);
KFORGE_OF_ONE(expm1);
KFORGE_OF_ONE(log);
KFORGE_OF_ONE(log2);
KFORGE_OF_ONE(log10);
KFORGE_OF_ONE(log1p);
KFORGE_OF_ONE(sin);
KFORGE_OF_ONE(cos);
KFORGE_OF_ONE(tan);
KFORGE_OF_ONE(asin);
KFORGE_OF_ONE(acos);
KFORGE_OF_ONE(atan);
KFORGE_OF_ONE(sinh);
KFORGE_OF_ONE(cosh);
KFORGE_OF_ONE(tanh);
KFORGE_OF_ONE(erf);
KFORGE_OF_ONE(erfc);
KFORGE_OF_ONE(tgamma);
KFORGE_OF_ONE(lgamma);
KFORGE_OF_ONE(fabs);
KFORGE_OF_ONE(floor);
KFORGE_OF_ONE(ceil);
KFORGE_OF_ONE(round);
KFORGE_OF_ONE(trunc);
KFORGE_OF_ONE(rint);
KFORGE_OF_ONE(normcdf);
KFORGE_OF_ONE(nearbyint);

#undef KFORGE_OF_ONE
#define KFORGE_OF_TWO(name)                                     \
    __device__ float name##f(float, float), name(float, float); \
    __device__ double name(double, double)
KFORGE_OF_TWO(fmax);
KFORGE_OF_TWO(fmin);
KFORGE_OF_TWO(pow);
KFORGE_OF_TWO(fmod);
KFORGE_OF_TWO(hypot);
KFORGE_OF_TWO(atan2);
KFORGE_OF_TWO(copysign);
KFORGE_OF_TWO(fdim);
KFORGE_OF_TWO(remainder);

#undef KFORGE_OF_TWO
__device__ float fmaf(float, float, float), __fmaf_rn(float, float, float),
    __fdividef(float, float);
__device__ double fma(double, double, double);
__device__ float __expf(float), __exp10f(float), __logf(float), __log2f(float), __log10f(float);
__device__ float __sinf(float), __cosf(float), __tanf(float), __powf(float, float),
    __saturatef(float);
__device__ float __frcp_rn(float), __fsqrt_rn(float), __frsqrt_rn(float), __fdiv_rn(float, float);
__device__ float __fadd_rn(float, float), __fmul_rn(float, float);
__device__ void sincosf(float, float *, float *), __sincosf(float, float *, float *);
__device__ bool isnan(float), isinf(float), isfinite(float), signbit(float);
__device__ int abs(int), __popc(unsigned), __clz(int), __ffs(int), __mul24(int, int);
__device__ int __dp4a(int, int, int), __float2int_rn(float), __float2int_rz(float);
__device__ int __popcll(unsigned long long), __clzll(long long);
__device__ unsigned __brev(unsigned), __byte_perm(unsigned, unsigned, unsigned);
__device__ unsigned __umulhi(unsigned, unsigned), __float2uint_rn(float), __float_as_uint(float);
__device__ unsigned __vadd4(unsigned, unsigned), __funnelshift_l(unsigned, unsigned, unsigned);
__device__ int __mulhi(int, int), __float_as_int(float);
__device__ float __int_as_float(int), __uint_as_float(unsigned), __int2float_rn(int);
__device__ long long __double_as_longlong(double);
__device__ double __longlong_as_double(long long);
template <class T> __device__ T max(T, T);
template <class T> __device__ T min(T, T);
__device__ float max(float, float), min(float, float);
extern "C" __device__ int printf(const char *, ...);
__device__ void *memset(void *, int, size_t), *memcpy(void *, const void *, size_t);
#define assert(condition) ((void)(condition))
