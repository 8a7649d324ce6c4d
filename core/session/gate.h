#ifndef CORE_SESSION_GATE_H
#define CORE_SESSION_GATE_H

#include <stdbool.h>

/*
 * Who decides on a step, and what can be decided: the engineer does, or a
 * policy on the engineer's behalf.  Each kind of step has a mode of its own.
 */

enum step_kind { STEP_PROMPT, STEP_CANDIDATE, STEP_KEEP, STEP_RECOMMENDATION };

enum { STEP_KINDS = 4 };

enum gate_mode { GATE_AUTO, GATE_ASK };

enum decision { DECISION_PENDING, DECISION_ACCEPTED, DECISION_EDITED, DECISION_VETOED };

enum decider { DECIDER_ENGINEER, DECIDER_POLICY };

/* As in files, by value, with NULL after the last. */
extern const char *const step_kind_names[];
extern const char *const gate_mode_names[];
extern const char *const decision_names[];
extern const char *const decider_names[];

const char *step_kind_name(enum step_kind kind);
bool step_kind_parse(const char *name, enum step_kind *kind);

const char *decision_name(enum decision decision);
bool decision_parse(const char *name, enum decision *decision);

struct gate {
    enum gate_mode modes[STEP_KINDS];
};

/*
 * The presets: "auto" asks nothing; "guided" asks before a candidate is kept
 * and before a recommendation is followed; "manual" asks at every step.
 */
bool gate_preset(const char *name, struct gate *gate);

#endif
