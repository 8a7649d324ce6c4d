#include <math.h>

#include "core/model/op/op_family.h"

static enum status infer_numeric(const struct op_call *call, const struct json_ref *place,
                                 struct value *out, struct error *err)
{
    enum status st = op_infer_broadcast(call, place, out, err);

    if (!st && out->dtype == DTYPE_BOOL)
        st = op_error(call, place, err, "expected numbers, found bool");
    return st;
}

/* Functions with real results for all operand types. */
static enum status infer_real(const struct op_call *call, const struct json_ref *place,
                              struct value *out, struct error *err)
{
    enum status st = infer_numeric(call, place, out, err);

    if (!st)
        out->dtype = op_real_type(out->dtype);
    return st;
}

static enum status infer_where(const struct op_call *call, const struct json_ref *place,
                               struct value *out, struct error *err)
{
    enum status st = op_infer_broadcast(call, place, out, err);

    if (!st && call->in[0]->dtype != DTYPE_BOOL)
        st = op_error(call, place, err, "expected a bool condition as the first operand");
    if (!st)
        out->dtype = dtype_promote(call->in[1]->dtype, call->in[2]->dtype);
    return st;
}

static enum status infer_comparison(const struct op_call *call, const struct json_ref *place,
                                    struct value *out, struct error *err)
{
    enum status st = op_infer_broadcast(call, place, out, err);

    out->dtype = DTYPE_BOOL;
    return st;
}

static enum status infer_cast(const struct op_call *call, const struct json_ref *place,
                              struct value *out, struct error *err)
{
    (void)place;
    (void)err;
    out->shape = call->in[0]->shape;
    out->dtype = (enum dtype)call->attributes[0].integers[0];
    return STATUS_OK;
}

/* A bool only says whether a number is zero, so no element counts as needed. */
static void needs_cast(const struct op_call *call, const struct op_demand *demand,
                       struct region_list *needed)
{
    if (call->out->dtype != DTYPE_BOOL)
        op_needs_each(call, demand, needed);
}

/* If both ends are equal, the result does not depend on the operand. */
static void needs_clamp(const struct op_call *call, const struct op_demand *demand,
                        struct region_list *needed)
{
    if (call->attributes[0].number < call->attributes[1].number)
        op_needs_each(call, demand, needed);
}

static bool is_squared(const struct op_call *call)
{
    return call->in[0] == call->in[1];
}

/* a + alpha b and a - alpha b do not depend on b if alpha is 0; a - a depends on nothing. */
static void needs_sum(const struct op_call *call, const struct op_demand *demand,
                      struct region_list *needed)
{
    double alpha = op_attribute(call, "alpha")->number;

    if ((alpha != 0 || demand->operand == 0) &&
        !(is_squared(call) && fabs(alpha) == 1 && (alpha < 0) == (call->op->name[0] == 'a')))
        op_needs_each(call, demand, needed);
}

/* A factor is not needed where the other factor may be 0. */
static void needs_product(const struct op_call *call, const struct op_demand *demand,
                          struct region_list *needed)
{
    if (is_squared(call) || demand->nonzero >> !demand->operand & 1)
        op_needs_each(call, demand, needed);
}

/* A divisor is not needed if the dividend may be 0, and a / a is 1. */
static void needs_quotient(const struct op_call *call, const struct op_demand *demand,
                           struct region_list *needed)
{
    if (!is_squared(call) && (demand->operand == 0 || demand->nonzero & 1))
        op_needs_each(call, demand, needed);
}

/* x to the power of 0 is 1, and 1 to any power is 1. */
static void needs_power(const struct op_call *call, const struct op_demand *demand,
                        struct region_list *needed)
{
    const struct value *exponent = call->in[1];

    if (demand->operand == 0 && exponent->role == TENSOR_CONSTANT && exponent->fill.a != 0)
        op_needs_each(call, demand, needed);
}

/*
 * A comparison of a value with itself, or with a number outside of its range, depends on no
 * element.
 */
static void needs_comparison(const struct op_call *call, const struct op_demand *demand,
                             struct region_list *needed)
{
    if (!is_squared(call) && call->in[!demand->operand]->role != TENSOR_CONSTANT)
        op_needs_each(call, demand, needed);
}

/* Only the condition is needed, because it may select either operand. */
static void needs_where(const struct op_call *call, const struct op_demand *demand,
                        struct region_list *needed)
{
    if (demand->operand == 0 && call->in[1] != call->in[2])
        op_needs_each(call, demand, needed);
}

static const char *const approximations[] = {"none", "tanh", NULL};

/* The oracle's functions read attributes in this order (oracle_elementwise.c). */
static const struct attribute_spec alpha[] = {{.name = "alpha", .fallback = 1}, {0}};
static const struct attribute_spec slope[] = {{.name = "negative_slope", .fallback = 0.01}, {0}};
static const struct attribute_spec gelu[] = {
    {.name = "approximate", .kind = ATTRIBUTE_CHOICE, .choices = approximations}, {0}};
static const struct attribute_spec softplus[] = {
    {.name = "beta", .fallback = 1}, {.name = "threshold", .fallback = 20}, {0}};
