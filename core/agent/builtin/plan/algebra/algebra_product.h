#ifndef CORE_AGENT_BUILTIN_PLAN_ALGEBRA_ALGEBRA_PRODUCT_H
#define CORE_AGENT_BUILTIN_PLAN_ALGEBRA_ALGEBRA_PRODUCT_H

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/model/op/op_product.h"

/* Functions that the rules for products in algebra_shapes.c and algebra_vectors.c share. */

/* A product to rewrite. */
struct candidate_product {
    size_t node;
    struct op_call call;
    struct product product;
    bool is_linear;
};

/* Read a product in f32 with fixed sizes; false if the node is none. */
bool algebra_product_read(const struct rewriting *r, size_t node, struct candidate_product *p);

/* Insert a reshape of `operand` before the node. Returns the result's name, borrowed. */
const char *algebra_product_reshape(struct rewriting *r, struct candidate_product *p,
                                    const char *operand, const struct shape *shape);

/* Turn the node, the last one of the new ones, into a reshape of `operand` to its result. */
void algebra_product_become_reshape(struct rewriting *r, const struct candidate_product *p,
                                    const char *operand);

/* Turn node `at` into the sum of the value `name` over an axis. Returns the node, borrowed. */
struct json *algebra_product_become_sum(struct rewriting *r, size_t at, const char *name,
                                        int64_t axis);

#endif
