#ifndef CORE_SESSION_STATE_RULES_H
#define CORE_SESSION_STATE_RULES_H

#include "core/session/state/session.h"

/*
 * Decisions that the engineer wrote down in advance, for tests and for sessions without an engineer
 * (store/rules_file.h reads them).  The first rule that matches a step decides on it.  If no rule
 * matches, the gate says who decides.
 *
 * Rules cannot make a session loop forever: after a rule retried a step or vetoed a prompt, no rule
 * does so again at the next step of that kind.
 */
struct rule {
    bool has_kind, has_outcome;
    enum step_kind kind;
    enum outcome outcome;   /* outcome of the step's attempt */
    unsigned step, attempt; /* 0: any */
    double above, below;    /* bounds of the gain, measured or promised; 0: any */
    char *tag;              /* tag of a recommendation; NULL: any */
    enum decision decision;
    char *reason; /* NULL: none */
    char *text;   /* for an edit: the new text, else NULL */
};

struct rules {
    struct rule *items;
    size_t count, capacity;
    struct gate gate; /* applies if no rule matches */
};

/* Free the contents and leave no rules. */
void rules_release(struct rules *rules);

/* The rule for the pending step, borrowed; NULL for none.  A step must be pending. */
const struct rule *rules_find(const struct rules *rules, const struct session *session);

#endif
