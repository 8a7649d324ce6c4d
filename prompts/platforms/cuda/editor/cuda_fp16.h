/* The names of CUDA's cuda_fp16.h that kernels use, for clangd in an editor; see kernel.h. */
#pragma once

#define KFORGE_SHORT_FLOAT(number, pair, word)                                                 \
    struct number {                                                                            \
        unsigned short bits;                                                                   \
        number() = default;                                                                    \
        __device__ number(float), number(double), number(int);                                 \
        __device__ operator float() const;                                                     \
        __device__ number &operator+=(number), &operator-=(number), &operator*=(number);       \
    };                                                                                         \
    struct __align__(4) pair                                                                   \
    {                                                                                          \
        number x, y;                                                                           \
    };                                                                                         \
    __device__ number operator+(number, number), operator-(number, number);                    \
    __device__ number operator*(number, number), operator/(number, number), operator-(number); \
    __device__ bool operator<(number, number), operator>(number, number);                      \
    __device__ pair operator+(pair, pair), operator-(pair, pair), operator*(pair, pair);       \
    __device__ number __float2##word(float), __float2##word##_rn(float);                       \
    __device__ float __##word##2float(number);                                                 \
    __device__ pair __float2##word##2_rn(float), __floats2##word##2_rn(float, float);          \
    __device__ pair __float22##word##2_rn(float2), __##word##2##word##2(number);               \
    __device__ pair __##word##s2##word##2(number, number), make_##word##2(number, number);     \
    __device__ float2 __##word##22float2(pair);                                                \
    __device__ float __low2float(pair), __high2float(pair);                                    \
    __device__ number __low2##word(pair), __high2##word(pair);                                 \
    __device__ number __hadd(number, number), __hsub(number, number), __hmul(number, number);  \
    __device__ number __hdiv(number, number), __hfma(number, number, number), __hneg(number);  \
    __device__ number __hmax(number, number), __hmin(number, number), __habs(number);          \
    __device__ number hexp(number), hlog(number), hsqrt(number), hrsqrt(number), hrcp(number); \
    __device__ pair __hadd2(pair, pair), __hsub2(pair, pair), __hmul2(pair, pair);             \
    __device__ pair __hfma2(pair, pair, pair), __hmax2(pair, pair), __hmin2(pair, pair);       \
    __device__ pair h2exp(pair), h2sqrt(pair), h2rsqrt(pair), h2rcp(pair);                     \
    __device__ bool __hgt(number, number), __hlt(number, number), __hisnan(number);            \
    __device__ unsigned short __##word##_as_ushort(number);                                    \
    __device__ number __ushort_as_##word(unsigned short)
KFORGE_SHORT_FLOAT(__half, __half2, half);

typedef __half half;
typedef __half2 half2;
