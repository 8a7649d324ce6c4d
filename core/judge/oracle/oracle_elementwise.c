#include <math.h>

#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/walk.h"
#include "core/system/parallel.h"

struct job {
    const struct oracle_call *call;
    const struct oracle_rule *rule;
    struct walk walk;
    size_t steps[OP_MAX_INPUTS]; /* by walk_find_steps() */
};

static double evaluate_element(const struct oracle_rule *rule, const double *x,
                               const struct attribute *a)
{
    if (rule->unary)
        return rule->unary(x[0]);
    return rule->binary ? rule->binary(x[0], x[1]) : rule->element(x, a);
}

static void evaluate_in_step(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct oracle_call *call = job->call;
    double x[OP_MAX_INPUTS] = {0};

    for (size_t i = first; i < last; i++) {
        for (size_t k = 0; k < call->op->in_count; k++)
            x[k] = call->in[k][i * job->steps[k]];
        call->out[i] = evaluate_element(job->rule, x, call->op->attributes);
    }
}

static void evaluate_elements(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct oracle_call *call = job->call;
    struct walk walk = job->walk;
    double x[OP_MAX_INPUTS] = {0};

    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++, walk_step(&walk)) {
        for (size_t k = 0; k < call->op->in_count; k++)
            x[k] = call->in[k][walk.offsets[k]];
        call->out[i] = evaluate_element(job->rule, x, call->op->attributes);
    }
}

void oracle_elements(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct job job = {.call = call, .rule = rule, .walk = {.shape = call->op->out->shape}};

    for (size_t k = 0; k < call->op->in_count; k++)
        walk_add_broadcast(&job.walk, &call->op->in[k]->shape);
    parallel_for((size_t)shape_elements(&job.walk.shape), 1 << 12,
                 walk_find_steps(job.call->op, job.steps) ? evaluate_in_step : evaluate_elements,
                 &job);
}

static double add(const double *x, const struct attribute *a)
{
    return x[0] + a[0].number * x[1];
}

static double sub(const double *x, const struct attribute *a)
{
    return x[0] - a[0].number * x[1];
}

