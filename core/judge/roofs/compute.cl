/*
 * Kernels that measure multiply-adds in float.
 */

#define FMA(T)                                                     \
    T x = (T)(a[get_global_id(0)]), s[12];                         \
    for (int c = 0; c < 12; c++) s[c] = x + (T)(c);                \
    for (int k = 0; k < 512 * 16 / (int)(sizeof(T) / 4); k++) {    \
        _Pragma("unroll")                                          \
        for (int c = 0; c < 12; c++) s[c] = fma(s[c], x, x);       \
    }                                                              \
    for (int c = 1; c < 12; c++) s[0] += s[c];
__kernel void fma1(__global const float *a, __global float *y)
{
    FMA(float)
    y[get_global_id(0)] = s[0];
}
#ifdef __OPENCL_VERSION__
__kernel void fma16(__global const float *a, __global float *y)
{
    FMA(float16)
    y[get_global_id(0)] = s[0].s0 + s[0].sf;
}
#endif
