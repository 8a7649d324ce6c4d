#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_TILE_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_TILE_H

#include "core/agent/builtin/emit/emit.h"
#include "core/model/op/op_product.h"

/* What the ways to compute a product share. */

struct tile {
    struct emitter *e;
    struct op_call call;
    const struct graph_node *node;
    struct product product;
    int m, n;
    int stride, span; /* columns from a vector of the tile to its next; of a work-group's tiles */
    int slices;       /* sets of work-items that share the steps of a block in local memory */
    bool is_packed;
    const char *rows, *columns, *depth; /* of one matrix of the batch */
    const char *panels;                 /* scratch, where packed */
    const char *turned;                 /* scratch with a param as [k][column]; or NULL */
};

/* From the beginning of an operand to its matrix of the batch; "" for the first. */
const char *product_offset(const struct tile *t, size_t operand);

/* The dimension of the index space that runs along columns. */
int product_column_dimension(const struct emitter *e);

/* How many slices a work-group has; the tile's other members are known. */
int product_slices(const struct tile *t);

/* The sum with operands that a work-group copies to local memory block by block. */
void product_local_sum(const struct tile *t);

#endif
