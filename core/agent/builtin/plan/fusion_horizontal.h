#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_HORIZONTAL_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_HORIZONTAL_H

#include "core/agent/builtin/plan/fusion_group.h"

/*
 * Horizontal fusion: groups of movements that do not depend on each other share one kernel, each
 * with work-groups of its own. On a GPU many such results take less time than the launch of a
 * kernel. A group of which one value is stored and read by another becomes two groups, because
 * work-groups of one launch do not wait for each other. Sets `kernel_group` of all groups.
 */
void fusion_horizontal_merge(const struct writer *writer, const struct schedule *schedule,
                             struct fusion *fusion);

#endif
