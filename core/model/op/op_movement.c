#include <stdlib.h>

#include "core/model/op/op_family.h"

/* The operand's elements in the same order, in another shape. */
static struct tensor_view view_in_order(const struct op_call *call)
{
    struct tensor_view view = {0};

    shape_strides(&call->out->shape, view.strides);
    return view;
}

/* A size of -1 is computed from the other sizes. */
static enum status infer_reshape(const struct op_call *call, const struct json_ref *place,
                                 struct value *out, struct error *err)
{
    const struct attribute *given = op_attribute(call, "shape");
    struct json_ref at = json_ref_member(place, "shape");
    int64_t elements = shape_elements(&call->in[0]->shape), known = 1, *open = NULL;
    struct shape shape = {.rank = given->count};

    for (size_t i = 0; i < shape.rank; i++) {
        shape.dims[i] = given->integers[i];
        if (shape.dims[i] == -1 && !open)
            open = &shape.dims[i];
        else if (shape.dims[i] < 1 || shape.dims[i] > elements / known)
            return op_error(call, &at, err, "expected sizes for %lld elements, one may be -1",
                            (long long)elements);
        else
            known *= shape.dims[i];
    }
    if (elements % known != 0 || (!open && known != elements))
        return op_error(call, &at, err, "expected sizes for %lld elements, found %lld",
                        (long long)elements, (long long)known);
    if (open)
        *open = elements / known;
    out->shape = shape;
    out->dtype = call->in[0]->dtype;
    return STATUS_OK;
}

static enum status infer_flatten(const struct op_call *call, const struct json_ref *place,
                                 struct value *out, struct error *err)
{
    const struct shape *in = &call->in[0]->shape;
    struct shape shape = {.rank = 1, .dims = {1}};
    struct json_ref at = json_ref_member(place, "end_dim");
    size_t first = 0, last = 0;
    enum status st = STATUS_OK;

    if (in->rank > 0 && ((st = op_check_axis(call, "start_dim", place, &first, err)) ||
                         (st = op_check_axis(call, "end_dim", place, &last, err))))
        return st;
    if (last < first)
        return op_error(call, &at, err, "expected an axis that is not before start_dim");
    if (in->rank > 0)
        shape.rank = in->rank - (last - first);
    for (size_t i = 0; i < first; i++)
        shape.dims[i] = in->dims[i];
    shape.dims[first] = 1;
    for (size_t i = first; i <= last && i < in->rank; i++)
        shape.dims[first] *= in->dims[i];
    for (size_t i = last + 1; i < in->rank; i++)
        shape.dims[i - (last - first)] = in->dims[i];
    out->shape = shape;
    out->dtype = call->in[0]->dtype;
    return STATUS_OK;
}

/* Without axes, remove all axes of size 1; otherwise those of the given axes that have size 1. */
static enum status infer_squeeze(const struct op_call *call, const struct json_ref *place,
                                 struct value *out, struct error *err)
{
    const struct shape *in = &call->in[0]->shape;
    struct shape shape = {0};
    enum status st = op_check_dim(call, place, err);

    for (size_t i = 0; !st && i < in->rank; i++)
        if (in->dims[i] != 1 || !(op_dim_axes(call) >> i & 1))
            shape.dims[shape.rank++] = in->dims[i];
    out->shape = shape;
    out->dtype = call->in[0]->dtype;
    return st;
}

static enum status infer_unsqueeze(const struct op_call *call, const struct json_ref *place,
                                   struct value *out, struct error *err)
{
    const struct shape *in = &call->in[0]->shape;
    int64_t dim = op_attribute(call, "dim")->integers[0];
    struct json_ref at = json_ref_member(place, "dim");
    struct shape shape = {.rank = in->rank + 1};
    size_t axis = 0;

