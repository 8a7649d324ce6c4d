#ifndef CORE_SESSION_STATE_GATE_H
#define CORE_SESSION_STATE_GATE_H

#include <stdbool.h>

#include "core/base/status.h"

/*
 * Who decides on a step, and what can be decided: the engineer does, or a
 * policy on the engineer's behalf.  Each kind of step has a mode of its own.
 */

enum step_kind { STEP_PROMPT, STEP_CANDIDATE, STEP_KEEP, STEP_RECOMMENDATION };

enum { STEP_KINDS = 4 };

enum gate_mode { GATE_AUTO, GATE_ASK };

enum decision {
    DECISION_PENDING,
    DECISION_ACCEPTED,
    DECISION_EDITED,
    DECISION_VETOED,
    DECISION_RETRIED, /* made again by the agent, by the reason as an instruction */
};

enum decider { DECIDER_ENGINEER, DECIDER_POLICY };

/* A decision with its circumstances.  Texts may be NULL where they do not apply. */
struct ruling {
    unsigned step;
    enum decision decision;
    const char *text;   /* of an edit: the new text */
    const char *reason; /* of a veto: why; of a retry: the instruction to the agent */
};

/* As in files, by value, with NULL after the last. */
extern const char *const step_kind_names[];
extern const char *const gate_mode_names[];
extern const char *const decision_names[];
extern const char *const decider_names[];

/* The name in files: "recommendation", "vetoed". */
const char *step_kind_name(enum step_kind kind);
const char *decision_name(enum decision decision);

struct gate {
    enum gate_mode modes[STEP_KINDS];
};

/*
 * The presets: "auto" asks nothing; "guided" asks before a candidate is kept
 * and before a recommendation is followed; "manual" asks at every step.
 */
bool gate_preset(const char *name, struct gate *gate);

/*
 * For how long policies decide in the engineer's place whatever the modes
 * say: what comes first of these ends the run.  Zero: not a limit.
 */
struct run_limits {
    unsigned steps;     /* so many decisions */
    bool until_failure; /* a candidate is not correct */
    bool until_slower;  /* a candidate is slower than the best */
    double usd;         /* so much more is spent */
};

/* Read "5 failure slower $0.5": any of these, in any order. */
enum status run_limits_parse(const char *text, struct run_limits *limits,
                             struct error *err) MUST_CHECK;

#endif
