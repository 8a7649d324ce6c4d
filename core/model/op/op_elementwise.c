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

static enum status infer_cast(const struct op_call *call, const struct json_ref *place,
                              struct value *out, struct error *err)
{
    (void)place;
    (void)err;
    out->shape = call->in[0]->shape;
    out->dtype = (enum dtype)call->attributes[0].integers[0];
    return STATUS_OK;
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

/* dropout as in evaluation: it drops nothing. */
static const struct attribute_spec dropout[] = {{.name = "p", .fallback = 0.5}, {0}};
static const struct attribute_spec cast[] = {
    {.name = "dtype", .kind = ATTRIBUTE_CHOICE, .is_required = true, .choices = dtype_names}, {0}};

static const char numeric_types[] = "numbers; their common type";
static const char real_types[] = "numbers; floats as they are, integers give f32";

#define ELEMENTWISE(name, count, names, kind, attributes, flops)        \
    {                                                                   \
        name, OP_ELEMENTWISE, count, count, attributes, infer_##kind,   \
            .cost = (flops), .operands = (names), .types = kind##_types \
    }
#define UNARY(name, kind, attributes, flops)  ELEMENTWISE(name, 1, "x", kind, attributes, flops)
#define BINARY(name, kind, attributes, flops) ELEMENTWISE(name, 2, "a, b", kind, attributes, flops)

const struct op op_elementwise[] = {
    BINARY("add", numeric, alpha, 1),
    BINARY("sub", numeric, alpha, 1),
    BINARY("mul", numeric, op_no_attributes, 1),
    BINARY("div", real, op_no_attributes, 1),
    BINARY("pow", numeric, op_no_attributes, 1),
    BINARY("minimum", numeric, op_no_attributes, 1),
    BINARY("maximum", numeric, op_no_attributes, 1),
    {"where", OP_ELEMENTWISE, 3, 3, op_no_attributes, infer_where, .cost = 0,
     .operands = "condition, a, b",
     .types = "bool condition; a and b of any type; the common type of a and b"},
    {"cast", OP_ELEMENTWISE, 1, 1, cast, infer_cast, .cost = 0, .operands = "x",
     .types = "any; `dtype`"},
    {"dropout", OP_ELEMENTWISE, 1, 1, dropout, op_infer_same, .cost = 0, .operands = "x",
     .types = "any; the same"},
    UNARY("abs", numeric, op_no_attributes, 1),
    UNARY("neg", numeric, op_no_attributes, 1),
    UNARY("sign", numeric, op_no_attributes, 1),
    UNARY("relu", numeric, op_no_attributes, 1),
    UNARY("clamp", numeric, clamp, 2),
    UNARY("leaky_relu", real, slope, 2),
    UNARY("elu", real, alpha, 4),
    UNARY("selu", real, op_no_attributes, 4),
    UNARY("gelu", real, gelu, 5),
    UNARY("silu", real, op_no_attributes, 4),
    UNARY("mish", real, op_no_attributes, 5),
    UNARY("sigmoid", real, op_no_attributes, 4),
    UNARY("softplus", real, softplus, 3),
    UNARY("softsign", real, op_no_attributes, 3),
    UNARY("hardtanh", real, hardtanh, 2),
    UNARY("hardswish", real, op_no_attributes, 5),
    UNARY("hardsigmoid", real, op_no_attributes, 4),
    UNARY("tanh", real, op_no_attributes, 1),
    UNARY("exp", real, op_no_attributes, 1),
    UNARY("log", real, op_no_attributes, 1),
    UNARY("sqrt", real, op_no_attributes, 1),
    UNARY("rsqrt", real, op_no_attributes, 1),
    UNARY("sin", real, op_no_attributes, 1),
    UNARY("cos", real, op_no_attributes, 1),
    UNARY("erf", real, op_no_attributes, 1),
    {0},
};