    if (in->rank == SHAPE_MAX_RANK)
        return op_error(call, place, err, "expected less than %d axes", SHAPE_MAX_RANK);
    if (!op_axis(dim, shape.rank, &axis))
        return op_error(call, &at, err, "cannot insert an axis at %lld", (long long)dim);
    for (size_t i = 0; i < shape.rank; i++)
        shape.dims[i] = i == axis ? 1 : in->dims[i - (i > axis)];
    out->shape = shape;
    out->dtype = call->in[0]->dtype;
    return STATUS_OK;
}

static enum status infer_permute(const struct op_call *call, const struct json_ref *place,
                                 struct value *out, struct error *err)
{
    const struct attribute *dims = op_attribute(call, "dims");
    struct json_ref at = json_ref_member(place, "dims");
    struct shape shape = call->in[0]->shape;
    unsigned seen = 0;
    size_t axis = 0;

    if (dims->count != shape.rank)
        return op_error(call, &at, err, "expected all %zu axes", shape.rank);
    for (size_t i = 0; i < dims->count; i++) {
        if (!op_axis(dims->integers[i], shape.rank, &axis) || seen >> axis & 1)
            return op_error(call, &at, err, "expected each of the %zu axes once", shape.rank);
        seen |= 1U << axis;
        shape.dims[i] = call->in[0]->shape.dims[axis];
    }
    out->shape = shape;
    out->dtype = call->in[0]->dtype;
    return STATUS_OK;
}

static struct tensor_view view_permute(const struct op_call *call)
{
    const struct attribute *dims = op_attribute(call, "dims");
    ptrdiff_t strides[SHAPE_MAX_RANK];
    struct tensor_view view = {0};
    size_t axis = 0;

    shape_strides(&call->in[0]->shape, strides);
    for (size_t i = 0; i < dims->count; i++)
        if (op_axis(dims->integers[i], dims->count, &axis))
            view.strides[i] = strides[axis];
    return view;
}

static enum status infer_transpose(const struct op_call *call, const struct json_ref *place,
                                   struct value *out, struct error *err)
{
    const struct shape *in = &call->in[0]->shape;
    size_t a = 0, b = 0;
    enum status st;

    if ((st = op_check_axis(call, "dim0", place, &a, err)) ||
        (st = op_check_axis(call, "dim1", place, &b, err)))
        return st;
    out->shape = *in;
    out->shape.dims[a] = in->dims[b];
    out->shape.dims[b] = in->dims[a];
    out->dtype = call->in[0]->dtype;
    return STATUS_OK;
}

static struct tensor_view view_transpose(const struct op_call *call)
{
    size_t rank = call->in[0]->shape.rank, a = 0, b = 0;
    struct tensor_view view = {0};

    shape_strides(&call->in[0]->shape, view.strides);
    if (op_axis(op_attribute(call, "dim0")->integers[0], rank, &a) &&
        op_axis(op_attribute(call, "dim1")->integers[0], rank, &b)) {
        ptrdiff_t kept = view.strides[a];

        view.strides[a] = view.strides[b];
        view.strides[b] = kept;
    }
    return view;
}

/*
 * Python's rule for slices: a negative bound counts from the end, and a bound beyond the ends is
 * clamped.
 */
static int64_t slice_bound(const struct attribute *given, int64_t fallback, int64_t size)
{
    int64_t at = given->is_given ? given->integers[0] : fallback;

    if (at < 0)
        at += size;
    if (at < 0)
        return 0;
    return at < size ? at : size;
}

static enum status infer_slice(const struct op_call *call, const struct json_ref *place,
                               struct value *out, struct error *err)
{
    const struct shape *in = &call->in[0]->shape;
    int64_t step = op_attribute(call, "step")->integers[0], first, end;
    struct json_ref step_at = json_ref_member(place, "step");
    size_t axis = 0;
    enum status st = op_check_axis(call, "dim", place, &axis, err);

