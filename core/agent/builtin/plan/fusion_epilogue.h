#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_EPILOGUE_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_EPILOGUE_H

#include "core/agent/builtin/plan/fusion_group.h"

/*
 * Fusion with the epilogue of a product on matrix units, while the tile of a work-group is in
 * registers. The epilogue can normalize groups of features that lie within a tile. It can also run
 * the passes of a following reduction, softmax or other row-wise operation over its tile's part of
 * each row; the row-wise kernel then merges these partial results.
 */

/*
 * True if the epilogue of group `number`, a product on matrix units, can compute the node, a
 * normalization of its result.
 */
bool fusion_epilogue_takes_norm(const struct writer *writer, const struct schedule *schedule,
                                const struct fusion *fusion, size_t number, size_t node);

/* True if partial results of all passes can be merged to the result for the row. */
bool fusion_epilogue_can_merge(const struct rowwise_formula *formula);

/*
 * Find the row-wise groups whose passes begin in the epilogue of a product; set writes_partials,
 * partials_of and reads_partials.
 */
void fusion_epilogue_find_partials(const struct writer *writer, const struct schedule *schedule,
                                   struct fusion *fusion);

/*
 * Find the values that only a product on matrix units loads, as its first operand, and that the
 * epilogue of another one can convert for it; set converted_for.
 */
void fusion_epilogue_find_converted(const struct writer *writer, const struct schedule *schedule,
                                    struct fusion *fusion);

/* The normalization in the epilogue of a product's group; SIZE_MAX for none. */
size_t fusion_epilogue_norm(const struct writer *writer, const struct group *group);

/*
 * True if the value can replace the sums in registers: nothing after `value` needs the values that
 * the group computes before it.
 */
bool fusion_epilogue_may_replace(const struct writer *writer, const struct fusion *fusion,
                                 size_t number, size_t value);

#endif
