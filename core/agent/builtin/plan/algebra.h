#ifndef CORE_AGENT_BUILTIN_PLAN_ALGEBRA_H
#define CORE_AGENT_BUILTIN_PLAN_ALGEBRA_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/model/graph.h"

/*
 * Rewrites the graph of a problem into one that computes the same values with less work. Each rule
 * is a knob of the schedule, so that a rewrite is recommended, accepted or vetoed like any other
 * change; the operations before and after are part of the recommendation. The judge knows only the
 * problem as it is written.
 */

/* The rules, as bits. */
enum algebra_rule {
    ALGEBRA_DROP = 1,  /* operations that return their operand */
    ALGEBRA_FOLD = 2,  /* a sum or mean over the columns of a product: a product with a vector */
    ALGEBRA_CHAIN = 4, /* products of products: in the order that costs least */
};

/* The rules that the schedule asks for. */
unsigned algebra_rules(const struct schedule *schedule);

/* A problem under some rules. All zeros is empty. */
struct algebra {
    const struct problem *problem; /* the rewritten one, or the original if nothing was rewritten */
    struct json *steps;            /* array of {"before", "after"}: operations as text */
    struct problem owned;
};

/*
 * Apply the rules until none applies. `original` must outlive the result; algebra_close() frees it,
 * also after a failure. Graphs that are unknown stay as they are.
 */
enum status algebra_open(struct algebra *algebra, const struct problem *original, unsigned rules,
                         struct error *err) MUST_CHECK;
void algebra_close(struct algebra *algebra);

/*
 * Of each node of the graph: it depends on params alone, so that it can be computed ahead of the
 * runs. Views of params as they are cost nothing and do not count. The caller frees the flags.
 */
bool *algebra_ahead(const struct graph *graph);

/*
 * Set `work` to a measure of the work of a run, in bytes: those that operations write, and the
 * operations at the rate of a balanced device. `is_ahead` leaves out what is computed ahead;
 * `ahead` gets their number.
 */
enum status algebra_work(const struct problem *problem, bool is_ahead, double *work, size_t *ahead,
                         struct error *err) MUST_CHECK;

#endif
