#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_EPILOGUE_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_EPILOGUE_H

#include "core/agent/builtin/plan/fusion_group.h"

/*
 * What of rows is computed behind a product on matrix units, while the tile of
 * a work-group is in registers: norms by groups of features that lie whole in
 * a tile, and the passes of a reduction, row-wise operation or softmax over
 * each tile's part of the row.  The kernel of the rows then joins the parts.
 */

/* Whether the node normalizes what the group, a product on matrix units, computes. */
bool fusion_epilogue_takes_norm(const struct writer *writer, const struct schedule *schedule,
                                const struct fusion *fusion, size_t number, size_t node);

/* Find the lines that products begin. */
void fusion_epilogue_find_partials(const struct writer *writer, const struct schedule *schedule,
                                   struct fusion *fusion);

/* The group's node that is no element: a norm, where the group is a product; SIZE_MAX for none. */
size_t fusion_epilogue_norm(const struct writer *writer, const struct group *group);

/*
 * Whether nothing but `value` needs what the group computes before it: it may
 * take the place of that.
 */
bool fusion_epilogue_may_replace(const struct writer *writer, const struct fusion *fusion,
                                 size_t number, size_t value);

#endif
