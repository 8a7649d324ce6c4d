/*
 * Functions that kernels on matrix units need beside the products: conversion of two floats to a
 * pair of 16-bit numbers, a number hidden from the compiler, and registers of the same quad.  $T
 * is "f16" or "bf16" (formula.h).
 */

__device__ inline uint pack(float low, float high)
{
    uint both;
    asm("cvt.rn.$Tx2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
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
