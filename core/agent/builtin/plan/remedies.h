#ifndef CORE_AGENT_BUILTIN_PLAN_REMEDIES_H
#define CORE_AGENT_BUILTIN_PLAN_REMEDIES_H

#include <stdbool.h>

#include "core/agent/builtin/plan/schedule.h"
#include "core/model/profile.h"

/*
 * What a GPU's counters speak for: for each rule that a profile may hold
 * (core/judge/tools/bottleneck.h) the single steps of a schedule that answer it.
 */

struct remedy {
    const char *rule;
    enum knob knob;
    int direction; /* 1: the knob's next value, -1: the one before */
    int below;     /* from here on the knob does not answer the rule any more; 0: it always does */
    unsigned families;
};

/* What a change is good for, in the words of a recommendation. */
struct reason {
    const char *bottleneck, *why, *tag;
};

/* The i-th remedy, the best of each rule first; NULL after the last. */
const struct remedy *remedies_at(size_t i);

/* The profile's rule of that name: of the launch that takes longest.  NULL where it has none. */
const struct profile_rule *remedies_rule(const struct profile *profile, const char *name);

/*
 * How many times as fast a step that answers the rule may be hoped to make it.
 * Where the counters give an estimate it is the most that could be gained: its root.
 */
double remedies_gain(const struct profile_rule *rule);

/* Whether the remedy is one for kernels of these families, from where the schedule is. */
bool remedies_apply(const struct remedy *remedy, const struct schedule *schedule,
                    unsigned families);

/* The rule of `profile` that a change from one schedule to the other answers; NULL for none. */
const struct profile_rule *remedies_answered_rule(const struct profile *profile,
                                                  const struct schedule *from,
                                                  const struct schedule *to);

/* Of a change that answers the rule. */
const struct reason *remedies_reason(const struct profile_rule *rule);

#endif
