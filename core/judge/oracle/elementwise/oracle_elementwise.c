#include <math.h>
#include <string.h>

#include "core/base/attr.h"
#include "core/judge/oracle/elementwise/strip.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/system/parallel.h"

struct job {
    const struct oracle_call *call;
    const struct oracle_rule *rule;
    struct strip_source source;
};

static void evaluate_elements(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct oracle_call *call = job->call;
    struct strip strip;
    double y[STRIP_ELEMENTS];

    for (size_t i = first, n; i < last; i += n) {
        n = last - i < STRIP_ELEMENTS ? last - i : STRIP_ELEMENTS;
        strip_take(&job->source, call->in, i, n, &strip);
        job->rule->strip(strip.x, call->op->attributes, y);
        memcpy(call->out + i, y, n * sizeof(*y));
    }
}

void oracle_elements(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct job job = {call, rule, strip_source_of(call->op)};

    parallel_for((size_t)shape_elements(&call->op->out->shape), 1 << 12, evaluate_elements, &job);
}

/*
 * STRIP(f) and its like define strip_f(), which computes a strip of results from single elements:
 * STRIP of one operand, STRIP2 of two, STRIP_WITH of an operand and the attributes. Functions of
 * the C library are called for a vector at a time (core/judge/CMakeLists.txt), if no branch is
 * around the call.
 */
#define LOOP(name, result)                                                           \
    WIDE static void strip_##name(const double *const *x, const struct attribute *a, \
                                  double *restrict y)                                \
    {                                                                                \
        (void)a;                                                                     \
        for (size_t i = 0; i < STRIP_ELEMENTS; i++)                                  \
            y[i] = (result);                                                         \
    }
#define STRIP(name)      LOOP(name, name(x[0][i]))
#define STRIP2(name)     LOOP(name, name(x[0][i], x[1][i]))
#define STRIP_WITH(name) LOOP(name, name(x[0][i], a))

LOOP(add, x[0][i] + a[0].number * x[1][i])
LOOP(sub, x[0][i] - a[0].number * x[1][i])
LOOP(mul, x[0][i] * x[1][i])
LOOP(divide, x[0][i] / x[1][i])
LOOP(equal, x[0][i] == x[1][i])
LOOP(unequal, x[0][i] != x[1][i])
LOOP(less, x[0][i] < x[1][i])
LOOP(at_most, x[0][i] <= x[1][i])
LOOP(greater, x[0][i] > x[1][i])
LOOP(at_least, x[0][i] >= x[1][i])
LOOP(where, x[0][i] != 0 ? x[1][i] : x[2][i])
LOOP(identity, x[0][i])
LOOP(negate, -x[0][i])
LOOP(sign, (x[0][i] > 0) - (x[0][i] < 0))

/* Unlike fmin() and fmax(), NaN wins, as in NumPy and PyTorch. */
static double minimum(double a, double b)
{
    return isnan(a) || a < b ? a : b;
}
STRIP2(minimum)

static double maximum(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}
STRIP2(maximum)

LOOP(any_power, pow(x[0][i], x[1][i]))

/* How many exponents are whole numbers, and how many of these are 2 or 3. */
WIDE static void count_exponents(const double *exponent, double *whole, double *small)
{
    double wholes = 0, smalls = 0;

    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        smalls += exponent[i] == 2 || exponent[i] == 3;
        wholes += fabs(exponent[i]) < 0x1p31 && (double)(int32_t)exponent[i] == exponent[i];
    }
    *whole = wholes;
    *small = smalls;
}

WIDE static void take_small_powers(const double *x, const double *exponent, double *restrict y)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++) {
        double square = x[i] * x[i], power = exponent[i] == 2 ? square : square * x[i];

        y[i] = exponent[i] == 2 || exponent[i] == 3 ? power : y[i];
    }
}

/*
 * Squares and cubes are products, as in PyTorch, and other whole powers are those of the C library:
 * powers of whole numbers are exact in both. Its vector function is not.
 */
static void strip_power(const double *const *x, const struct attribute *a, double *y)
{
    double whole, small;

    count_exponents(x[1], &whole, &small);
    if (whole < STRIP_ELEMENTS)
        strip_any_power(x, a, y);
    for (size_t i = 0; i < STRIP_ELEMENTS && small < whole; i++)
        if (fabs(x[1][i]) < 0x1p31 && (double)(int32_t)x[1][i] == x[1][i])
            y[i] = pow(x[0][i], x[1][i]);
    if (small > 0)
        take_small_powers(x[0], x[1], y);
}

