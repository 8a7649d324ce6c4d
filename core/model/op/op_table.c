#include "core/model/op/op_table.h"

#include <string.h>

#include "core/model/op/op_family.h"

static const struct op *const families[] = {
    op_elementwise, op_reduction, op_rowwise,    op_channelwise, op_product, op_convolution,
    op_pooling,     op_attention, op_recurrence, op_movement,    op_lookup,  NULL,
};

const struct op *op_at(size_t index)
{
    for (size_t f = 0; families[f]; f++)
        for (const struct op *op = families[f]; op->name; op++)
            if (index-- == 0)
                return op;
    return NULL;
}

const struct op *op_find(const char *name)
{
    for (size_t f = 0; families[f]; f++)
        for (const struct op *op = families[f]; op->name; op++)
            if (strcmp(op->name, name) == 0)
                return op;
    return NULL;
}
