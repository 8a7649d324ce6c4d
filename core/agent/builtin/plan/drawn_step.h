#ifndef CORE_AGENT_BUILTIN_PLAN_DRAWN_STEP_H
#define CORE_AGENT_BUILTIN_PLAN_DRAWN_STEP_H

#include "core/agent/builtin/plan/schedule.h"

/*
 * Move one knob of the schedule by one step, without regard to measurements: the search of a
 * generator that no analyst advises.  Each legal step of a knob that these families have is equally
 * likely; the draw depends on `number` alone, so that a session can be repeated.  False if there is
 * no legal step.
 */
bool drawn_step_take(struct schedule *schedule, unsigned families, unsigned number);

#endif
