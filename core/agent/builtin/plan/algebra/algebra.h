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
    ALGEBRA_DROP = 1, /* drop operations that return their operand */
    /*
     * replace a sum or mean over the columns of a product by a product with a vector, and average
     * pooling over them by a smaller product
     */
    ALGEBRA_FOLD = 2,
    ALGEBRA_CHAIN = 4, /* compute products of products in the cheapest order */
    /*
     * on GPUs, without a knob: reduce in two stages if a reduction has few results; use forms with
     * faster kernels for products of batches with one matrix, and for products with vectors
     */
    ALGEBRA_STAGES = 8,
    /* on GPUs without matrix units, without a knob: split long sums of products with few results */
    ALGEBRA_DEPTH = 16,
    /*
     * with matrix units of warpgroups, without a knob: leave statistics of a product's columns
     * whole, because its epilogue computes them
     */
    ALGEBRA_COLUMNS = 32,
    /* on CPUs, without a knob: products with vectors as products of rows (algebra_vectors.h) */
    ALGEBRA_VECTORS = 64,
    /*
     * with work-groups that share a row, without a knob: leave reductions whole of which a
     * work-group computes each result
     */
    ALGEBRA_BATCH = 128,
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
 * also after a failure. A problem without a graph stays as it is.
 */
enum status algebra_open(struct algebra *algebra, const struct problem *original, unsigned rules,
                         struct error *err) MUST_CHECK;
void algebra_close(struct algebra *algebra);

/*
 * A flag for each node of the graph: true if it depends on params alone, so that the plan's
 * `prepare` can compute it; without `has_params`, if it is a small tensor that depends on params of
 * equal elements alone, such as the weights of an interpolation. Views of unchanged params cost
 * nothing and do not count. The caller frees the flags.
 */
bool *algebra_ahead(const struct graph *graph, bool has_params);

/*
 * Set `work` to a measure of the work of a run, in bytes: the bytes that operations write, plus the
 * number of arithmetic operations over what a balanced device computes per byte. With `is_ahead`,
 * operations in `prepare` are left out, and `ahead` receives their number.
 */
enum status algebra_work(const struct problem *problem, bool is_ahead, double *work, size_t *ahead,
                         struct error *err) MUST_CHECK;

#endif
