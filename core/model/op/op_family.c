#include "core/model/op/op_family.h"

#include <stdarg.h>
#include <stdio.h>

const struct attribute_spec op_no_attributes[] = {{0}};

static void add_operand(struct strbuf *out, const struct value *value)
{
    char text[SHAPE_TEXT_SIZE];

    if (value->role == TENSOR_CONSTANT)
        strbuf_addf(out, "%g", value->fill.a);
    else
        strbuf_addf(out, "%s %s %s", value->name, dtype_name(value->dtype),
                    shape_text(&value->shape, text));
}

enum status op_error(const struct op_call *call, const struct json_ref *place, struct error *err,
                     const char *fmt, ...)
{
    char message[ERROR_TEXT_SIZE];
    struct strbuf operands = {0};
    va_list args;
    enum status st;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    for (size_t i = 0; i < call->in_count; i++) {
        strbuf_adds(&operands, i ? ", " : "");
        add_operand(&operands, call->in[i]);
    }
    st =
        json_ref_error(place, err, "%s of %s: %s", call->op->name, strbuf_cstr(&operands), message);
    strbuf_release(&operands);
    return st;
}

bool op_broadcast(const struct shape *a, const struct shape *b, struct shape *result)
{
    const struct shape *longer = a->rank >= b->rank ? a : b;
    const struct shape *shorter = a->rank >= b->rank ? b : a;
    size_t lead = longer->rank - shorter->rank;
    struct shape merged = *longer;

    for (size_t i = 0; i < shorter->rank; i++) {
        int64_t *dim = &merged.dims[lead + i];

        if (*dim == 1)
            *dim = shorter->dims[i];
        else if (shorter->dims[i] != 1 && shorter->dims[i] != *dim)
            return false;
    }
    *result = merged;
    return true;
}

enum status op_infer_broadcast(const struct op_call *call, const struct json_ref *place,
                               struct value *out, struct error *err)
{
    struct shape shape = call->in[0]->shape;
    enum dtype dtype = call->in[0]->dtype;

    for (size_t i = 1; i < call->in_count; i++) {
        if (!op_broadcast(&shape, &call->in[i]->shape, &shape))
            return op_error(call, place, err, "expected shapes that broadcast");
        dtype = dtype_promote(dtype, call->in[i]->dtype);
    }
    out->shape = shape;
    out->dtype = dtype;
    return STATUS_OK;
}

enum dtype op_real_type(enum dtype dtype)
{
    return dtype_is_float(dtype) ? dtype : DTYPE_F32;
}

bool op_axis(int64_t axis, size_t rank, size_t *index)
{
    int64_t from_start = axis < 0 ? axis + (int64_t)rank : axis;

    if (from_start < 0 || from_start >= (int64_t)rank)
        return false;
    *index = (size_t)from_start;
    return true;
}

unsigned op_dim_axes(const struct op_call *call)
{
    const struct attribute *dim = op_attribute(call, "dim");
    size_t rank = call->in[0]->shape.rank;
    unsigned axes = 0;
    size_t axis = 0;

    if (dim->count == 0)
        return (1U << rank) - 1;
    for (size_t i = 0; i < dim->count; i++)
        if (op_axis(dim->integers[i], rank, &axis))
            axes |= 1U << axis;
    return axes;
}

enum status op_check_dim(const struct op_call *call, const struct json_ref *place,
                         struct error *err)
{
    const struct attribute *dim = op_attribute(call, "dim");
    struct json_ref at = json_ref_member(place, "dim");
    size_t axis = 0;

    for (size_t i = 0; i < dim->count; i++)
        if (!op_axis(dim->integers[i], call->in[0]->shape.rank, &axis))
            return op_error(call, &at, err, "there is no axis %lld", (long long)dim->integers[i]);
    if ((size_t)__builtin_popcount(op_dim_axes(call)) < dim->count)
        return op_error(call, &at, err, "an axis is given twice");
    return STATUS_OK;
}

enum status op_infer_float(const struct op_call *call, size_t count, const struct json_ref *place,
                           struct value *out, struct error *err)
{
    enum dtype dtype = call->in[0]->dtype;

    for (size_t i = 0; i < count; i++) {
        if (!dtype_is_float(call->in[i]->dtype))
            return op_error(call, place, err, "expected floating types");
        dtype = dtype_promote(dtype, call->in[i]->dtype);
    }
    out->dtype = dtype;
    return STATUS_OK;
}

enum status op_infer_same(const struct op_call *call, const struct json_ref *place,
                          struct value *out, struct error *err)
{
    (void)place;
    (void)err;
    out->shape = call->in[0]->shape;
    out->dtype = call->in[0]->dtype;
    return STATUS_OK;
}

enum status op_check_axis(const struct op_call *call, const char *name,
                          const struct json_ref *place, size_t *axis, struct error *err)
{
    int64_t given = op_attribute(call, name)->integers[0];
    struct json_ref at = json_ref_member(place, name);

    if (!op_axis(given, call->in[0]->shape.rank, axis))
        return op_error(call, &at, err, "there is no axis %lld", (long long)given);
    return STATUS_OK;
}

void op_needs_each(const struct op_call *call, const struct op_demand *demand,
                   struct region_list *needed)
{
    const struct region part = region_broadcast(demand->wanted, &call->in[demand->operand]->shape);

    region_list_add(needed, &part);
}

void op_needs_lines(const struct op_call *call, const struct op_demand *demand,
                    struct region_list *needed)
{
    const struct shape *in = &call->in[0]->shape;
    unsigned axes = call->op->axes(call);
    struct region region = region_whole(in);
    bool keeps = demand->wanted->rank == in->rank;

    for (size_t i = 0, out = 0; i < in->rank; i++) {
        bool is_line = axes >> i & 1;

        if (!is_line)
            region.axes[i] = demand->wanted->axes[keeps ? i : out];
        out += !is_line;
    }
    region_list_add(needed, &region);
}
