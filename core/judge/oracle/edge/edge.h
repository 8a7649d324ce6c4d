#ifndef CORE_JUDGE_ORACLE_EDGE_EDGE_H
#define CORE_JUDGE_ORACLE_EDGE_EDGE_H

#include "core/judge/oracle/oracle_family.h"
#include "core/model/graph.h"

/*
 * Edges of domains: logarithms, roots and powers have no real value below 0.
 *
 * The argument may be so near to 0 that rounding decides on which side it lies, as that of
 * acos(n n) for a vector n of length 1. Then one implementation computes a number and another NaN.
 * Both are right, and so is what is computed from either. The number is a value of the function for
 * an argument within reach of the errors. Therefore such an element is the function's value at the
 * edge if its own argument lies beyond. One more evaluation of the graph has NaN there, and the
 * elements of an output that become NaN with it may be anything that is not finite.
 */

/* The smallest float32 number above 0: a function's value there is its value at the edge. */
#define EDGE_ARGUMENT 0x1p-149

/* The elements of a graph's nodes that are at an edge, in one evaluation. */
struct edges {
    bool *may_be; /* by node: its argument is computed with errors, and may be below 0 */
    /* by node: 1 for each element whose argument reaches the edge; NULL if none does; owned */
    unsigned char **at;
    size_t count;
    bool has_any; /* some element is at an edge */
};

/* By node: true if its argument is computed with errors, and may be below 0. The caller frees; NULL
 * if none. */
bool *edges_possible(const struct graph *graph);

/* No elements at an edge; NULL if no node can have any. */
struct edges *edges_new(const struct graph *graph);

/* Free; takes NULL. */
void edges_free(struct edges *edges);

/*
 * Find the elements of a node's result that are at an edge, and set those that are not finite to
 * the value at the edge. `spread` has the variances of its operands.
 */
void edges_find(struct edges *edges, size_t node, const struct oracle_spread *spread,
                const struct oracle_rule *rule, const struct rounding *rounding);

/* Set the elements at an edge that are not finite in another evaluation in the same way. */
void edges_settle(const struct edges *edges, size_t node, const struct oracle_call *call,
                  const struct oracle_rule *rule);

/* Set the elements at an edge to NaN. */
void edges_stray(const struct edges *edges, size_t node, const struct oracle_call *call);

/*
 * Mark the elements of an output that are not finite if those at an edge are NaN, by a negative
 * sign of their variances, and add to the variances of those that are another number then.
 */
void edges_widen(const double *expected, const double *strayed, size_t count, double *variance);

#endif
