#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_SPLIT_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_SPLIT_H

#include "core/agent/builtin/plan/fusion_group.h"

/*
 * Long rows on a GPU. A work-group for each row leaves most of the device idle if there are few
 * rows, and reads a row from memory again in each pass if it does not fit in registers. So a long
 * row is split into slices that have work-groups of their own: a first kernel computes the partial
 * results of all slices, a second one merges them and computes the results of its slice.
 */

/* Set `slices` and `slice` of the row-wise groups whose rows are split. */
void fusion_split_rows(const struct writer *writer, const struct schedule *schedule,
                       struct fusion *fusion);

#endif
