#include "core/model/op/op.h"

#include <string.h>

#include "core/base/text.h"

double op_flops(const struct op_call *call)
{
    int64_t in = shape_elements(&call->in[0]->shape);
    int64_t out = shape_elements(&call->out->shape);

    return call->op->flops ? call->op->flops(call) : call->op->cost * (double)(in > out ? in : out);
}

double op_reads(const struct op_call *call, size_t operand)
{
    double all = (double)shape_elements(&call->in[operand]->shape);
    double out = (double)shape_elements(&call->out->shape);

    if (call->op->reads)
        return call->op->reads(call, operand);
    return call->op->view && out < all ? out : all;
}

const struct attribute *op_attribute(const struct op_call *call, const char *name)
{
    for (size_t i = 0; call->op->attributes[i].name; i++)
        if (strcmp(call->op->attributes[i].name, name) == 0)
            return &call->attributes[i];
    return NULL;
}

bool op_is_one_of(const struct op *op, const char *const *names)
{
    for (size_t i = 0; names[i]; i++)
        if (strcmp(op->name, names[i]) == 0)
            return true;
    return false;
}

bool op_begins_with_one_of(const struct op *op, const char *const *names)
{
    for (size_t i = 0; names[i]; i++)
        if (text_begins(op->name, names[i]))
            return true;
    return false;
}
