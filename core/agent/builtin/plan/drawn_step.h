#ifndef CORE_AGENT_BUILTIN_PLAN_DRAWN_STEP_H
#define CORE_AGENT_BUILTIN_PLAN_DRAWN_STEP_H

#include "core/agent/builtin/plan/schedule.h"

/*
 * Move one knob of the schedule by a random step. A generator without an analyst searches in this
 * way. All legal steps of the knobs of `families` are equally likely. The draw depends on `number`
 * alone, so that a session can be repeated. False if there is no legal step.
 */
bool drawn_step_take(struct schedule *schedule, unsigned families, unsigned number);

#endif
