#ifndef CORE_MODEL_OP_OP_TABLE_H
#define CORE_MODEL_OP_OP_TABLE_H

#include "core/model/op/op.h"

/* The operations of all families (op_family.h). */

/* NULL when there is no such operation. */
const struct op *op_find(const char *name);

/* All of them, family by family; NULL after the last. */
const struct op *op_at(size_t index);

#endif