static double mul(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

/* Unlike fmin() and fmax(), NaN wins, as in NumPy and PyTorch. */
static double minimum(double a, double b)
{
    return isnan(a) || a < b ? a : b;
}

static double maximum(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static double equal(double a, double b)
{
    return a == b;
}

static double unequal(double a, double b)
{
    return a != b;
}

static double less(double a, double b)
{
    return a < b;
}

static double at_most(double a, double b)
{
    return a <= b;
}

static double greater(double a, double b)
{
    return a > b;
}

static double at_least(double a, double b)
{
    return a >= b;
}

static double where(const double *x, const struct attribute *a)
{
    (void)a;
    return x[0] != 0 ? x[1] : x[2];
}

/* Rounds toward zero for integers, as in C, and to the nearest for other types. */
static double cast(const double *x, const struct attribute *a)
{
    enum dtype dtype = (enum dtype)a[0].integers[0];
    double value = dtype == DTYPE_I32 || dtype == DTYPE_I64 ? trunc(x[0]) : x[0];
    double storage = 0;

    dtype_from_double(dtype, &value, &storage, 1);
    dtype_to_double(dtype, &storage, &value, 1);
    return value;
}

static double identity(double x)
{
    return x;
}

static double negate(double x)
{
    return -x;
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

/* Clamp to two bounds; NaN stays NaN. */
static double limit(double x, double low, double high)
{
    if (x < low)
        return low < high ? low : high;
    return x > high ? high : x;
}

static double relu(double x)
{
    return limit(x, 0, (double)INFINITY);
}

/* clamp and hardtanh */
static double clamp(const double *x, const struct attribute *a)
{
    return limit(x[0], a[0].number, a[1].number);
}

static double leaky_relu(const double *x, const struct attribute *a)
{
    return x[0] < 0 ? a[0].number * x[0] : x[0];
}

static double elu(const double *x, const struct attribute *a)
{
    return x[0] < 0 ? a[0].number * expm1(x[0]) : x[0];
}

/* Klambauer et al., "Self-Normalizing Neural Networks", 2017. */
static double selu(double x)
{
    const double alpha = 1.6732632423543772848170429916717;
    const double scale = 1.0507009873554804934193349852946;

    return scale * (x < 0 ? alpha * expm1(x) : x);
}

/* Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016. */
static double gelu(const double *x, const struct attribute *a)
{
    double cubic = x[0] + 0.044715 * x[0] * x[0] * x[0];

    if (a[0].integers[0])
        return 0.5 * x[0] * (1 + tanh(sqrt(2 / M_PI) * cubic));
    return 0.5 * x[0] * erfc(-x[0] * M_SQRT1_2);
}

static double silu(double x)
{
    return x / (1 + exp(-x));
}

/* log(1 + exp(x)) without overflow. */
static double log_one_plus_exp(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static double mish(double x)
{
    return x * tanh(log_one_plus_exp(x));
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* Linear above the threshold, as in PyTorch. */
static double softplus(const double *x, const struct attribute *a)
{
    double beta = a[0].number, threshold = a[1].number;

    return beta * x[0] > threshold ? x[0] : log_one_plus_exp(beta * x[0]) / beta;
}

static double softsign(double x)
{
    return x / (1 + fabs(x));
}

static double hardswish(double x)
{
    return x * limit(x + 3, 0, 6) / 6;
}

static double hardsigmoid(double x)
{
    return limit(x + 3, 0, 6) / 6;
}

static double reciprocal_root(double x)
{
    return 1 / sqrt(x);
}

static double sum_variance(const double *x, const double *variance, const struct attribute *a)
{
    (void)x;
    return variance[0] + a[0].number * a[0].number * variance[1];
}

static double product_variance(const double *x, const double *variance, const struct attribute *a)
{
    (void)a;
    return x[1] * x[1] * variance[0] + x[0] * x[0] * variance[1] + variance[0] * variance[1];
}

#define UNARY(name, function, ...)                                                                \
    {                                                                                             \
        name, .evaluate = oracle_elements, .spread = oracle_spread_elements, .unary = (function), \
              __VA_ARGS__                                                                         \
    }
#define BINARY(name, function, ...)                                                                \
    {                                                                                              \
        name, .evaluate = oracle_elements, .spread = oracle_spread_elements, .binary = (function), \
              __VA_ARGS__                                                                          \
    }
#define ELEMENT(name, function, ...)                                         \
    {                                                                        \
        name, .evaluate = oracle_elements, .spread = oracle_spread_elements, \
              .element = (function), __VA_ARGS__                             \
    }
#define KEEPS .keeps_elements = true

/*
 * The errors of functions are twice the units in the last place of the OpenCL C specification,
 * table "ULP values for single precision built-in math functions", or those of the usual formula
 * for the function. The relative errors also cover a fast exponential of arguments up to about 30.
 */
const struct oracle_rule oracle_elementwise[] = {
    ELEMENT("add", add, .element_variance = sum_variance),
    ELEMENT("sub", sub, .element_variance = sum_variance),
    BINARY("mul", mul, .element_variance = product_variance),
    BINARY("div", divide, .error = {.relative = 5}),
    BINARY("pow", pow, .error = {.relative = 32}),
    BINARY("minimum", minimum, .error = {0}),
    BINARY("maximum", maximum, .error = {0}),
    BINARY("eq", equal, .error = {0}),
    BINARY("ne", unequal, .error = {0}),
    BINARY("lt", less, .error = {0}),
    BINARY("le", at_most, .error = {0}),
    BINARY("gt", greater, .error = {0}),
    BINARY("ge", at_least, .error = {0}),
    ELEMENT("where", where, .error = {0}),
    ELEMENT("cast", cast, .error = {0}),
    UNARY("dropout", identity, KEEPS),
    UNARY("abs", fabs, KEEPS),
    UNARY("neg", negate, KEEPS),
    UNARY("sign", sign, KEEPS),
    UNARY("relu", relu, KEEPS),
    ELEMENT("clamp", clamp, .error = {0}),
    ELEMENT("leaky_relu", leaky_relu, .error = {0}),
    ELEMENT("elu", elu, .error = {.relative = 8, .absolute = 8}),
    UNARY("selu", selu, .error = {.relative = 8, .absolute = 16}),
    ELEMENT("gelu", gelu, .error = {.relative = 8, .by_operand = 16}),
    UNARY("silu", silu, .error = {.relative = 16, .by_operand = 8}),
    UNARY("mish", mish, .error = {.relative = 32, .by_operand = 8}),
    UNARY("sigmoid", sigmoid, .error = {.relative = 16, .absolute = 8}),
    ELEMENT("softplus", softplus, .error = {.relative = 16, .absolute = 8}),
    UNARY("softsign", softsign, .error = {.relative = 8}),
    ELEMENT("hardtanh", clamp, .error = {0}),
    UNARY("hardswish", hardswish, .error = {.relative = 8, .by_operand = 4}),
    UNARY("hardsigmoid", hardsigmoid, .error = {.relative = 8, .absolute = 4}),
    UNARY("tanh", tanh, .error = {.relative = 10, .absolute = 8}),
    UNARY("exp", exp, .error = {.relative = 8}),
    UNARY("log", log, .error = {.relative = 8, .absolute = 8, .has_pole = true}),
    UNARY("sqrt", sqrt, .error = {.relative = 8}),
    UNARY("rsqrt", reciprocal_root, .error = {.relative = 8}),
    UNARY("sin", sin, .error = {.relative = 8, .absolute = 8}),
    UNARY("cos", cos, .error = {.relative = 8, .absolute = 8}),
    UNARY("atan", atan, .error = {.relative = 10}),
    UNARY("erf", erf, .error = {.relative = 32, .absolute = 4}),
    {0},
};
