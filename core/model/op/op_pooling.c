#include "core/model/op/op_family.h"
#include "core/model/op/op_window.h"

static enum status infer(const struct op_call *call, const struct json_ref *place,
                         struct value *out, struct error *err)
{
    size_t rank = 2 + call->op->spatial;
    enum status st;

    if (call->in[0]->shape.rank != rank)
        return op_error(call, place, err, "expected %zu axes: [batch, channels, %u of space]", rank,
                        call->op->spatial);
    st = window_check(call, place, err);
    if (!st)
        out->shape = window_result(call, call->in[0]->shape.dims[1]);
    return st ? st : op_infer_float(call, 1, place, out, err);
}

/*
 * One operation for each element of each window: n elements take n - 1 additions and, for the mean,
 * one division.
 */
static double flops(const struct op_call *call)
{
    const struct shape *x = &call->in[0]->shape;
    struct window window = window_of(call);

    return window_taps(&window) * (double)(x->dims[0] * x->dims[1]);
}

static void needs(const struct op_call *call, const struct op_demand *demand,
                  struct region_list *needed)
{
    window_needs(call, demand->wanted, &demand->wanted->axes[1], needed);
}

/* A stride that is larger than the window skips elements. */
static double reads(const struct op_call *call, size_t operand)
{
    const struct region all = region_whole(&call->out->shape);
    struct region_list read = {.count = 0};

    (void)operand;
    window_needs(call, &all, &all.axes[1], &read);
    return region_list_elements(&read);
}

static const struct attribute_spec max[] = {
    {.name = "kernel_size", .kind = ATTRIBUTE_INTEGERS, .is_required = true},
    {.name = "stride", .kind = ATTRIBUTE_INTEGERS, .absent = "kernel_size"},
    {.name = "padding", .kind = ATTRIBUTE_INTEGERS, .absent = "0"},
    {.name = "dilation", .kind = ATTRIBUTE_INTEGERS, .absent = "1"},
    {.name = "ceil_mode", .kind = ATTRIBUTE_FLAG},
    {0}};
static const struct attribute_spec avg[] = {
    {.name = "kernel_size", .kind = ATTRIBUTE_INTEGERS, .is_required = true},
    {.name = "stride", .kind = ATTRIBUTE_INTEGERS, .absent = "kernel_size"},
    {.name = "padding", .kind = ATTRIBUTE_INTEGERS, .absent = "0"},
    {.name = "ceil_mode", .kind = ATTRIBUTE_FLAG},
    {.name = "count_include_pad", .kind = ATTRIBUTE_FLAG, .fallback = 1},
    {0}};
static const struct attribute_spec adaptive[] = {
    {.name = "output_size", .kind = ATTRIBUTE_INTEGERS, .is_required = true}, {0}};

#define POOLING(name, attributes, axes)                                                         \
    {                                                                                           \
        name, OP_WINDOW, 1, 1, attributes, infer, .flops = flops, .spatial = (axes),            \
                                                  .operands = "x", .types = "floats; the same", \
                                                  .reads = (reads), .needs = (needs)            \
    }

const struct op op_pooling[] = {
    POOLING("max_pool1d", max, 1),
    POOLING("max_pool2d", max, 2),
    POOLING("max_pool3d", max, 3),
    POOLING("avg_pool1d", avg, 1),
    POOLING("avg_pool2d", avg, 2),
    POOLING("avg_pool3d", avg, 3),
    POOLING("adaptive_max_pool1d", adaptive, 1),
    POOLING("adaptive_max_pool2d", adaptive, 2),
    POOLING("adaptive_max_pool3d", adaptive, 3),
    POOLING("adaptive_avg_pool1d", adaptive, 1),
    POOLING("adaptive_avg_pool2d", adaptive, 2),
    POOLING("adaptive_avg_pool3d", adaptive, 3),
    {0},
};
