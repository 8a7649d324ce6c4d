#include "core/judge/oracle/edge/edge_range.h"

#include <math.h>
#include <string.h>

#include "core/base/array.h"

/*
 * Rounding to the nearest never moves a sum or a product past a number that bounds it and that
 * float32 holds. So intervals are computed as those of exact numbers.
 */

#define AT_LEAST_0  \
    {               \
        0, INFINITY \
    }
#define UNIT \
    {        \
        0, 1 \
    }
#define AROUND_0 \
    {            \
        -1, 1    \
    }

static const struct edge_range any = {-INFINITY, INFINITY}, at_least_0 = AT_LEAST_0, unit = UNIT;

typedef struct edge_range range_fn(const struct op_call *call, const struct edge_range *in);

static struct edge_range range_of(double a, double b)
{
    return isnan(a) || isnan(b) ? any : (struct edge_range){fmin(a, b), fmax(a, b)};
}

static struct edge_range join(struct edge_range a, struct edge_range b)
{
    return (struct edge_range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* A bound times a bound; infinite bounds are large numbers, so that 0 times one is 0. */
static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static struct edge_range multiply(struct edge_range a, struct edge_range b)
{
    return join(range_of(times(a.low, b.low), times(a.high, b.high)),
                range_of(times(a.low, b.high), times(a.high, b.low)));
}

static struct edge_range sum(struct edge_range a, struct edge_range b)
{
    return range_of(a.low + b.low, a.high + b.high);
}

static struct edge_range of_add(const struct op_call *call, const struct edge_range *in)
{
    double alpha = call->attributes[0].number;

    return sum(in[0], multiply(in[1], (struct edge_range){alpha, alpha}));
}

static struct edge_range of_sub(const struct op_call *call, const struct edge_range *in)
{
    double alpha = -call->attributes[0].number;

    return sum(in[0], multiply(in[1], (struct edge_range){alpha, alpha}));
}

static struct edge_range of_mul(const struct op_call *call, const struct edge_range *in)
{
    struct edge_range product = multiply(in[0], in[1]);

    if (call->in[0] == call->in[1])
        product.low = fmax(product.low, 0);
    return product;
}

static struct edge_range of_div(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return in[0].low >= 0 && in[1].low >= 0 ? at_least_0 : any;
}

static struct edge_range of_pow(const struct op_call *call, const struct edge_range *in)
{
    bool is_even = call->in[1]->role == TENSOR_CONSTANT && fmod(call->in[1]->fill.a, 2) == 0;

    return in[0].low >= 0 || is_even ? at_least_0 : any;
}

static struct edge_range of_minimum(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return (struct edge_range){fmin(in[0].low, in[1].low), fmin(in[0].high, in[1].high)};
}

static struct edge_range of_maximum(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return (struct edge_range){fmax(in[0].low, in[1].low), fmax(in[0].high, in[1].high)};
}

static struct edge_range of_where(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return join(in[1], in[2]);
}

static struct edge_range of_abs(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return (struct edge_range){fmax(0, fmax(in[0].low, -in[0].high)), fmax(-in[0].low, in[0].high)};
}

static struct edge_range of_neg(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return (struct edge_range){-in[0].high, -in[0].low};
}

static struct edge_range limit(struct edge_range in, double low, double high)
{
    return (struct edge_range){fmax(low, fmin(in.low, high)), fmin(high, fmax(in.high, low))};
}

static struct edge_range of_relu(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return limit(in[0], 0, (double)INFINITY);
}

static struct edge_range of_clamp(const struct op_call *call, const struct edge_range *in)
{
    double high = call->attributes[1].number;

    return limit(in[0], fmin(call->attributes[0].number, high), high);
}

static struct edge_range of_same(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return in[0];
}

/* Sums and products of several elements keep their sign. */
static struct edge_range of_sum(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return in[0].low >= 0 ? at_least_0 : in[0].high <= 0 ? (struct edge_range){-INFINITY, 0} : any;
}

static struct edge_range of_prod(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return in[0].low >= 0 ? at_least_0 : any;
}

/* Numbers that a movement or a window fills in are 0, or none. */
static struct edge_range of_filled(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return join(in[0], (struct edge_range){0, 0});
}

static struct edge_range of_all(const struct op_call *call, const struct edge_range *in)
{
    struct edge_range all = in[0];

    for (size_t i = 1; i < call->in_count; i++)
        all = join(all, in[i]);
    return all;
}

static struct edge_range of_copy(const struct op_call *call, const struct edge_range *in)
{
    (void)call;
    return join(in[0], in[2]);
}

/* Elements of the source that are added to those of the table keep its sign if they have it. */
static struct edge_range of_added(const struct op_call *call, const struct edge_range *in)
{
    struct edge_range both = of_copy(call, in);

    return op_attribute(call, "reduce")->integers[0] != 0 ? both : of_sum(call, &both);
}

/* The range of an operation's results: `range` computes it, or it is `fixed`. */
static const struct {
    const char *op;
    range_fn *range;
    struct edge_range fixed;
} ranges[] = {
    {"add", .range = of_add},
    {"sub", .range = of_sub},
    {"mul", .range = of_mul},
    {"div", .range = of_div},
    {"pow", .range = of_pow},
    {"minimum", .range = of_minimum},
    {"maximum", .range = of_maximum},
    {"where", .range = of_where},
    {"cast", .range = of_same},
    {"dropout", .range = of_same},
    {"abs", .range = of_abs},
    {"neg", .range = of_neg},
    {"sign", .fixed = AROUND_0},
    {"relu", .range = of_relu},
    {"clamp", .range = of_clamp},
    {"hardtanh", .range = of_clamp},
    {"sigmoid", .fixed = UNIT},
    {"hardsigmoid", .fixed = UNIT},
    {"softplus", .fixed = AT_LEAST_0},
    {"exp", .fixed = AT_LEAST_0},
    {"sqrt", .fixed = AT_LEAST_0},
    {"rsqrt", .fixed = AT_LEAST_0},
    {"tanh", .fixed = AROUND_0},
    {"erf", .fixed = AROUND_0},
    {"sin", .fixed = AROUND_0},
    {"cos", .fixed = AROUND_0},
    {"sum", .range = of_sum},
    {"mean", .range = of_sum},
    {"cumsum", .range = of_sum},
    {"prod", .range = of_prod},
    {"cumprod", .range = of_prod},
    {"var", .fixed = AT_LEAST_0},
    {"max", .range = of_same},
    {"min", .range = of_same},
    {"softmax", .fixed = UNIT},
    {"gather", .range = of_same},
    {"index_select", .range = of_same},
    {"index_copy", .range = of_copy},
    {"concat", .range = of_all},
    {"cummax", .range = of_same},
    {"index_reduce", .range = of_added},
    {"scatter_reduce", .range = of_added},
};

struct edge_range edge_range_after(const struct op_call *call, const struct edge_range *in)
{
    if (call->out->dtype == DTYPE_BOOL)
        return unit;
    if (call->op->view)
        return in[0];
    if (call->op->kind == OP_WINDOW)
        return in[0].low >= 0 ? of_filled(call, in) : any;
    for (size_t i = 0; i < COUNT(ranges); i++)
        if (strcmp(ranges[i].op, call->op->name) == 0)
            return ranges[i].range ? ranges[i].range(call, in) : ranges[i].fixed;
    return any;
}

struct edge_range edge_range_given(const struct value *value)
{
    if (value->role == TENSOR_CONSTANT)
        return (struct edge_range){value->fill.a, value->fill.a};
    return value->dtype == DTYPE_BOOL ? unit : any;
}
