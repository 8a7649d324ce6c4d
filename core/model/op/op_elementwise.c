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

#define UNARY(name, infer, attributes, flops)                          \
    {                                                                  \
        name, OP_ELEMENTWISE, 1, 1, attributes, infer, .cost = (flops) \
    }
#define BINARY(name, infer, attributes, flops)                         \
    {                                                                  \
        name, OP_ELEMENTWISE, 2, 2, attributes, infer, .cost = (flops) \
    }

const struct op op_elementwise[] = {
    BINARY("add", infer_numeric, alpha, 1),
    BINARY("sub", infer_numeric, alpha, 1),
    BINARY("mul", infer_numeric, op_no_attributes, 1),
    BINARY("div", infer_real, op_no_attributes, 1),
    BINARY("pow", infer_numeric, op_no_attributes, 1),
    BINARY("minimum", infer_numeric, op_no_attributes, 1),
    BINARY("maximum", infer_numeric, op_no_attributes, 1),
    {"where", OP_ELEMENTWISE, 3, 3, op_no_attributes, infer_where, .cost = 0},
    UNARY("cast", infer_cast, cast, 0),
    UNARY("dropout", op_infer_same, dropout, 0),
    UNARY("abs", infer_numeric, op_no_attributes, 1),
    UNARY("neg", infer_numeric, op_no_attributes, 1),
    UNARY("sign", infer_numeric, op_no_attributes, 1),
    UNARY("relu", infer_numeric, op_no_attributes, 1),
    UNARY("clamp", infer_numeric, clamp, 2),
    UNARY("leaky_relu", infer_real, slope, 2),
    UNARY("elu", infer_real, alpha, 4),
    UNARY("selu", infer_real, op_no_attributes, 4),
    UNARY("gelu", infer_real, gelu, 5),
    UNARY("silu", infer_real, op_no_attributes, 4),
    UNARY("mish", infer_real, op_no_attributes, 5),
    UNARY("sigmoid", infer_real, op_no_attributes, 4),
    UNARY("softplus", infer_real, softplus, 3),
    UNARY("softsign", infer_real, op_no_attributes, 3),
    UNARY("hardtanh", infer_real, hardtanh, 2),
    UNARY("hardswish", infer_real, op_no_attributes, 5),
    UNARY("hardsigmoid", infer_real, op_no_attributes, 4),
    UNARY("tanh", infer_real, op_no_attributes, 1),
    UNARY("exp", infer_real, op_no_attributes, 1),
    UNARY("log", infer_real, op_no_attributes, 1),
    UNARY("sqrt", infer_real, op_no_attributes, 1),
    UNARY("rsqrt", infer_real, op_no_attributes, 1),
    UNARY("sin", infer_real, op_no_attributes, 1),
    UNARY("cos", infer_real, op_no_attributes, 1),
    UNARY("erf", infer_real, op_no_attributes, 1),
    {0},
};
