#include "core/model/op/op_product.h"

#include <string.h>

#include "core/model/op/op_family.h"

/* The axes before the last two. */
static struct shape batch_of(const struct shape *shape)
{
    struct shape batch = *shape;

    batch.rank -= 2;
    return batch;
}

static struct product matmul_product(const struct op_call *call)
{
    const struct shape *a = &call->in[0]->shape, *b = &call->in[1]->shape;
    bool a_transposed = op_attribute(call, "transpose_a")->integers[0];
    bool b_transposed = op_attribute(call, "transpose_b")->integers[0];
    const int64_t *rows = &a->dims[a->rank - 2], *columns = &b->dims[b->rank - 2];

    return (struct product){
        .m = rows[a_transposed],
        .n = columns[!b_transposed],
        .k = rows[!a_transposed],
        .a_transposed = a_transposed,
        .b_transposed = b_transposed,
    };
}

static enum status infer_matmul(const struct op_call *call, const struct json_ref *place,
                                struct value *out, struct error *err)
{
    const struct shape *a = &call->in[0]->shape, *b = &call->in[1]->shape;

    if (a->rank < 2 || b->rank < 2)
        return op_error(call, place, err, "expected matrices, or batches of them");

    struct product product = matmul_product(call);
    struct shape batch_a = batch_of(a), batch_b = batch_of(b), shape;

    if (product.k != b->dims[b->rank - (product.b_transposed ? 1 : 2)])
        return op_error(call, place, err, "expected the same inner size, found %lld and %lld",
                        (long long)product.k,
                        (long long)b->dims[b->rank - (product.b_transposed ? 1 : 2)]);
    if (!op_broadcast(&batch_a, &batch_b, &shape))
        return op_error(call, place, err, "expected batches that broadcast");
    shape.dims[shape.rank++] = product.m;
    shape.dims[shape.rank++] = product.n;
    out->shape = shape;
    return op_infer_float(call, call->in_count, place, out, err);
}

static struct product linear_product(const struct op_call *call)
{
    const struct shape *x = &call->in[0]->shape, *w = &call->in[1]->shape;

    return (struct product){
        .m = shape_elements(x) / x->dims[x->rank - 1],
        .n = w->dims[0],
        .k = w->dims[1],
        .b_transposed = true,
        .bias = call->in_count > 2 ? call->in[2] : NULL,
    };
}

static enum status infer_linear(const struct op_call *call, const struct json_ref *place,
                                struct value *out, struct error *err)
{
    const struct shape *x = &call->in[0]->shape, *w = &call->in[1]->shape;
    struct shape shape = *x;

    if (x->rank < 1 || w->rank != 2 || x->dims[x->rank - 1] != w->dims[1])
        return op_error(call, place, err, "expected x [..., K] and weight [N, K]");
    if (call->in_count > 2 && !shape_equals(&call->in[2]->shape, &(struct shape){1, {w->dims[0]}}))
        return op_error(call, place, err, "expected bias [%lld]", (long long)w->dims[0]);
    shape.dims[shape.rank - 1] = w->dims[0];
    out->shape = shape;
    return op_infer_float(call, call->in_count, place, out, err);
}

struct product product_of(const struct op_call *call)
{
    if (strcmp(call->op->name, "linear") == 0)
        return linear_product(call);

    struct product product = matmul_product(call);

    product.batch = batch_of(&call->out->shape);
    return product;
}

static double flops_product(const struct op_call *call)
{
    struct product product = product_of(call);
    double elements = (double)shape_elements(&call->out->shape);

    return elements * (2 * (double)product.k + (product.bias ? 1 : 0));
}

/* The rows of `wanted` along one axis of an operand, its inner axis, and its batch. */
static void needs_matmul(const struct op_call *call, const struct op_demand *demand,
                         struct region_list *needed)
{
    const struct shape *in = &call->in[demand->operand]->shape;
    const char *transposed = demand->operand ? "transpose_b" : "transpose_a";
    size_t outer = in->rank - (op_attribute(call, transposed)->integers[0] ? 1 : 2);
    size_t rank = demand->wanted->rank;
    struct region region = region_broadcast(demand->wanted, in);

    outer = demand->operand ? 2 * in->rank - 3 - outer : outer;
    region.axes[in->rank - 2] = (struct region_axis){0, 1, in->dims[in->rank - 2]};
    region.axes[in->rank - 1] = (struct region_axis){0, 1, in->dims[in->rank - 1]};
    region.axes[outer] = demand->wanted->axes[rank - (demand->operand ? 1 : 2)];
    if (demand->nonzero >> !demand->operand & 1)
        region_list_add(needed, &region);
}

static void needs_linear(const struct op_call *call, const struct op_demand *demand,
                         struct region_list *needed)
{
    const struct shape *in = &call->in[demand->operand]->shape;
    size_t last = call->out->shape.rank - 1;
    struct region region = region_whole(in);

    if (demand->operand == 0)
        for (size_t i = 0; i < last; i++)
            region.axes[i] = demand->wanted->axes[i];
    else
        region.axes[0] = demand->wanted->axes[last];
    if (demand->operand == 2 || demand->nonzero >> !demand->operand & 1)
        region_list_add(needed, &region);
}

static const struct attribute_spec matmul[] = {{.name = "transpose_a", .kind = ATTRIBUTE_FLAG},
                                               {.name = "transpose_b", .kind = ATTRIBUTE_FLAG},
                                               {0}};

const struct op op_product[] = {
    {"matmul", OP_PRODUCT, 2, 2, matmul, infer_matmul, .flops = flops_product, .operands = "a, b",
     .types = "floats; their common type", .needs = needs_matmul, .keeps_nonzero = true},
    {"linear", OP_PRODUCT, 2, 3, op_no_attributes, infer_linear, .flops = flops_product,
     .operands = "x, weight[, bias]", .types = "floats; their common type", .needs = needs_linear,
     .keeps_nonzero = true},
    {0},
};
