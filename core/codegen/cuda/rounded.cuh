/*
 * Vectors that are stored in 16 bits, as kernels on matrix units store results for other kernels.
 * $T is "f16" or "bf16" (formula.h).
 */

__device__ inline void unpack(uint both, float &low, float &high)
{
    asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %2;\n"
        "cvt.f32.$T %0, low;\ncvt.f32.$T %1, high;\n}"
        : "=f"(low), "=f"(high) : "r"(both));
}
template <int width, class number>
__device__ inline vec<float, width> load_rounded(const number *p)
{
    vec<float, width> v;
    uint pairs[width / 2];
    if constexpr (width == 2)
        pairs[0] = *(const uint *)p;
    else if constexpr (width == 4)
        *(float2 *)pairs = *(const float2 *)p;
    else
        _Pragma("unroll") for (int i = 0; i < width / 8; i++)
            ((float4 *)pairs)[i] = ((const float4 *)p)[i];
    _Pragma("unroll") for (int i = 0; i < width / 2; i++)
        unpack(pairs[i], v.s[2 * i], v.s[2 * i + 1]);
    return v;
}
template <int width, class number>
__device__ inline vec<float, width> load_rounded_each(const number *p)
{
    vec<float, width> v;
    float other;
    _Pragma("unroll") for (int i = 0; i < width; i++)
        unpack(((const ushort *)p)[i], v.s[i], other);
    return v;
}
