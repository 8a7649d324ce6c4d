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

#define INFINITY __builtin_huge_valf()
#define NAN      __builtin_nanf("")

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __UINTPTR_TYPE__ uintptr_t;
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