    if (st)
        return st;
    if (step == 0 || step > INT32_MAX || step < -INT32_MAX)
        return op_error(call, &step_at, err, "expected 1 to %d, or -1 to -%d, found %lld",
                        INT32_MAX, INT32_MAX, (long long)step);
    first = slice_bound(op_attribute(call, "start"), 0, in->dims[axis]);
    end = slice_bound(op_attribute(call, "end"), in->dims[axis], in->dims[axis]);
    if (end <= first)
        return op_error(call, place, err, "the slice from %lld to %lld is empty", (long long)first,
                        (long long)end);
    out->shape = *in;
    out->shape.dims[axis] = (end - first - 1) / llabs(step) + 1;
    out->dtype = call->in[0]->dtype;
    return STATUS_OK;
}

/* The element with which the result begins: with a negative step the last one before the end. */
static int64_t first_of_slice(const struct op_call *call, int64_t size)
{
    if (op_attribute(call, "step")->integers[0] < 0)
        return slice_bound(op_attribute(call, "end"), size, size) - 1;
    return slice_bound(op_attribute(call, "start"), 0, size);
}

static struct tensor_view view_slice(const struct op_call *call)
{
    const struct shape *in = &call->in[0]->shape;
    struct tensor_view view = {0};
    size_t axis = 0;

    shape_strides(in, view.strides);
    if (op_axis(op_attribute(call, "dim")->integers[0], in->rank, &axis)) {
        view.offset = (ptrdiff_t)first_of_slice(call, in->dims[axis]) * view.strides[axis];
        view.strides[axis] *= (ptrdiff_t)op_attribute(call, "step")->integers[0];
    }
    return view;
}

/* A size of -1 keeps the operand's size. */
static enum status infer_expand(const struct op_call *call, const struct json_ref *place,
                                struct value *out, struct error *err)
{
    const struct attribute *size = op_attribute(call, "size");
    const struct shape *in = &call->in[0]->shape;
    struct json_ref at = json_ref_member(place, "size");
    struct shape shape = {.rank = size->count}, both;

    if (size->count < in->rank)
        return op_error(call, &at, err, "expected at least %zu sizes", in->rank);
    for (size_t i = 0; i < shape.rank; i++) {
        bool stays = size->integers[i] == -1 && i >= shape.rank - in->rank;

        shape.dims[i] = stays ? in->dims[i - (shape.rank - in->rank)] : size->integers[i];
        if (shape.dims[i] < 1)
            return op_error(call, &at, err, "expected at least 1, found %lld",
                            (long long)shape.dims[i]);
    }
    if (!op_broadcast(in, &shape, &both) || !shape_equals(&both, &shape))
        return op_error(call, &at, err, "only axes of size 1 expand");
    out->shape = shape;
    out->dtype = call->in[0]->dtype;
    return STATUS_OK;
}

static struct tensor_view view_expand(const struct op_call *call)
{
    const struct shape *in = &call->in[0]->shape;
    size_t lead = call->out->shape.rank - in->rank;
    ptrdiff_t strides[SHAPE_MAX_RANK];
    struct tensor_view view = {0};

    shape_strides(in, strides);
    for (size_t i = 0; i < in->rank; i++)
        view.strides[lead + i] = in->dims[i] == 1 ? 0 : strides[i];
    return view;
}

static enum status infer_concat(const struct op_call *call, const struct json_ref *place,
                                struct value *out, struct error *err)
{
    struct shape shape = call->in[0]->shape;
    enum dtype dtype = call->in[0]->dtype;
    size_t axis = 0;
    enum status st = op_check_axis(call, "dim", place, &axis, err);

    for (size_t k = 1; !st && k < call->in_count; k++) {
        struct shape next = call->in[k]->shape;
        int64_t more = next.dims[axis];

        next.dims[axis] = shape.dims[axis];
        if (!shape_equals(&next, &shape))
            return op_error(call, place, err, "expected the same sizes along all axes but %zu",
                            axis);
        shape.dims[axis] += more;
        dtype = dtype_promote(dtype, call->in[k]->dtype);
    }
    out->shape = shape;
    out->dtype = dtype;
    return st;
}

/*
 * `pad` has pairs of numbers of elements before and after, from the last axis on. Negative ones cut
 * elements off.
 */
