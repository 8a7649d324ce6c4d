#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_CONVERT_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_CONVERT_H

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/product/product_matrix_tile.h"

/*
 * Conversion of a product's operands for matrix units. A line of an operand is a row of the first
 * or a column of the second one: its elements are the steps of the sum.
 */

/*
 * Write the kernel that converts an operand to 16 bits as [line][step], or its parts as
 * [part][line][step], and its launch. Lines of all matrices of a batch follow one another.
 */
void product_convert(const struct matrix *m, size_t operand);

/*
 * Write the statements that store a pair of elements of `value`, the first operand of another
 * product, at `row` and `c` as that product's conversion would store them, if the position's
 * condition holds.
 */
void product_convert_pair(const struct matrix *m, size_t value, const struct position *position);

/* True if such pairs are kept in `packed_<buffer>` until four runs of columns are stored at once.
 */
bool product_convert_packs(const struct matrix *m);

/* The scratch buffer of the value's conversion (fusion's converted_for). */
const char *product_converted_name(struct emitter *e, size_t value, size_t number);

/* The lines of all matrices and parts of an operand, as C text. */
const char *product_planes(const struct matrix *m, size_t operand);

#endif
