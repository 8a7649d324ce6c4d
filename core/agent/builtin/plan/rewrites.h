#ifndef CORE_AGENT_BUILTIN_PLAN_REWRITES_H
#define CORE_AGENT_BUILTIN_PLAN_REWRITES_H

#include "core/agent/builtin/plan/algebra.h"

/*
 * Chooses among the rewrites of a graph (algebra.h) those that save work, the most promising kind
 * first.
 */

struct rewrite_found {
    struct schedule to; /* with the rewrite */
    double gain;        /* the work before over the work after */
    struct json *steps; /* array of {"before", "after"}; NULL: none was found */
    size_t ahead;       /* operations that are then computed ahead */
};

/*
 * Find a rewrite that `current` does not have. `next` is where the search goes on, 0 at first; it
 * moves past the rewrite. The caller frees the steps by json_free().
 */
enum status rewrites_find(const struct problem *problem, const struct schedule *current,
                          size_t *next, struct rewrite_found *found, struct error *err) MUST_CHECK;

/* Push the operations before and after each step, as text; of many steps the first ones. */
void rewrites_describe(const struct json *steps, struct json *evidence);

#endif