static const struct attribute_spec hardtanh[] = {
    {.name = "min_val", .fallback = -1}, {.name = "max_val", .fallback = 1}, {0}};
static const struct attribute_spec clamp[] = {{.name = "min", .fallback = (double)-INFINITY},
                                              {.name = "max", .fallback = (double)INFINITY},
                                              {0}};

/* dropout as in PyTorch's evaluation mode, which drops nothing. */
static const struct attribute_spec dropout[] = {{.name = "p", .fallback = 0.5}, {0}};
static const struct attribute_spec cast[] = {
    {.name = "dtype", .kind = ATTRIBUTE_CHOICE, .is_required = true, .choices = dtype_names}, {0}};

static const char numeric_types[] = "numbers; their common type";
static const char comparison_types[] = "any; bool";
static const char real_types[] = "numbers; floats as they are, integers give f32";

#define ELEMENTWISE(name, count, names, kind, attributes, flops, need, keeps)             \
    {                                                                                     \
        name, OP_ELEMENTWISE, count, count, attributes, infer_##kind,                     \
            .cost = (flops), .operands = (names), .types = kind##_types, .needs = (need), \
            .keeps_nonzero = (keeps)                                                      \
    }
#define UNARY(name, kind, attributes, flops) \
    ELEMENTWISE(name, 1, "x", kind, attributes, flops, op_needs_each, true)
/* Functions that give 0 for other numbers than 0. */
#define WITH_ZEROS(name, kind, attributes, flops) \
    ELEMENTWISE(name, 1, "x", kind, attributes, flops, op_needs_each, false)
#define CLAMP(name, kind, attributes, flops) \
    ELEMENTWISE(name, 1, "x", kind, attributes, flops, needs_clamp, false)
#define BINARY(name, kind, attributes, flops, need, keeps) \
    ELEMENTWISE(name, 2, "a, b", kind, attributes, flops, need, keeps)
#define COMPARISON(name) BINARY(name, comparison, op_no_attributes, 1, needs_comparison, false)

const struct op op_elementwise[] = {
    BINARY("add", numeric, alpha, 1, needs_sum, false),
    BINARY("sub", numeric, alpha, 1, needs_sum, false),
    BINARY("mul", numeric, op_no_attributes, 1, needs_product, true),
    BINARY("div", real, op_no_attributes, 1, needs_quotient, true),
    BINARY("pow", numeric, op_no_attributes, 1, needs_power, true),
    BINARY("minimum", numeric, op_no_attributes, 1, op_needs_each, true),
    BINARY("maximum", numeric, op_no_attributes, 1, op_needs_each, true),
    COMPARISON("eq"),
    COMPARISON("ne"),
    COMPARISON("lt"),
    COMPARISON("le"),
    COMPARISON("gt"),
    COMPARISON("ge"),
    {"where", OP_ELEMENTWISE, 3, 3, op_no_attributes, infer_where, .cost = 0, .needs = needs_where,
     .operands = "condition, a, b",
     .types = "bool condition; a and b of any type; the common type of a and b"},
    {"cast", OP_ELEMENTWISE, 1, 1, cast, infer_cast, .cost = 0, .operands = "x",
     .types = "any; `dtype`", .needs = needs_cast, .keeps_nonzero = true},
    {"dropout", OP_ELEMENTWISE, 1, 1, dropout, op_infer_same, .cost = 0, .operands = "x",
     .types = "any; the same", .needs = op_needs_each, .keeps_nonzero = true},
    UNARY("abs", numeric, op_no_attributes, 1),
    UNARY("neg", numeric, op_no_attributes, 1),
    UNARY("sign", numeric, op_no_attributes, 1),
    WITH_ZEROS("relu", numeric, op_no_attributes, 1),
    CLAMP("clamp", numeric, clamp, 2),
    WITH_ZEROS("leaky_relu", real, slope, 2),
    WITH_ZEROS("elu", real, alpha, 4),
    UNARY("selu", real, op_no_attributes, 4),
    UNARY("gelu", real, gelu, 5),
    UNARY("silu", real, op_no_attributes, 4),
    UNARY("mish", real, op_no_attributes, 5),
    UNARY("sigmoid", real, op_no_attributes, 4),
    UNARY("softplus", real, softplus, 3),
    UNARY("softsign", real, op_no_attributes, 3),
    CLAMP("hardtanh", real, hardtanh, 2),
    WITH_ZEROS("hardswish", real, op_no_attributes, 5),
    WITH_ZEROS("hardsigmoid", real, op_no_attributes, 4),
    UNARY("tanh", real, op_no_attributes, 1),
    UNARY("exp", real, op_no_attributes, 1),
    WITH_ZEROS("log", real, op_no_attributes, 1),
    UNARY("sqrt", real, op_no_attributes, 1),
    UNARY("rsqrt", real, op_no_attributes, 1),
    WITH_ZEROS("sin", real, op_no_attributes, 1),
    WITH_ZEROS("cos", real, op_no_attributes, 1),
    UNARY("atan", real, op_no_attributes, 1),
    UNARY("erf", real, op_no_attributes, 1),
    {0},
};
