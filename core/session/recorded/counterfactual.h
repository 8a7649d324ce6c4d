#ifndef CORE_SESSION_RECORDED_COUNTERFACTUAL_H
#define CORE_SESSION_RECORDED_COUNTERFACTUAL_H

#include "core/session/recorded/recording.h"

/*
 * The decisions of the engineer whose worth can be measured: each step that the engineer edited or
 * vetoed.  A fork at such a step accepts what the agent proposed and continues by policy, with what
 * the session used after the step as its limits.  The session's side includes the engineer's later
 * decisions.
 */
struct counterfactual {
    const struct step *step; /* borrowed from the recording */
    /*
     * Limits of the fork: as many attempts as the session's agents made in each pass, and what was
     * left of each budget of the session at that step.
     */
    struct limits limits;
    unsigned followed;  /* attempts of agents that the session made after the step */
    bool is_comparable; /* false: nothing followed the step that a fork could be compared with */
};

/* All zeros is empty. */
struct counterfactual_list {
    struct counterfactual *items;
    size_t count, capacity;
};

/* Append the decisions of a session, in order.  Those that were undone are left out. */
enum status counterfactual_find(const struct recording *recording, struct counterfactual_list *list,
                                struct error *err) MUST_CHECK;
/* Free the contents and leave it empty. */
void counterfactual_release(struct counterfactual_list *list);

#endif
