#ifndef CORE_AGENT_BUILTIN_PLAN_ALGEBRA_ALGEBRA_VECTORS_H
#define CORE_AGENT_BUILTIN_PLAN_ALGEBRA_ALGEBRA_VECTORS_H

#include "core/agent/builtin/plan/algebra/algebra_product.h"

/*
 * A product with a vector becomes a multiplication and a sum along rows, which reads the matrix
 * once, with vectors, and keeps the whole device busy; so does one of a single row.
 *
 * Rewrite the product if it is one of these; false if not.
 */
bool algebra_multiply_vector(struct rewriting *r, struct candidate_product *p);

#endif
