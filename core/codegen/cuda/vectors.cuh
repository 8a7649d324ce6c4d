/*
 * Vectors of floats and of indices with the operators and functions of OpenCL's vectors.
 *
 * A shared_divisor divides many numbers by the same one without the branch of the device's own
 * division, so that loads and stores of several numbers overlap. A step of Newton's method removes
 * the error of the reciprocal (Markstein, "Computation of elementary functions on the IBM RISC
 * System/6000 processor", 1990). It gives NaN where the reciprocal, the quotient or a number is
 * infinite; the product with the reciprocal is right there. The scale keeps the reciprocals of all
 * numbers but 0 and the infinities normal.
 */

struct shared_divisor {
    float scale, scaled, inverse;
    explicit shared_divisor(float b)
    {
        scale = fabsf(b) < 1e-30f ? 0x1p64f : fabsf(b) > 1e30f ? 0x1p-64f : 1;
        scaled = b * scale;
        inverse = 1 / scaled;
    }
    friend float operator/(float a, shared_divisor b)
    {
        a *= b.scale;
        const float product = a * b.inverse;
        const float near = fmaf(fmaf(-product, b.scaled, a), b.inverse, product);
        return copysignf(near == near ? near : product, product);
    }
};
#define EACH _Pragma("unroll") for (int i = 0; i < width; i++)
#define OPERATOR(op) \
    friend vec operator op(vec a, vec b) { EACH a.s[i] = a.s[i] op b.s[i]; return a; }
#define COMPARISON(op) \
    friend vec<int, width> operator op(vec a, vec b) \
    { vec<int, width> c; EACH c.s[i] = a.s[i] op b.s[i]; return c; }
#define FUNCTION_1(name) friend vec name(vec a) { EACH a.s[i] = ::name(a.s[i]); return a; }
#define FUNCTION_2(name) \
    friend vec name(vec a, vec b) { EACH a.s[i] = ::name(a.s[i], b.s[i]); return a; }
template <class scalar, int width> struct vec {
    scalar s[width];
    vec() = default;
    vec(scalar x) { EACH s[i] = x; }
    template <class... others> vec(scalar x, scalar y, others... more) : s{x, y, scalar(more)...} {}
    auto half(int first) const
    {
        if constexpr (width == 2) {
            return s[first];
        } else {
            vec<scalar, width / 2> part;
            _Pragma("unroll") for (int i = 0; i < width / 2; i++)
                part.s[i] = s[first * (width / 2) + i];
            return part;
        }
    }
    vec operator-() const { return vec(0) - *this; }
    vec &operator+=(vec a) { return *this = *this + a; }
    vec &operator*=(vec a) { return *this = *this * a; }
    OPERATOR(+) OPERATOR(-) OPERATOR(*) OPERATOR(/)
    OPERATOR(|) OPERATOR(&) COMPARISON(==) COMPARISON(!=) COMPARISON(>) COMPARISON(<)
    FUNCTION_1(exp) FUNCTION_1(expm1) FUNCTION_1(log) FUNCTION_1(log1p) FUNCTION_1(sqrt)
    FUNCTION_1(rsqrt) FUNCTION_1(sin) FUNCTION_1(cos) FUNCTION_1(tanh) FUNCTION_1(erf)
    FUNCTION_1(fabs) FUNCTION_1(rint) FUNCTION_1(sign)
    FUNCTION_2(pow) FUNCTION_2(copysign) FUNCTION_2(larger) FUNCTION_2(smaller)
    friend vec<int, width> isinf(vec a)
    {
        vec<int, width> c;
        EACH c.s[i] = ::isinf(a.s[i]);
        return c;
    }
    friend vec fma(vec a, vec b, vec c)
    {
        EACH a.s[i] = ::fma(a.s[i], b.s[i], c.s[i]);
        return a;
    }
    friend vec operator/(vec a, shared_divisor b) { EACH a.s[i] = a.s[i] / b; return a; }
    friend vec choose(vec<int, width> which, vec a, vec b)
    {
        EACH a.s[i] = which.s[i] ? a.s[i] : b.s[i];
        return a;
    }
};
template <int width> __device__ inline vec<float, width> load(const float *p)
{
    vec<float, width> v;
    EACH v.s[i] = p[i];
    return v;
}
template <int width> __device__ inline void store(vec<float, width> v, float *p)
{
    EACH p[i] = v.s[i];
}
template <int width> struct piece { typedef float4 type; enum { size = 4 }; };
template <> struct piece<2> { typedef float2 type; enum { size = 2 }; };
template <int width> __device__ inline vec<float, width> load_aligned(const float *p)
{
    typename piece<width>::type pieces[width / piece<width>::size];
    _Pragma("unroll") for (int i = 0; i < width / piece<width>::size; i++)
        pieces[i] = ((const typename piece<width>::type *)p)[i];
    return load<width>((const float *)pieces);
}
template <int width> __device__ inline void store_aligned(vec<float, width> v, float *p)
{
    typename piece<width>::type pieces[width / piece<width>::size];
    store(v, (float *)pieces);
    _Pragma("unroll") for (int i = 0; i < width / piece<width>::size; i++)
        ((typename piece<width>::type *)p)[i] = pieces[i];
}
