#include "core/model/op/op_recurrence.h"

#include <string.h>

#include "core/model/op/op_family.h"

static enum recurrence_cell cell_of(const struct op_call *call)
{
    if (strcmp(call->op->name, "lstm") == 0)
        return CELL_LSTM;
    if (strcmp(call->op->name, "gru") == 0)
        return CELL_GRU;
    return op_attribute(call, "nonlinearity")->integers[0] ? CELL_RELU : CELL_TANH;
}

struct recurrence recurrence_of(const struct op_call *call)
{
    static const size_t gates[] = {
        [CELL_TANH] = 1, [CELL_RELU] = 1, [CELL_LSTM] = 4, [CELL_GRU] = 3};
    const struct shape *x = &call->in[0]->shape, *weight = &call->in[1]->shape;
    struct recurrence r = {.cell = cell_of(call),
                           .steps = x->dims[0],
                           .batch = x->dims[1],
                           .width = weight->dims[1],
                           .is_reversed = op_attribute(call, "reverse")->integers[0]};

    r.gates = gates[r.cell];
    r.states = r.cell == CELL_LSTM ? 2 : 1;
    r.bias = call->in_count > 2 + r.states ? 2 + r.states : 0;
    return r;
}

static bool has_dims(const struct shape *shape, size_t rank, int64_t first, int64_t second)
{
    return shape->rank == rank && shape->dims[0] == first &&
           (rank == 1 || shape->dims[1] == second);
}

static bool fits(const struct op_call *call)
{
    const struct shape *x = &call->in[0]->shape;
    struct recurrence r;
    int64_t row;

    if (x->rank != 3 || call->in[1]->shape.rank != 2)
        return false;
    r = recurrence_of(call);
    row = (int64_t)r.gates * r.width;
    if (x->dims[2] != row || !has_dims(&call->in[1]->shape, 2, row, r.width) ||
        (r.bias && !has_dims(&call->in[r.bias]->shape, 1, row, 0)))
        return false;
    for (size_t i = 2; i < 2 + r.states; i++)
        if (!has_dims(&call->in[i]->shape, 2, r.batch, r.width))
            return false;
    return true;
}

static enum status infer(const struct op_call *call, const struct json_ref *place,
                         struct value *out, struct error *err)
{
    enum status st = op_infer_float(call, call->in_count, place, out, err);
    struct recurrence r;

    if (st)
        return st;
    if (!fits(call))
        return op_error(call, place, err,
                        "expected gates [steps, batch, G * width], weight [G * width, width], "
                        "states [batch, width] and bias [G * width], with G = %s",
                        cell_of(call) == CELL_LSTM  ? "4"
                        : cell_of(call) == CELL_GRU ? "3"
                                                    : "1");
    r = recurrence_of(call);
    out->shape = (struct shape){.rank = 3, .dims = {r.steps, r.batch, r.width}};
    if (r.states > 1)
        out->shape = (struct shape){.rank = 4, .dims = {2, r.steps, r.batch, r.width}};
    return STATUS_OK;
}

/*
 * The product, and for each element of the state: rnn an addition and its function; lstm four
 * additions, three sigmoids of 4, two tanh and four for the states; gru three additions, two
 * sigmoids, a tanh, and five.
 */
static double flops(const struct op_call *call)
{
    static const double each[] = {
        [CELL_TANH] = 2, [CELL_RELU] = 2, [CELL_LSTM] = 22, [CELL_GRU] = 17};
    struct recurrence r = recurrence_of(call);
    double gates = (double)r.gates, width = (double)r.width;

    return (double)r.steps * (double)r.batch * width *
           (gates * (2 * width + (r.bias ? 1 : 0)) + each[r.cell]);
}

/* True if the states after all steps are wanted, of hidden states at least. */
static bool wants_all(const struct op_call *call, const struct region *wanted)
{
    const struct shape *out = &call->out->shape;

    for (size_t i = out->rank - 3; i < out->rank; i++)
        if (!region_axis_is_whole(&wanted->axes[i], out->dims[i]))
            return false;
    return out->rank == 3 || wanted->axes[0].first == 0;
}

/*
 * Gates and weights are needed if all hidden states are wanted. A state forgets, so one of a later
 * step need not depend on each earlier step; relu may discard gates.
 */
static void needs(const struct op_call *call, const struct op_demand *demand,
                  struct region_list *needed)
{
    struct recurrence r = recurrence_of(call);
    struct region region = region_whole(&call->in[demand->operand]->shape);

    if (r.cell != CELL_RELU && r.steps > 1 && demand->operand < 2 &&
        wants_all(call, demand->wanted))
        region_list_add(needed, &region);
}

static const char *const nonlinearities[] = {"tanh", "relu", NULL};
static const struct attribute_spec rnn[] = {
    {.name = "nonlinearity", .kind = ATTRIBUTE_CHOICE, .choices = nonlinearities},
    {.name = "reverse", .kind = ATTRIBUTE_FLAG},
    {0}};
static const struct attribute_spec gated[] = {{.name = "reverse", .kind = ATTRIBUTE_FLAG}, {0}};

#define TYPES "floats; their common type"

const struct op op_recurrence[] = {
    {"rnn", OP_RECURRENCE, 3, 4, rnn, infer, .flops = flops,
     .operands = "gates, weight, hidden[, bias]", .types = TYPES, .needs = needs},
    {"gru", OP_RECURRENCE, 3, 4, gated, infer, .flops = flops,
     .operands = "gates, weight, hidden[, bias]", .types = TYPES, .needs = needs},
    {"lstm", OP_RECURRENCE, 4, 5, gated, infer, .flops = flops,
     .operands = "gates, weight, hidden, cell[, bias]", .types = TYPES, .needs = needs},
    {0},
};
