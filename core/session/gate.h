#ifndef CORE_SESSION_GATE_H
#define CORE_SESSION_GATE_H

#include <stdbool.h>

/*
 * Who decides on a step: the engineer, or a policy on the engineer's behalf.
 * Each kind of step has a mode of its own.
 */

enum step_kind { STEP_PROMPT, STEP_CANDIDATE, STEP_KEEP, STEP_RECOMMENDATION };

enum { STEP_KINDS = 4 };

const char *step_kind_name(enum step_kind kind);
bool step_kind_parse(const char *name, enum step_kind *kind);

enum gate_mode { GATE_AUTO, GATE_ASK };

struct gate {
    enum gate_mode modes[STEP_KINDS];
};

/*
 * The presets: "auto" asks nothing; "guided" asks before a candidate is kept
 * and before a recommendation is followed; "manual" asks at every step.
 */
bool gate_preset(const char *name, struct gate *gate);

#endif
