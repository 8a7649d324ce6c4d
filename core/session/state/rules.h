#ifndef CORE_SESSION_STATE_RULES_H
#define CORE_SESSION_STATE_RULES_H

#include "core/session/state/session.h"

/*
 * Decisions that were written down beforehand, for tests and for sessions that
 * nobody watches.  FORMATS.md has the file's form.  The first rule that
 * matches a step decides on it; where none does, the gate says who decides.
 *
 * No rule can hold a session up: where the step before of the same kind was
 * retried by a rule, or a prompt was vetoed, it is neither retried nor vetoed again.
 */
struct rule {
    bool has_kind, has_outcome;
    enum step_kind kind;
    enum outcome outcome;   /* of the attempt that the step is about */
    unsigned step, attempt; /* 0: any */
    double above, below;    /* bounds of the gain: measured, or promised; 0: any */
    char *tag;              /* of a recommendation; NULL: any */
    enum decision decision;
    char *reason; /* NULL: none */
    char *text;   /* what it is edited to */
};

struct rules {
    struct rule *items;
    size_t count, capacity;
    struct gate gate; /* where no rule matches */
};

void rules_release(struct rules *rules);

/* The rule for the pending step; NULL for none. */
const struct rule *rules_find(const struct rules *rules, const struct session *session);

#endif
