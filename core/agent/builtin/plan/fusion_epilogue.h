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

/*
 * Find the results of products that other kernels read element by element; set is_rounded. In class
 * mixed they may be stored in 16 bits, which is half as much to write and to read again.
 */
void fusion_epilogue_find_rounded(const struct writer *writer, const struct schedule *schedule,
                                  struct fusion *fusion);

/* The type that a value of the group's kernel is stored in. */
enum dtype fusion_storage(const struct writer *writer, const struct schedule *schedule,
                          const struct fusion *fusion, size_t value);

/* The normalization in the epilogue of a product's group; SIZE_MAX for none. */
size_t fusion_epilogue_norm(const struct writer *writer, const struct group *group);

/*
 * True if the value can replace the sums in registers: nothing after `value` needs the values that
 * the group computes before it.
 */
bool fusion_epilogue_may_replace(const struct writer *writer, const struct fusion *fusion,
                                 size_t number, size_t value);

/*
 * Statistics of the columns of a product: the sums, means and variances along the rows that a
 * normalization by the batch's statistics needs. The epilogue of a product on matrix units computes
 * them for each tile, about the tile's own mean, while the elements are in registers. A group of
 * FAMILY_COLUMNS merges the tiles' statistics and computes what follows for each column. So the
 * result of the product is read once, by the kernel that normalizes it.
 */

/* True if the reduction is one that the statistics give: a sum, mean or variance of columns. */
bool columns_can_be(const struct op_call *call);

/*
 * True if the value is the result of a product of two f32 matrices, or is computed from it by
 * elementwise operations that the epilogue of the product can compute.
 */
bool columns_of_product(const struct graph *graph, size_t value);

/* True if the node reduces columns of a value that the epilogue of a group's product computes. */
bool fusion_columns_takes(const struct writer *writer, const struct schedule *schedule,
                          const struct fusion *fusion, size_t node);

/* Add the reduction to the group of FAMILY_COLUMNS that has statistics of the same value. */
bool fusion_columns_join(const struct writer *writer, struct fusion *fusion, size_t node);

/*
 * Let the epilogues write the statistics: set columns_of of the products, and of the groups that
 * read them.
 */
void fusion_columns_mark(const struct writer *writer, struct fusion *fusion);

/*
 * True if the node's kernel needs only what the epilogue of a product has made of its first
 * operand: partial results, or statistics of the columns.
 */
bool fusion_epilogue_gives(const struct writer *writer, const struct fusion *fusion, size_t node);

/* True if the node is a reduction of its group, FAMILY_COLUMNS, from the tiles' statistics. */
bool fusion_columns_reduces(const struct writer *writer, const struct group *group, size_t node);

#endif