static enum status infer_pad(const struct op_call *call, const struct json_ref *place,
                             struct value *out, struct error *err)
{
    const struct attribute *pad = op_attribute(call, "pad");
    double value = op_attribute(call, "value")->number;
    struct json_ref at = json_ref_member(place, "pad");
    struct shape shape = call->in[0]->shape;

    if (pad->count % 2 != 0 || pad->count > 2 * shape.rank)
        return op_error(call, &at, err, "expected pairs for at most %zu axes", shape.rank);
    for (size_t i = 0; i < pad->count; i++) {
        if (pad->integers[i] < -INT32_MAX || pad->integers[i] > INT32_MAX)
            return op_error(call, &at, err, "%lld is out of range", (long long)pad->integers[i]);
        shape.dims[shape.rank - 1 - i / 2] += pad->integers[i];
    }
    for (size_t i = 0; i < shape.rank; i++)
        if (shape.dims[i] < 1)
            return op_error(call, &at, err, "nothing is left along axis %zu", i);
    out->dtype = call->in[0]->dtype;
    if (!dtype_holds(out->dtype, value))
        return op_error(call, place, err, "%s cannot represent %g", dtype_name(out->dtype), value);
    out->shape = shape;
    return STATUS_OK;
}

static void needs_in_order(const struct op_call *call, const struct op_demand *demand,
                           struct region_list *needed)
{
    struct region region;

    if (region_reshape(demand->wanted, &call->out->shape, &call->in[0]->shape, &region))
        region_list_add(needed, &region);
}

static void needs_permute(const struct op_call *call, const struct op_demand *demand,
                          struct region_list *needed)
{
    const struct attribute *dims = op_attribute(call, "dims");
    struct region region = *demand->wanted;
    size_t axis = 0;

    for (size_t i = 0; i < dims->count; i++)
        if (op_axis(dims->integers[i], dims->count, &axis))
            region.axes[axis] = demand->wanted->axes[i];
    region_list_add(needed, &region);
}

static void needs_transpose(const struct op_call *call, const struct op_demand *demand,
                            struct region_list *needed)
{
    struct region region = *demand->wanted;
    size_t a = 0, b = 0;

    if (op_axis(op_attribute(call, "dim0")->integers[0], region.rank, &a) &&
        op_axis(op_attribute(call, "dim1")->integers[0], region.rank, &b)) {
        region.axes[a] = demand->wanted->axes[b];
        region.axes[b] = demand->wanted->axes[a];
    }
    region_list_add(needed, &region);
}

static void needs_slice(const struct op_call *call, const struct op_demand *demand,
                        struct region_list *needed)
{
    int64_t step = op_attribute(call, "step")->integers[0];
    struct region region = *demand->wanted;
    size_t axis = 0;

    if (!op_axis(op_attribute(call, "dim")->integers[0], region.rank, &axis))
        return;
    region.axes[axis].first =
        first_of_slice(call, call->in[0]->shape.dims[axis]) + region.axes[axis].first * step;
    region.axes[axis].step *= step;
    if (step < 0) { /* name the same elements from the other end on */
        region.axes[axis].first += (region.axes[axis].count - 1) * region.axes[axis].step;
        region.axes[axis].step = -region.axes[axis].step;
    }
    region_list_add(needed, &region);
}

/* The wanted elements that come from this operand. */
static void needs_concat(const struct op_call *call, const struct op_demand *demand,
                         struct region_list *needed)
{
    struct region region = *demand->wanted;
    size_t axis = 0;
    int64_t start = 0;

    if (!op_axis(op_attribute(call, "dim")->integers[0], region.rank, &axis))
        return;
    for (size_t k = 0; k < demand->operand; k++)
        start += call->in[k]->shape.dims[axis];
    region.axes[axis] =
        region_axis_move(&region.axes[axis], -start, call->in[demand->operand]->shape.dims[axis]);
    region_list_add(needed, &region);
}

/* The wanted elements that are not padding. */
static void needs_pad(const struct op_call *call, const struct op_demand *demand,
                      struct region_list *needed)
{
    const struct attribute *pad = op_attribute(call, "pad");
    struct region region = *demand->wanted;

