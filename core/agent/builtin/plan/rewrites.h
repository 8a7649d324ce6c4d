#ifndef CORE_AGENT_BUILTIN_PLAN_REWRITES_H
#define CORE_AGENT_BUILTIN_PLAN_REWRITES_H

#include "core/agent/builtin/plan/algebra/algebra.h"

/* Finds rewrites of a graph (algebra.h) that save work, the most promising kind first. */

struct rewrite_found {
    struct schedule to; /* the schedule with the rewrite */
    double gain;        /* the work before over the work after */
    struct json *steps; /* array of {"before", "after"}; NULL if no rewrite was found */
    size_t ahead;       /* the number of operations that `prepare` then computes */
};

/*
 * Find the next rewrite that `current` does not have. `next` is the state of the search, 0 at
 * first. The caller frees the steps with json_free().
 */
enum status rewrites_find(const struct problem *problem, const struct schedule *current,
                          size_t *next, struct rewrite_found *found, struct error *err) MUST_CHECK;

/*
 * Append the operations before and after each step as text; if there are many steps, only the
 * first.
 */
void rewrites_describe(const struct json *steps, struct json *evidence);

#endif
