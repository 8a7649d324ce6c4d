#ifndef CORE_SESSION_RECORDED_AGENT_RESULTS_H
#define CORE_SESSION_RECORDED_AGENT_RESULTS_H

#include "core/session/state/session.h"

/*
 * The work of each agent of a session: its candidates, the rounds that it won, and what it has
 * used. Undone attempts are left out. An attempt that the engineer edited counts for the agent; the
 * edit itself does not.
 */
struct agent_result {
    const char *agent;          /* borrowed from the session */
    const struct attempt *best; /* the fastest correct one, or NULL */
    struct agent_use use;
    unsigned attempts; /* number of its candidates */
    unsigned correct;  /* number of its correct candidates */
    /* rounds of several candidates in which one of its candidates was the best */
    unsigned won;
    bool writes; /* it writes kernels; false: it only analyses */
    bool analyses;
    bool has_best; /* it wrote the best attempt of the session */
};

enum { MOST_AGENTS = ROUND_ATTEMPTS + 1 };

/* Fill in a result for each agent, the writers in turn and then the analyst; returns their number.
 */
size_t agent_results_find(const struct session *session, struct agent_result results[MOST_AGENTS]);

#endif
