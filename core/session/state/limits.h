#ifndef CORE_SESSION_STATE_LIMITS_H
#define CORE_SESSION_STATE_LIMITS_H

#include "core/session/state/budget.h"

/* Why a session ends. */
enum closing {
    CLOSING_NOT,
    CLOSING_BOUND,      /* as fast as the device allows */
    CLOSING_FUNCTIONAL, /* no correct candidate in so many attempts */
    CLOSING_OPTIMIZE,   /* so many attempts to optimize were made */
    CLOSING_FLAT,       /* so many rounds in a row gained nothing */
    CLOSING_EXHAUSTED,  /* the analyst sees nothing more to try */
    CLOSING_BUDGET,     /* used up, or it cannot be told what is left */
    CLOSING_ASKED,      /* by the engineer */
};

/* As in files, by value, with NULL after the last. */
extern const char *const closing_names[];

/* When to stop.  Attempts are the agent's: an engineer's edit is not counted. */
struct limits {
    unsigned functional;      /* attempts until the first correct candidate */
    unsigned optimize;        /* attempts after it */
    unsigned attempts;        /* asked for in a round at the same time; 0 is 1 */
    unsigned flat;            /* rounds in a row without a gain; 0: no such limit */
    unsigned context;         /* tokens of prompt and reply together; 0: as is known of the model */
    double budget[RESOURCES]; /* in $, tokens, minutes; 0: no such limit */
};

#endif
