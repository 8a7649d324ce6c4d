#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_HORIZONTAL_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_HORIZONTAL_H

#include "core/agent/builtin/plan/fusion_group.h"

/*
 * Groups of places that nothing orders share one kernel, each with
 * work-groups of its own: to start a kernel takes a GPU longer than to
 * compute many a result.  Sets `with` of all groups.
 */
void fusion_horizontal_merge(const struct writer *writer, const struct schedule *schedule,
                             struct fusion *fusion);

#endif
