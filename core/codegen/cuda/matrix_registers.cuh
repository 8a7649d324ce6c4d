/*
 * Functions that kernels on matrix units need besides the products: conversion of two floats to a
 * pair of 16-bit numbers, a number hidden from the compiler, and registers of the same quad.  $T is
 * "f16" or "bf16" (formula.h).
 *
 * take_part() truncates two floats to bf16 and leaves the truncated remainders in them. Three calls
 * take the 24 bits of a float's significand; all parts have the float's sign.
 */

__device__ inline uint pack(float low, float high)
{
    uint both;
    asm("cvt.rn.$Tx2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}
__device__ inline uint take_part(float &low, float &high)
{
    const uint l = __float_as_uint(low), h = __float_as_uint(high);
    low -= __uint_as_float(l & 0xffff0000u);
    high -= __uint_as_float(h & 0xffff0000u);
    return __byte_perm(l, h, 0x7632);
}
__device__ inline int unknown(int x)
{
    asm volatile("" : "+r"(x));
    return x;
}
template <class number> __device__ inline number of_quad(number x, int others)
{
    return __shfl_xor_sync(15u << (threadIdx.x & 28), x, others);
}
