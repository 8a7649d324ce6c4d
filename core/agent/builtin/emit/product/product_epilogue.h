#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_EPILOGUE_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_EPILOGUE_H

#include "core/agent/builtin/emit/product/product_matrix_tile.h"

/*
 * The epilogue of a product on matrix units. Four neighbouring work-items, a quad, hold the columns
 * of a row, two at a time in turn. Results along the row are combined with shuffles. If several
 * passes read a value and nothing else needs the sums, the value replaces the sums in the
 * registers.
 */

/*
 * Declare scratch for the partial results that the epilogue computes, and add it to the kernel's
 * arguments.
 */
void product_epilogue_args(const struct matrix *m);

/*
 * Write the epilogue for the sums in registers: elementwise operations, a normalization of
 * features, and partial results of a following row-wise operation.
 */
void product_epilogue(const struct matrix *m);

#endif
