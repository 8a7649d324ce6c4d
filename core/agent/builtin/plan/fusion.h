#ifndef CORE_AGENT_BUILTIN_PLAN_FUSION_H
#define CORE_AGENT_BUILTIN_PLAN_FUSION_H

#include "core/agent/builtin/plan/fusion_group.h"

/*
 * Decides which operations of a graph share a kernel. It walks the graph once. Each node joins the
 * group of its operands if that group's kernel can compute it; otherwise it begins a new group.
 */

/* Without KNOB_FUSE every operation is a group of its own with a plain kernel. */
void fusion_plan(const struct writer *writer, const struct schedule *schedule,
                 struct fusion *fusion);

/* The families of kernels that the problem's groups fall into under the schedule, as bits. */
enum status fusion_find_families(const struct problem *problem, const char *language,
                                 const struct schedule *schedule, unsigned *families,
                                 struct error *err) MUST_CHECK;

#endif
