/* The larger and the smaller number; NaN if one is NaN, for which max() and min() are undefined. */
#define ORDER(T) \
    static T __attribute__((overloadable)) larger(T a, T b) \
    { const T most = a < b ? b : a; return b == b ? most : b; } \
    static T __attribute__((overloadable)) smaller(T a, T b) \
    { const T least = b < a ? b : a; return b == b ? least : b; }
ORDER(float) ORDER(float2) ORDER(float4) ORDER(float8) ORDER(float16) ORDER(int) ORDER(long)
/* log(exp(a) + exp(b)) */
static float log_add(float a, float b)
{
    return a == b ? a + 0.693147181f : larger(a, b) + log1p(exp(-fabs(a - b)));
}
/* tanh(log(1 + x)) */
#define TANH_LOG1P(T) \
    static T __attribute__((overloadable)) tanh_log1p(T x) \
    { const T n = x * (x + 2.0f); return n / (n + 2.0f); }
TANH_LOG1P(float) TANH_LOG1P(float2) TANH_LOG1P(float4) TANH_LOG1P(float8) TANH_LOG1P(float16)