/* Rounds toward zero for integers, as in C, and to the nearest for other types. */
static void strip_cast(const double *const *x, const struct attribute *a, double *y)
{
    enum dtype dtype = (enum dtype)a[0].integers[0];
    double storage[STRIP_ELEMENTS];

    memcpy(y, x[0], sizeof(storage));
    for (size_t i = 0; i < STRIP_ELEMENTS && (dtype == DTYPE_I32 || dtype == DTYPE_I64); i++)
        y[i] = trunc(y[i]);
    dtype_from_double(dtype, y, storage, STRIP_ELEMENTS);
    dtype_to_double(dtype, storage, y, STRIP_ELEMENTS);
}

/* Clamp to two bounds; NaN stays NaN. */
static inline double limit(double x, double low, double high)
{
    double most = x > high ? high : x;

    return x < low ? (low < high ? low : high) : most;
}

static double relu(double x)
{
    return limit(x, 0, (double)INFINITY);
}
STRIP(relu)

/* clamp and hardtanh */
static double clamp(double x, const struct attribute *a)
{
    return limit(x, a[0].number, a[1].number);
}
STRIP_WITH(clamp)

static double leaky_relu(double x, const struct attribute *a)
{
    return x < 0 ? a[0].number * x : x;
}
STRIP_WITH(leaky_relu)

LOOP(fabs, fabs(x[0][i]))
LOOP(expm1, expm1(x[0][i]))
LOOP(tanh, tanh(x[0][i]))
LOOP(exp, exp(x[0][i]))
LOOP(log, log(x[0][i]))
LOOP(sqrt, sqrt(x[0][i]))
LOOP(sin, sin(x[0][i]))
LOOP(cos, cos(x[0][i]))
LOOP(atan, atan(x[0][i]))
LOOP(erf, erf(x[0][i]))
LOOP(rsqrt, 1 / sqrt(x[0][i]))

/* Multiply numbers below 0, exp(x) - 1 of which is in y, and leave the others. */
WIDE static void bend(const double *x, double below, double above, double *restrict y)
{
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        y[i] = above * (x[i] < 0 ? below * y[i] : x[i]);
}

static void strip_elu(const double *const *x, const struct attribute *a, double *y)
{
    strip_expm1(x, a, y);
    bend(x[0], a[0].number, 1, y);
}

/* Klambauer et al., "Self-Normalizing Neural Networks", 2017. */
static void strip_selu(const double *const *x, const struct attribute *a, double *y)
{
    strip_expm1(x, a, y);
    bend(x[0], 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, y);
}

/* Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016. */
LOOP(gelu_tanh, 0.5 * x[0][i] *
                    (1 + tanh(sqrt(2 / M_PI) * (x[0][i] + 0.044715 * x[0][i] * x[0][i] * x[0][i]))))
LOOP(gelu_erf, 0.5 * x[0][i] * erfc(-x[0][i] * M_SQRT1_2))

static void strip_gelu(const double *const *x, const struct attribute *a, double *y)
{
    (a[0].integers[0] ? strip_gelu_tanh : strip_gelu_erf)(x, a, y);
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}
STRIP(silu)

