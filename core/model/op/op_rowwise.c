#include "core/model/op/op_family.h"

/* Softmax and similar operations along one axis. */
static enum status infer_along(const struct op_call *call, const struct json_ref *place,
                               struct value *out, struct error *err)
{
    struct json_ref at = json_ref_member(place, "dim");
    enum status st = op_check_dim(call, place, err);

    if (!st && op_attribute(call, "dim")->count != 1)
        st = op_error(call, &at, err, "expected one axis");
    out->shape = call->in[0]->shape;
    out->dtype = call->in[0]->dtype;
    return st;
}

static enum status infer_softmax(const struct op_call *call, const struct json_ref *place,
                                 struct value *out, struct error *err)
{
    enum status st = op_infer_float(call, call->in_count, place, out, err);

    return st ? st : infer_along(call, place, out, err);
}

/* Sums and products of integers are i64, because they may not fit the operand's type. */
static enum status infer_scan(const struct op_call *call, const struct json_ref *place,
                              struct value *out, struct error *err)
{
    enum status st = infer_along(call, place, out, err);

    out->dtype = dtype_is_float(out->dtype) ? out->dtype : DTYPE_I64;
    return st;
}

/* Places of elements in a row. */
static enum status infer_order(const struct op_call *call, const struct json_ref *place,
                               struct value *out, struct error *err)
{
    enum status st = infer_along(call, place, out, err);

    out->dtype = DTYPE_I64;
    return st;
}

/*
 * The number of last axes that a norm works along: given by normalized_shape, otherwise by the
 * weight's rank, otherwise 1.
 */
static size_t norm_rank(const struct op_call *call)
{
    const struct attribute *given = op_attribute(call, "normalized_shape");

    if (given->is_given)
        return given->count;
    return call->in_count > 1 ? call->in[1]->shape.rank : 1;
}

static unsigned norm_axes(const struct op_call *call)
{
    size_t rank = call->in[0]->shape.rank;

    return (1U << rank) - (1U << (rank - norm_rank(call)));
}

static bool norm_fits(const struct op_call *call, const struct shape *row)
{
    const struct attribute *given = op_attribute(call, "normalized_shape");

    for (size_t i = 0; i < given->count; i++)
        if (given->integers[i] != row->dims[i])
            return false;
    for (size_t i = 1; i < call->in_count; i++)
        if (!shape_equals(&call->in[i]->shape, row))
            return false;
    return true;
}

static enum status infer_norm(const struct op_call *call, const struct json_ref *place,
                              struct value *out, struct error *err)
{
    const struct shape *in = &call->in[0]->shape;
    struct shape row = {.rank = norm_rank(call)};
    char text[SHAPE_TEXT_SIZE];
    enum status st = op_infer_float(call, call->in_count, place, out, err);

    if (st)
        return st;
    if (row.rank == 0 || row.rank > in->rank)
        return op_error(call, place, err, "expected 1 to %zu normalized axes, found %zu", in->rank,
                        row.rank);
    for (size_t i = 0; i < row.rank; i++)
        row.dims[i] = in->dims[in->rank - row.rank + i];
    if (!norm_fits(call, &row))
        return op_error(call, place, err, "expected normalized_shape, weight and bias to be %s",
                        shape_text(&row, text));
    out->shape = *in;
    out->dtype = call->in[0]->dtype;
    return STATUS_OK;
}

/* Square, sum, scale, and one for the weight. */
static double flops_rms_norm(const struct op_call *call)
{
    return (2.0 + (double)call->in_count) * (double)shape_elements(&call->in[0]->shape);
}

/* Sum, centre, square and sum, scale, and one each for weight and bias. */
static double flops_layer_norm(const struct op_call *call)
{
    return (4.0 + (double)call->in_count) * (double)shape_elements(&call->in[0]->shape);
}

