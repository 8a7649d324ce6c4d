#ifndef CORE_SESSION_STATE_LIMITS_H
#define CORE_SESSION_STATE_LIMITS_H

#include "core/session/state/budget.h"

/*
 * The limits of a session, and the reasons for which it ends.  Both are recorded: the limits with
 * its first event, the reason with its last.
 */
enum closing {
    CLOSING_NOT,        /* the session is open, or its journal names no reason */
    CLOSING_BOUND,      /* the graph's bound is reached and no gain is promised */
    CLOSING_FUNCTIONAL, /* limits.functional attempts, none correct */
    CLOSING_OPTIMIZE,   /* limits.optimize attempts were made */
    CLOSING_FLAT,       /* limits.flat rounds in a row without a gain */
    CLOSING_EXHAUSTED,  /* the analyst recommends nothing more */
    CLOSING_BUDGET,     /* a budget is used up, or what is left of it is unknown */
    CLOSING_ASKED,      /* the engineer ended the session */
};

/* Names in files, by enum closing; NULL ends the list. */
extern const char *const closing_names[];

/* Only attempts of the agent count, not the engineer's edits. */
struct limits {
    unsigned functional;      /* attempts before the first correct candidate */
    unsigned optimize;        /* attempts after the first correct candidate */
    unsigned attempts;        /* asked for in one round at the same time; 0 means 1 */
    unsigned flat;            /* rounds in a row without a gain; 0: no limit */
    unsigned context;         /* tokens of prompt and reply together; 0: the model's own limit */
    double budget[RESOURCES]; /* by enum resource: in $, tokens, minutes; 0: no limit */
};

/* The default limits of a session. */
extern const struct limits limits_default;

#endif
