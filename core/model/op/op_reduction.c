#include "core/model/op/op_family.h"

static enum status infer_shape(const struct op_call *call, const struct json_ref *place,
                               struct value *out, struct error *err)
{
    const struct shape *in = &call->in[0]->shape;
    bool keeps = op_attribute(call, "keepdim")->integers[0];
    struct shape shape = {0};
    enum status st = op_check_dim(call, place, err);

    if (st)
        return st;
    for (size_t i = 0; i < in->rank; i++) {
        bool is_reduced = op_dim_axes(call) >> i & 1;

        if (!is_reduced || keeps)
            shape.dims[shape.rank++] = is_reduced ? 1 : in->dims[i];
    }
    out->shape = shape;
    return STATUS_OK;
}

/* Sums and products of integers are i64, because they may not fit the operand's type. */
static enum status infer_sum(const struct op_call *call, const struct json_ref *place,
                             struct value *out, struct error *err)
{
    out->dtype = dtype_is_float(call->in[0]->dtype) ? call->in[0]->dtype : DTYPE_I64;
    return infer_shape(call, place, out, err);
}

static enum status infer_extreme(const struct op_call *call, const struct json_ref *place,
                                 struct value *out, struct error *err)
{
    out->dtype = call->in[0]->dtype;
    return infer_shape(call, place, out, err);
}

static enum status infer_real(const struct op_call *call, const struct json_ref *place,
                              struct value *out, struct error *err)
{
    enum status st = op_infer_float(call, 1, place, out, err);

    return st ? st : infer_shape(call, place, out, err);
}

/* The index along one axis, or the row-major index in the whole tensor. */
static enum status infer_position(const struct op_call *call, const struct json_ref *place,
                                  struct value *out, struct error *err)
{
    struct json_ref at = json_ref_member(place, "dim");

    if (op_attribute(call, "dim")->count > 1)
        return op_error(call, &at, err, "expected one axis");
    out->dtype = DTYPE_I64;
    return infer_shape(call, place, out, err);
}

static int64_t line_length(const struct op_call *call)
{
    return shape_elements(&call->in[0]->shape) / shape_elements(&call->out->shape);
}

/* argmax and the variance of a single element do not depend on the element. */
static void needs_several(const struct op_call *call, const struct op_demand *demand,
                          struct region_list *needed)
{
    if (line_length(call) > 1 && dtype_is_float(call->in[0]->dtype))
        op_needs_lines(call, demand, needed);
}

/* Integers and bools have a largest value; when it is found, no further element need be read. */
static void needs_extreme(const struct op_call *call, const struct op_demand *demand,
                          struct region_list *needed)
{
    if (dtype_is_float(call->in[0]->dtype))
        op_needs_lines(call, demand, needed);
}

/* When a product is 0, no further element need be read. */
static void needs_nonzero(const struct op_call *call, const struct op_demand *demand,
                          struct region_list *needed)
{
    if (demand->nonzero & 1)
        op_needs_lines(call, demand, needed);
}

static const struct attribute_spec along[] = {
    {.name = "dim", .kind = ATTRIBUTE_INTEGERS, .absent = "all axes"},
    {.name = "keepdim", .kind = ATTRIBUTE_FLAG},
    {0}};
static const struct attribute_spec var[] = {
    {.name = "dim", .kind = ATTRIBUTE_INTEGERS, .absent = "all axes"},
    {.name = "keepdim", .kind = ATTRIBUTE_FLAG},
    {.name = "correction", .kind = ATTRIBUTE_INTEGER, .fallback = 1},
    {0}};

static const char sum_types[] = "any; floats as they are, others give i64";
static const char real_types[] = "floats; the same";
static const char extreme_types[] = "any; the same";
static const char position_types[] = "any; i64";

#define REDUCTION(name, kind, attributes, flops, need)                               \
    {                                                                                \
        name, OP_REDUCTION, 1, 1, attributes, infer_##kind, op_dim_axes,             \
            .cost = (flops), .operands = "x", .types = kind##_types, .needs = (need) \
    }

const struct op op_reduction[] = {
    REDUCTION("sum", sum, along, 1, op_needs_lines),
    REDUCTION("mean", real, along, 1, op_needs_lines),
    REDUCTION("max", extreme, along, 1, needs_extreme),
    REDUCTION("min", extreme, along, 1, needs_extreme),
    REDUCTION("prod", sum, along, 1, needs_nonzero),
    REDUCTION("var", real, var, 3, needs_several),
    REDUCTION("argmax", position, along, 1, needs_several),
    REDUCTION("argmin", position, along, 1, needs_several),
    REDUCTION("logsumexp", real, along, 4, op_needs_lines),
    {0},
};
