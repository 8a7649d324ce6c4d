#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_VIEWS_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_VIEWS_H

#include "core/agent/builtin/plan/fusion_group.h"

/*
 * Find the stored results of reshapes whose operand is in memory, too: they are other names of the
 * operand's buffer, and their groups have no kernel.
 */
void fusion_find_views(const struct writer *writer, struct fusion *fusion);

#endif
