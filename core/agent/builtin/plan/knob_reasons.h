#ifndef CORE_AGENT_BUILTIN_PLAN_KNOB_REASONS_H
#define CORE_AGENT_BUILTIN_PLAN_KNOB_REASONS_H

#include "core/agent/builtin/plan/remedies.h"

/* Reasons for changes of a schedule that no rule of a profile asks for. */

/* The reason for a step of the knob to a later value of its row, or to one before. */
const struct reason *knob_reason(enum knob knob, bool is_up);

#endif
