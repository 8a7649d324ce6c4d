#ifndef CORE_AGENT_ROLES_H
#define CORE_AGENT_ROLES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The agents of a session besides the first one. Several agents write kernels in turn: the first
 * attempt belongs to the first agent, the next attempt to the next agent. Another agent may read
 * the profiles. All zeros is a session with one agent for everything.
 */

enum { ROUND_ATTEMPTS = 8 }; /* replies that one round can ask for at the same time */

/*
 * The name that stands for the analyst in a session without one; the writers then choose each
 * change themselves.
 */
#define ROLES_NOBODY "none"

/* The name of the agents that need no model. */
#define ROLES_BUILTIN "builtin"

struct roles {
    const char *others[ROUND_ATTEMPTS - 1]; /* write kernels too, in turn with the first agent */
    size_t other_count;
    const char *analyst;  /* NULL if the first agent also analyses */
    bool without_profile; /* kernels are not profiled, and no agent is shown a profile */
};

/* The number of agents that write kernels, the first one included. */
size_t roles_count_writers(const struct roles *roles);

/* The agent that writes the attempt with an index from 0; `first` is the session's first agent. */
const char *roles_writer(const struct roles *roles, const char *first, size_t index);

/* The agent that analyses; NULL if none does. */
const char *roles_analyst(const struct roles *roles, const char *first);

/* The attempts of a round for which no number is given: one for each writer if there are several,
 * else 0. */
unsigned roles_attempts(const struct roles *roles);

/*
 * A copy of the roles whose names are made by `keep`, which returns the copy of a name, and NULL
 * for NULL.
 */
struct roles roles_copy(const struct roles *roles,
                        const char *(*keep)(void *data, const char *name), void *data);

#endif