static int64_t row_length(const struct op_call *call)
{
    unsigned axes = call->op->axes(call);
    int64_t length = 1;

    for (size_t i = 0; i < call->out->shape.rank; i++)
        length *= axes >> i & 1 ? call->out->shape.dims[i] : 1;
    return length;
}

/* The softmax of a single element is 1, and a single centred element is 0. */
static void needs_row(const struct op_call *call, const struct op_demand *demand,
                      struct region_list *needed)
{
    if (demand->operand > 0)
        op_needs_each(call, demand, needed);
    else if (row_length(call) > 1)
        op_needs_lines(call, demand, needed);
}

/* All numbers from the first to the last that is wanted. */
static void needs_scan(const struct op_call *call, const struct op_demand *demand,
                       struct region_list *needed)
{
    struct region region = *demand->wanted;
    unsigned axes = call->op->axes(call);

    for (size_t i = 0; i < region.rank; i++)
        if (axes >> i & 1) {
            const struct region_axis *axis = &region.axes[i];

            region.axes[i] =
                (struct region_axis){0, 1, axis->first + (axis->count - 1) * axis->step + 1};
        }
    region_list_add(needed, &region);
}

/* A product remains 0 after the first 0. */
static void needs_nonzero(const struct op_call *call, const struct op_demand *demand,
                          struct region_list *needed)
{
    if (demand->nonzero & 1)
        needs_scan(call, demand, needed);
}

static const struct attribute_spec along[] = {
    {.name = "dim", .kind = ATTRIBUTE_INTEGERS, .is_required = true}, {0}};
static const struct attribute_spec order[] = {
    {.name = "dim", .kind = ATTRIBUTE_INTEGERS, .is_required = true},
    {.name = "descending", .kind = ATTRIBUTE_FLAG},
    {0}};
static const struct attribute_spec norm[] = {{.name = "eps", .fallback = 1e-5},
                                             {.name = "normalized_shape",
                                              .kind = ATTRIBUTE_INTEGERS,
                                              .absent = "the shape of weight, else the last axis"},
                                             {0}};

const struct op op_rowwise[] = {
    {"softmax", OP_ROWWISE, 1, 1, along, infer_softmax, op_dim_axes, .cost = 5, .operands = "x",
     .types = "floats; the same", .needs = needs_row, .keeps_nonzero = true},
    {"log_softmax", OP_ROWWISE, 1, 1, along, infer_softmax, op_dim_axes, .cost = 5, .operands = "x",
     .types = "floats; the same", .needs = needs_row},
    {"cumsum", OP_ROWWISE, 1, 1, along, infer_scan, op_dim_axes, .cost = 1, .operands = "x",
     .types = "any; floats as they are, others give i64", .needs = needs_scan},
    {"cumprod", OP_ROWWISE, 1, 1, along, infer_scan, op_dim_axes, .cost = 1, .operands = "x",
     .types = "any; floats as they are, others give i64", .needs = needs_nonzero},
    {"cummax", OP_ROWWISE, 1, 1, along, infer_along, op_dim_axes, .cost = 1, .operands = "x",
     .types = "any; the same", .needs = needs_scan},
    {"logcumsumexp", OP_ROWWISE, 1, 1, along, infer_softmax, op_dim_axes, .cost = 3,
     .operands = "x", .types = "floats; the same", .needs = needs_scan},
    {"argsort", OP_ROWWISE, 1, 1, order, infer_order, op_dim_axes, .cost = 1, .operands = "x",
     .types = "any; i64", .needs = needs_row},
    {"rms_norm", OP_ROWWISE, 1, 2, norm, infer_norm, norm_axes, .flops = flops_rms_norm,
     .operands = "x[, weight]", .types = "floats; the type of x", .needs = needs_row},
    {"layer_norm", OP_ROWWISE, 1, 3, norm, infer_norm, norm_axes, .flops = flops_layer_norm,
     .operands = "x[, weight[, bias]]", .types = "floats; the type of x", .needs = needs_row},
    {0},
};