    for (size_t i = 0; i < pad->count; i += 2) {
        size_t axis = region.rank - 1 - i / 2;

        region.axes[axis] =
            region_axis_move(&region.axes[axis], -pad->integers[i], call->in[0]->shape.dims[axis]);
    }
    region_list_add(needed, &region);
}

/* The elements of the operand that padding leaves. */
static double reads_pad(const struct op_call *call, size_t operand)
{
    const struct region all = region_whole(&call->out->shape);
    const struct op_demand demand = {.operand = operand, .wanted = &all};
    struct region_list read = {.count = 0};

    needs_pad(call, &demand, &read);
    return region_list_elements(&read);
}

#define INTEGERS(text)                                                  \
    {                                                                   \
        .name = (text), .kind = ATTRIBUTE_INTEGERS, .is_required = true \
    }
#define INTEGER(text)                                                  \
    {                                                                  \
        .name = (text), .kind = ATTRIBUTE_INTEGER, .is_required = true \
    }

static const struct attribute_spec reshape[] = {INTEGERS("shape"), {0}};
static const struct attribute_spec flatten[] = {
    {.name = "start_dim", .kind = ATTRIBUTE_INTEGER},
    {.name = "end_dim", .kind = ATTRIBUTE_INTEGER, .fallback = -1},
    {0}};
static const struct attribute_spec squeeze[] = {
    {.name = "dim", .kind = ATTRIBUTE_INTEGERS, .absent = "all axes of size 1"}, {0}};
static const struct attribute_spec unsqueeze[] = {INTEGER("dim"), {0}};
static const struct attribute_spec permute[] = {INTEGERS("dims"), {0}};
static const struct attribute_spec transpose[] = {INTEGER("dim0"), INTEGER("dim1"), {0}};
static const struct attribute_spec slice[] = {
    INTEGER("dim"),
    {.name = "start", .kind = ATTRIBUTE_INTEGER, .absent = "0"},
    {.name = "end", .kind = ATTRIBUTE_INTEGER, .absent = "the size"},
    {.name = "step", .kind = ATTRIBUTE_INTEGER, .fallback = 1},
    {0}};
static const struct attribute_spec expand[] = {INTEGERS("size"), {0}};
static const struct attribute_spec concat[] = {{.name = "dim", .kind = ATTRIBUTE_INTEGER}, {0}};
static const struct attribute_spec pad[] = {INTEGERS("pad"), {.name = "value"}, {0}};

#define VIEW(name, attributes, infer, viewed, need)                                            \
    {                                                                                          \
        name, OP_MOVEMENT, 1, 1, attributes, infer, .view = (viewed), .operands = "x",         \
                                                    .types = "any; the same", .needs = (need), \
                                                    .keeps_nonzero = true                      \
    }

const struct op op_movement[] = {
    VIEW("reshape", reshape, infer_reshape, view_in_order, needs_in_order),
    VIEW("flatten", flatten, infer_flatten, view_in_order, needs_in_order),
    VIEW("squeeze", squeeze, infer_squeeze, view_in_order, needs_in_order),
    VIEW("unsqueeze", unsqueeze, infer_unsqueeze, view_in_order, needs_in_order),
    VIEW("permute", permute, infer_permute, view_permute, needs_permute),
    VIEW("transpose", transpose, infer_transpose, view_transpose, needs_transpose),
    VIEW("slice", slice, infer_slice, view_slice, needs_slice),
    VIEW("expand", expand, infer_expand, view_expand, op_needs_each),
    {"concat", OP_MOVEMENT, 1, OP_MAX_INPUTS, concat, infer_concat, .cost = 0,
     .operands = "x0, ... up to x7", .types = "any; their common type", .needs = needs_concat,
     .keeps_nonzero = true},
    {"pad", OP_MOVEMENT, 1, 1, pad, infer_pad, .cost = 0, .operands = "x", .types = "any; the same",
     .reads = reads_pad, .needs = needs_pad},
    {0},
};
