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
/*
 * Store pairs of four runs of eight columns: each work-item of a quad has a pair of every run, and
 * stores one run whole, if `is_there`. `p` is the place of its run.
 */
template <class number> __device__ inline void store_runs(uint (&x)[4], number *p, bool is_there = true)
{
    const bool is_odd = threadIdx.x & 1, is_upper = threadIdx.x & 2;
    _Pragma("unroll") for (int i = 0; i < 4; i += 2) {
        const uint got = of_quad(is_odd ? x[i] : x[i + 1], 1);
        x[i] = is_odd ? got : x[i];
        x[i + 1] = is_odd ? x[i + 1] : got;
    }
    _Pragma("unroll") for (int i = 0; i < 2; i++) {
        const uint got = of_quad(is_upper ? x[i] : x[i + 2], 2);
        x[i] = is_upper ? got : x[i];
        x[i + 2] = is_upper ? x[i + 2] : got;
    }
    if (is_there)
        *(uint4 *)p = make_uint4(x[0], x[1], x[2], x[3]);
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
