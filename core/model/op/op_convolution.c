#include "core/model/op/op_convolution.h"

#include "core/model/op/op_family.h"

/* The weight is [out, in, ...] for a convolution and [in, out, ...] for a transposed one. */
struct convolution convolution_of(const struct op_call *call)
{
    const struct shape *x = &call->in[0]->shape, *w = &call->in[1]->shape;
    struct convolution made = {.window = window_of(call),
                               .batch = x->dims[0],
                               .groups = op_attribute(call, "groups")->integers[0],
                               .bias = call->in_count > 2 ? call->in[2] : NULL};

    made.in_channels = x->dims[1] / made.groups;
    made.out_channels =
        made.window.kind == WINDOW_TRANSPOSED ? w->dims[1] : w->dims[0] / made.groups;
    return made;
}

static enum status check_rank(const struct op_call *call, const struct json_ref *place,
                              struct error *err)
{
    size_t rank = 2 + call->op->spatial;

    if (call->in[0]->shape.rank != rank || call->in[1]->shape.rank != rank)
        return op_error(call, place, err,
                        "expected input and weight with %zu axes: [batch, channels, %u of space]",
                        rank, call->op->spatial);
    return STATUS_OK;
}

/* Groups divide the input channels and, in a convolution, the output channels. */
static enum status check_groups(const struct op_call *call, const struct json_ref *place,
                                struct error *err)
{
    int64_t channels = call->in[0]->shape.dims[1], filters = call->in[1]->shape.dims[0];
    int64_t groups = op_attribute(call, "groups")->integers[0];
    struct json_ref at = json_ref_member(place, "groups");

    if (groups < 1 || channels % groups != 0 || filters % groups != 0)
        return op_error(call, &at, err, "expected a divisor of %lld and %lld channels, found %lld",
                        (long long)channels, (long long)filters, (long long)groups);
    return STATUS_OK;
}

static enum status check_channels(const struct op_call *call, const struct json_ref *place,
                                  struct error *err)
{
    struct convolution c = convolution_of(call);
    const struct shape *w = &call->in[1]->shape, bias = {1, {c.out_channels * c.groups}};

    if (c.window.kind == WINDOW_TRANSPOSED && w->dims[0] != c.in_channels * c.groups)
        return op_error(call, place, err, "expected weight [in, out, ...] with %lld input channels",
                        (long long)c.in_channels * c.groups);
    if (c.window.kind == WINDOW_FORWARD && w->dims[1] != c.in_channels)
        return op_error(call, place, err, "expected weight [out, in, ...] with %lld input channels",
                        (long long)c.in_channels);
    if (call->in_count > 2 && !shape_equals(&call->in[2]->shape, &bias))
        return op_error(call, place, err, "expected bias [%lld]", (long long)bias.dims[0]);
    return STATUS_OK;
}

static enum status infer(const struct op_call *call, const struct json_ref *place,
                         struct value *out, struct error *err)
{
    struct convolution c;
    enum status st;

    if ((st = check_rank(call, place, err)) || (st = check_groups(call, place, err)) ||
        (st = window_check(call, place, err)) || (st = check_channels(call, place, err)))
        return st;
    c = convolution_of(call);
    out->shape = window_result(call, c.out_channels * c.groups);
    return op_infer_float(call, call->in_count, place, out, err);
}

/* Padding is not counted. */
static double flops(const struct op_call *call)
{
    struct convolution c = convolution_of(call);
    double biased = c.bias ? (double)shape_elements(&call->out->shape) : 0;

    return 2 * window_taps(&c.window) * (double)(c.batch * c.groups) *
               (double)(c.in_channels * c.out_channels) +
           biased;
}

/* The input channels of the wanted filters; false when they are not known to be all or none. */
static bool needs_input_channels(const struct op_call *call, const struct region *wanted,
                                 struct region_axis *channels)
{
    *channels = (struct region_axis){0, 1, call->in[0]->shape.dims[1]};
    return op_attribute(call, "groups")->integers[0] == 1 ||
           region_axis_is_whole(&wanted->axes[1], call->out->shape.dims[1]);
}

/* With padding, some weights may only meet padding and are then not needed, so all are left out. */
static bool needs_weights(const struct op_call *call, const struct region *wanted)
{
    struct window window = window_of(call);
    bool is_padded = window.kind != WINDOW_FORWARD;

    for (size_t i = 0; i < WINDOW_AXES; i++)
        is_padded = is_padded || window.axes[i].padding > 0;
    return !is_padded && region_is_whole(wanted, &call->out->shape);
}

static void needs(const struct op_call *call, const struct op_demand *demand,
                  struct region_list *needed)
{
    const struct region whole = region_whole(&call->in[demand->operand]->shape);
    const struct region bias = {.rank = 1, .axes = {demand->wanted->axes[1]}};
    struct region_axis channels;

    if (demand->operand == 2)
        region_list_add(needed, &bias);
    else if (demand->operand == 1 && demand->nonzero & 1 && needs_weights(call, demand->wanted))
        region_list_add(needed, &whole);
    else if (demand->operand == 0 && demand->nonzero & 2 &&
             needs_input_channels(call, demand->wanted, &channels))
        window_needs(call, demand->wanted, &channels, needed);
}

static const struct attribute_spec forward[] = {
    {.name = "stride", .kind = ATTRIBUTE_INTEGERS, .absent = "1"},
    {.name = "padding", .kind = ATTRIBUTE_INTEGERS, .absent = "0"},
    {.name = "dilation", .kind = ATTRIBUTE_INTEGERS, .absent = "1"},
    {.name = "groups", .kind = ATTRIBUTE_INTEGER, .fallback = 1},
    {0}};
static const struct attribute_spec transposed[] = {
    {.name = "stride", .kind = ATTRIBUTE_INTEGERS, .absent = "1"},
    {.name = "padding", .kind = ATTRIBUTE_INTEGERS, .absent = "0"},
    {.name = "output_padding", .kind = ATTRIBUTE_INTEGERS, .absent = "0"},
    {.name = "dilation", .kind = ATTRIBUTE_INTEGERS, .absent = "1"},
    {.name = "groups", .kind = ATTRIBUTE_INTEGER, .fallback = 1},
    {0}};

#define CONVOLUTION(name, attributes, axes)                                     \
    {                                                                           \
        name, OP_CONVOLUTION, 2, 3, attributes, infer,                          \
            .flops = flops, .spatial = (axes), .operands = "x, weight[, bias]", \
            .types = "floats; their common type", .needs = (needs)              \
    }

const struct op op_convolution[] = {
    CONVOLUTION("conv1d", forward, 1),
    CONVOLUTION("conv2d", forward, 2),
    CONVOLUTION("conv3d", forward, 3),
    CONVOLUTION("conv_transpose1d", transposed, 1),
    CONVOLUTION("conv_transpose2d", transposed, 2),
    CONVOLUTION("conv_transpose3d", transposed, 3),
    {0},
};
