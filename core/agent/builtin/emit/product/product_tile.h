#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_TILE_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_TILE_H

#include "core/agent/builtin/emit/emit.h"
#include "core/model/op/op_product.h"

/* Sizes and names that all kernels of a product use. */

struct tile {
    struct emitter *e;
    struct op_call call;
    const struct graph_node *node;
    struct product product;
    int m, n;
    int stride, span; /* columns from a vector to the next; of a work-group's tile */
    int slices;       /* sets of work-items that share the steps of a block in local memory */
    bool is_packed;
    const char *rows, *columns, *depth; /* sizes of one matrix of the batch, as C text */
    const char *panels;                 /* scratch buffer of the panels, if is_packed */
    const char *transposed; /* scratch buffer of the transposed param as [k][column]; or NULL */
};

/*
 * The offset from an operand's beginning to its matrix of the batch, as " + <C text>"; "" for none.
 */
const char *product_offset(const struct tile *t, size_t operand);

/*
 * The matrix of an operand that belongs to matrix `batch` of the result, as C text; NULL if there
 * is only one.
 */
const char *product_matrix_index(const struct tile *t, size_t operand);

/* The number of matrices of an operand, or of the result (RESULT), as C text. */
enum { RESULT = 2 };
const char *product_batch_extent(const struct tile *t, size_t operand);

/* The dimension of the launch that runs along the columns. */
int product_column_dimension(const struct emitter *e);

/* True if the result has axes that number its matrices. */
bool product_has_batch(const struct tile *t);

/* True if the kernel that computes the first operand stores it converted for matrix units. */
bool product_is_converted(const struct tile *t);

#endif
