/*
 * Kernels that measure the bandwidth of the memory.
 */

__kernel void add1(__global const float *a, __global const float *b, __global float *y)
{
    size_t i = get_global_id(0);
    y[i] = a[i] + b[i];
}
#ifdef __OPENCL_VERSION__
#define ADD(T, name) \
__kernel void name(__global const T *a, __global const T *b, __global T *y) \
{ size_t i = get_global_id(0); y[i] = a[i] + b[i]; }
ADD(float4, add4)
ADD(float16, add16)
__kernel void read16(__global const float16 *a, __global const float16 *b,
                   __global float16 *y)
{
    size_t i = get_global_id(0) * 16;
    float16 s = 0;
    for (int k = 0; k < 16; k++) s += a[i + k] + b[i + k];
    y[get_global_id(0)] = s;
}
#else
FUNCTION number sum(number p, number q)
{
    return {p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w};
}
__kernel void add4(const float4 *a, const float4 *b, float4 *y)
{
    size_t i = get_global_id(0);
    y[i] = sum(a[i], b[i]);
}
__kernel void read4(const float4 *a, const float4 *b, float4 *y)
{
    size_t i = get_global_id(0), step = (size_t)gridDim.x * blockDim.x;
    float4 s = {0, 0, 0, 0};
    for (int k = 0; k < 16; k++) s = sum(s, sum(a[i + k * step], b[i + k * step]));
    y[i] = s;
}
#endif
