#ifndef CORE_AGENT_BUILTIN_PLAN_REMEDIES_H
#define CORE_AGENT_BUILTIN_PLAN_REMEDIES_H

#include <stdbool.h>

#include "core/agent/builtin/plan/schedule.h"
#include "core/model/profile.h"

/*
 * Remedies for the bottlenecks that a profile shows: for each rule that a profile may hold
 * (core/judge/tools/bottleneck.h), the single steps of a schedule that answer it.
 */

struct remedy {
    const char *rule;
    enum knob knob;
    int direction; /* 1: to the knob's next value, -1: to the value before */
    int below;     /* the remedy applies while the knob's value is smaller; 0: always */
    unsigned families;
};

/* Why a change helps, in the words of a recommendation. */
struct reason {
    const char *bottleneck, *why, *tag;
};

/* Remedy i, the best one of each rule first; NULL after the last. */
const struct remedy *remedies_at(size_t i);

/* The rule of that name for the launch that takes longest; NULL if the profile has none. */
const struct profile_rule *remedies_rule(const struct profile *profile, const char *name);

/*
 * The speed-up to promise for a step that answers the rule: the square root of its estimate, which
 * is an upper limit, or else a usual value.
 */
double remedies_gain(const struct profile_rule *rule);

/* True if the remedy applies to kernels of `families` under the schedule. */
bool remedies_apply(const struct remedy *remedy, const struct schedule *schedule,
                    unsigned families);

/* The rule of `profile` that a change from one schedule to the other answers; NULL for none. */
const struct profile_rule *remedies_answered_rule(const struct profile *profile,
                                                  const struct schedule *from,
                                                  const struct schedule *to);

/* The reason for a change that answers the rule. */
const struct reason *remedies_reason(const struct profile_rule *rule);

#endif
