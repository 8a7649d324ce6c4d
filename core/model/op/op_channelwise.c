#include "core/model/op/op_channelwise.h"

#include "core/model/op/op_family.h"

struct channel_norm channel_norm_of(const struct op_call *call)
{
    const struct shape *x = &call->in[0]->shape;
    const struct attribute *groups = op_attribute(call, "num_groups");
    bool has_statistics = call->op->min_inputs > 1;
    size_t weight = has_statistics ? 3 : 1;

    return (struct channel_norm){
        .samples = x->dims[0],
        .channels = x->dims[1],
        .groups = groups ? groups->integers[0] : x->dims[1],
        .space = shape_elements(x) / (x->dims[0] * x->dims[1]),
        .has_statistics = has_statistics,
        .weight = call->in_count > weight ? weight : 0,
        .bias = call->in_count > weight + 1 ? weight + 1 : 0,
    };
}

static enum status infer(const struct op_call *call, const struct json_ref *place,
                         struct value *out, struct error *err)
{
    const struct shape *x = &call->in[0]->shape;
    const struct attribute *groups = op_attribute(call, "num_groups");
    struct json_ref at = json_ref_member(place, "num_groups");
    enum status st = op_infer_float(call, call->in_count, place, out, err);

    if (st)
        return st;
    if (x->rank < 2)
        return op_error(call, place, err, "expected [batch, channels, ...]");
    for (size_t i = 1; i < call->in_count; i++)
        if (!shape_equals(&call->in[i]->shape, &(struct shape){1, {x->dims[1]}}))
            return op_error(call, place, err, "expected [%lld] for each channel, found \"%s\"",
                            (long long)x->dims[1], call->in[i]->name);
    if (groups && (groups->integers[0] < 1 || x->dims[1] % groups->integers[0] != 0))
        return op_error(call, &at, err, "expected a divisor of %lld channels, found %lld",
                        (long long)x->dims[1], (long long)groups->integers[0]);
    return op_infer_same(call, place, out, err);
}

/* With known statistics, each channel has one factor and one summand. */
static double flops_known(const struct op_call *call)
{
    return 2 * (double)shape_elements(&call->in[0]->shape);
}

/*
 * The cost is that of layer_norm: sum, centre, square and sum, scale, and one each for weight and
 * bias.
 */
static double flops_computed(const struct op_call *call)
{
    return (4 + (double)call->in_count) * (double)shape_elements(&call->in[0]->shape);
}

/* The needed elements of an operand that has one number for each channel. */
static void needs_channels(const struct op_demand *demand, struct region_list *needed)
{
    const struct region region = {.rank = 1, .axes = {demand->wanted->axes[1]}};

    region_list_add(needed, &region);
}

static void needs_known(const struct op_call *call, const struct op_demand *demand,
                        struct region_list *needed)
{
    if (demand->operand > 0)
        needs_channels(demand, needed);
    else
        op_needs_each(call, demand, needed);
}

/*
 * The statistics of a group depend on all of its elements. A group of one element is not needed,
 * because its normalized value is 0.
 */
static void needs_computed(const struct op_call *call, const struct op_demand *demand,
                           struct region_list *needed)
{
    struct channel_norm norm = channel_norm_of(call);
    struct region region = region_whole(&call->in[0]->shape);

    region.axes[0] = demand->wanted->axes[0];
    region.axes[1] = demand->wanted->axes[1];
    if (demand->operand > 0)
        needs_channels(demand, needed);
    else if (norm.space * norm.channels > norm.groups)
        region_list_add(needed, &region);
}

static const struct attribute_spec eps[] = {{.name = "eps", .fallback = 1e-5}, {0}};
static const struct attribute_spec group[] = {
    {.name = "eps", .fallback = 1e-5},
    {.name = "num_groups", .kind = ATTRIBUTE_INTEGER, .is_required = true},
    {0}};

/*
 * batch_norm as in PyTorch's evaluation mode: running mean and variance are operands before weight
 * and bias.
 */
const struct op op_channelwise[] = {
    {"batch_norm", OP_CHANNELWISE, 3, 5, eps, infer, .flops = flops_known,
     .operands = "x, mean, variance[, weight[, bias]]", .types = "floats; the type of x",
     .needs = needs_known},
    {"group_norm", OP_CHANNELWISE, 1, 3, group, infer, .flops = flops_computed,
     .operands = "x[, weight[, bias]]", .types = "floats; the type of x", .needs = needs_computed},
    {"instance_norm", OP_CHANNELWISE, 1, 3, eps, infer, .flops = flops_computed,
     .operands = "x[, weight[, bias]]", .types = "floats; the type of x", .needs = needs_computed},
    {0},
};
