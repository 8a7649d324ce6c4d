#ifndef CORE_SESSION_STATE_GATE_H
#define CORE_SESSION_STATE_GATE_H

#include <stdbool.h>

#include "core/base/status.h"

/*
 * The gate says who decides on a proposed step: the engineer, or a policy in the engineer's place.
 * Each kind of step has its own mode.
 */

enum step_kind { STEP_PROMPT, STEP_CANDIDATE, STEP_KEEP, STEP_RECOMMENDATION };

enum { STEP_KINDS = 4 };

enum gate_mode { GATE_AUTO, GATE_ASK };

enum decision {
    DECISION_PENDING,
    DECISION_ACCEPTED,
    DECISION_EDITED,
    DECISION_VETOED,
    DECISION_RETRIED, /* the agent does it again, with the reason as an instruction */
};

enum decider { DECIDER_ENGINEER, DECIDER_POLICY };

/* A decision on a step, with the text or the reason that belongs to it. Other texts are NULL. */
struct ruling {
    unsigned step;
    enum decision decision;
    const char *text;   /* for an edit: the new text */
    const char *reason; /* for a veto: why; for a retry: the instruction to the agent */
};

/* Names in files, by value; NULL ends each list. */
extern const char *const step_kind_names[];
extern const char *const gate_mode_names[];
extern const char *const decision_names[];
extern const char *const decider_names[];

/* One of these names: "recommendation", "vetoed". */
const char *step_kind_name(enum step_kind kind);
const char *decision_name(enum decision decision);

struct gate {
    enum gate_mode modes[STEP_KINDS];
};

/*
 * Set the gate to a preset: "auto" never asks the engineer, "guided" asks before a candidate is
 * kept and before a recommendation is followed, "manual" asks at every step.  Returns false for
 * another name and leaves the gate unchanged.
 */
bool gate_preset(const char *name, struct gate *gate);

/*
 * A run: policies decide on every step, whatever the modes of the gate.  The limit that is reached
 * first ends the run.  Zero means no limit.
 */
struct run_limits {
    unsigned steps;     /* number of decisions */
    bool until_failure; /* ends when a candidate is not correct */
    bool until_slower;  /* ends when a candidate is slower than the best */
    double usd;         /* spent since the run began */
};

/* Read limits from words in any order, such as "5 failure slower $0.5". */
enum status run_limits_parse(const char *text, struct run_limits *limits,
                             struct error *err) MUST_CHECK;

#endif
