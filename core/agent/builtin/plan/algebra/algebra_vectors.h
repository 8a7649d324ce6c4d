#ifndef CORE_AGENT_BUILTIN_PLAN_ALGEBRA_ALGEBRA_VECTORS_H
#define CORE_AGENT_BUILTIN_PLAN_ALGEBRA_ALGEBRA_VECTORS_H

#include "core/agent/builtin/plan/algebra/algebra_product.h"

/*
 * Rewrite a product with a vector, or one of a single row, to a multiplication and a sum along
 * rows, which read the matrix once, with vectors, and keep the whole device busy. False if the
 * product is neither.
 */
bool algebra_multiply_vector(struct rewriting *r, struct candidate_product *p);

/* The same for a product of a few rows on a GPU. */
bool algebra_multiply_few_rows(struct rewriting *r, struct candidate_product *p);

/*
 * Rewrite a product of many small matrices, or of many short rows with a small matrix, to
 * multiplications and additions of elements; false for other products.
 */
bool algebra_multiply_small(struct rewriting *r, struct candidate_product *p);

#endif
