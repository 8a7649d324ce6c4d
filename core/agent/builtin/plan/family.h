#ifndef CORE_AGENT_BUILTIN_PLAN_FAMILY_H
#define CORE_AGENT_BUILTIN_PLAN_FAMILY_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/codegen/writer.h"

/* What kind of kernel an operation is for, by what it is and the types and sizes it works on. */
enum family family_of(const struct writer *writer, const struct graph_node *node,
                      const struct op_call *call);

/*
 * Whether each element of the result comes from the operands' elements at its
 * place: elementwise operations, a norm of features with given statistics, and
 * reductions of a single element.
 */
bool family_is_elementwise(const struct writer *writer, const struct graph_node *node,
                           const struct op_call *call);

/* How many of its last axes a reduction or row-wise operation works along; 0 where not the last. */
size_t family_rowwise_axes(const struct op_call *call);

/* Which axis of its operand each axis of a transpose's or permute's result is; false for others. */
bool family_permutation(const struct op_call *call, size_t axes[SHAPE_MAX_RANK]);

/* Whether the schedule wants a product on matrix units, and its shape and language allow it. */
bool family_has_matrix(const struct writer *writer, const struct schedule *schedule,
                       const struct graph_node *node, const struct op_call *call);

/* Whether operands and result are all f32. */
bool family_is_f32(const struct op_call *call);

#endif
