#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_COST_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_COST_H

#include "core/agent/builtin/plan/fusion_group.h"

/*
 * Mark further values of movements as stored: those that cost less to store once than to compute at
 * each use, and those whose kernel would read more buffers than a launch takes.
 */
void fusion_mark_costly(const struct writer *writer, const struct schedule *schedule,
                        struct fusion *fusion);

/*
 * Let the elementwise group be computed inline, and so those whose results it reads although they
 * read much less themselves: it costs less to compute a broadcast again than to load it.
 */
void fusion_inline_elements(const struct writer *writer, struct fusion *fusion, size_t number);

#endif