/* log(1 + exp(x)) without overflow. */
static double log_one_plus_exp(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double mish(double x)
{
    return x * tanh(log_one_plus_exp(x));
}
STRIP(mish)

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
STRIP(sigmoid)

LOOP(bent, log_one_plus_exp(a[0].number *x[0][i]) / a[0].number)

/* Linear above the threshold, as in PyTorch. */
static void strip_softplus(const double *const *x, const struct attribute *a, double *y)
{
    strip_bent(x, a, y);
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        y[i] = a[0].number * x[0][i] > a[1].number ? x[0][i] : y[i];
}

static double softsign(double x)
{
    return x / (1 + fabs(x));
}
STRIP(softsign)

static double hardswish(double x)
{
    return x * limit(x + 3, 0, 6) / 6;
}
STRIP(hardswish)

static double hardsigmoid(double x)
{
    return limit(x + 3, 0, 6) / 6;
}
STRIP(hardsigmoid)

WIDE static void sum_variance(const double *const *x, const double *const *variance,
                              const struct attribute *a, double *restrict out)
{
    (void)x;
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        out[i] = variance[0][i] + a[0].number * a[0].number * variance[1][i];
}

/* An exact 0 has no error, however large the other factor's is. */
static inline double share(double square, double variance)
{
    double product = square * variance;

    return product >= 0 ? product : 0;
}

WIDE static void product_variance(const double *const *x, const double *const *variance,
                                  const struct attribute *a, double *restrict out)
{
    (void)a;
    for (size_t i = 0; i < STRIP_ELEMENTS; i++)
        out[i] = share(x[1][i] * x[1][i], variance[0][i]) +
                 share(x[0][i] * x[0][i], variance[1][i]) + share(variance[0][i], variance[1][i]);
}

#define ELEMENTS(name, function, ...)                                        \
    {                                                                        \
        name, .evaluate = oracle_elements, .spread = oracle_spread_elements, \
              .strip = strip_##function, __VA_ARGS__                         \
    }
#define KEEPS         .keeps_elements = true
#define KEEPS_OR_SETS .keeps_or_sets = true

/*
 * The errors of functions are twice the units in the last place of the OpenCL C specification,
 * table "ULP values for single precision built-in math functions", or those of the usual formula
 * for the function. The relative errors also cover a fast exponential of arguments up to about 30.
 */
const struct oracle_rule oracle_elementwise[] = {
    ELEMENTS("add", add, .strip_variance = sum_variance),
    ELEMENTS("sub", sub, .strip_variance = sum_variance),
    ELEMENTS("mul", mul, .strip_variance = product_variance, .has_joint_change = true),
    ELEMENTS("div", divide, .error = {.relative = 5}, .has_joint_change = true),
    ELEMENTS("pow", power, .error = {.relative = 32, .has_edge = true}, .has_joint_change = true),
    ELEMENTS("minimum", minimum, KEEPS_OR_SETS, .has_joint_change = true),
    ELEMENTS("maximum", maximum, KEEPS_OR_SETS, .has_joint_change = true),
    ELEMENTS("eq", equal, .compares = true, .has_joint_change = true),
    ELEMENTS("ne", unequal, .compares = true, .has_joint_change = true),
    ELEMENTS("lt", less, .compares = true, .has_joint_change = true),
    ELEMENTS("le", at_most, .compares = true, .has_joint_change = true),
    ELEMENTS("gt", greater, .compares = true, .has_joint_change = true),
    ELEMENTS("ge", at_least, .compares = true, .has_joint_change = true),
    ELEMENTS("where", where, KEEPS_OR_SETS),
    ELEMENTS("cast", cast, .error = {0}),
    ELEMENTS("dropout", identity, KEEPS),
    ELEMENTS("abs", fabs, KEEPS),
    ELEMENTS("neg", negate, KEEPS),
    ELEMENTS("sign", sign, KEEPS),
    ELEMENTS("relu", relu, KEEPS),
    ELEMENTS("clamp", clamp, KEEPS_OR_SETS, .has_limits = true),
    ELEMENTS("leaky_relu", leaky_relu, .error = {0}),
    ELEMENTS("elu", elu, .error = {.relative = 8, .absolute = 8}),
    ELEMENTS("selu", selu, .error = {.relative = 8, .absolute = 16}),
    ELEMENTS("gelu", gelu, .error = {.relative = 8, .by_operand = 16}),
    ELEMENTS("silu", silu, .error = {.relative = 16, .by_operand = 8}),
    ELEMENTS("mish", mish, .error = {.relative = 32, .by_operand = 8}),
    ELEMENTS("sigmoid", sigmoid, .error = {.relative = 16, .absolute = 8}),
    ELEMENTS("softplus", softplus, .error = {.relative = 16, .absolute = 8}),
    ELEMENTS("softsign", softsign, .error = {.relative = 8}),
    ELEMENTS("hardtanh", clamp, KEEPS_OR_SETS, .has_limits = true),
    ELEMENTS("hardswish", hardswish, .error = {.relative = 8, .by_operand = 4}),
    ELEMENTS("hardsigmoid", hardsigmoid, .error = {.relative = 8, .absolute = 4}),
    ELEMENTS("tanh", tanh, .error = {.relative = 10, .absolute = 8}),
    ELEMENTS("exp", exp, .error = {.relative = 8}),
    ELEMENTS("log", log,
             .error = {.relative = 8, .absolute = 8, .has_edge = true, .has_pole = true}),
    ELEMENTS("sqrt", sqrt, .error = {.relative = 8, .has_edge = true}),
    ELEMENTS("rsqrt", rsqrt, .error = {.relative = 8, .has_edge = true}),
    ELEMENTS("sin", sin, .error = {.relative = 8, .absolute = 8}),
    ELEMENTS("cos", cos, .error = {.relative = 8, .absolute = 8}),
    ELEMENTS("atan", atan, .error = {.relative = 10}),
    ELEMENTS("erf", erf, .error = {.relative = 32, .absolute = 4}),
    {0},
};
