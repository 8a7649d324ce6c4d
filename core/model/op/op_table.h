#ifndef CORE_MODEL_OP_OP_TABLE_H
#define CORE_MODEL_OP_OP_TABLE_H

#include "core/model/op/op.h"

/* The table of all operations (op_family.h has its parts). */

/* The operation of that name, or NULL. */
const struct op *op_find(const char *name);

/* The operation at this index, family by family; NULL after the last. */
const struct op *op_at(size_t index);

#endif
