#ifndef CORE_JUDGE_ORACLE_ROUNDING_DEPENDENCE_H
#define CORE_JUDGE_ORACLE_ROUNDING_DEPENDENCE_H

#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/rounding.h"
#include "core/model/graph.h"

/*
 * Properties of a graph that tolerances depend on.
 *
 * Detects operands that share a rounding error. In x * hardswish(x) an error of x changes both
 * operands, so their effects are added. Independent errors are added in squares only. Near zero the
 * shared error is up to 1.7 times as large.
 */

/*
 * True if two operands of an elementwise node are computed, element by element, from one value that
 * an implementation of the class may round. `rounding` is the class.
 */
bool dependence_in(const struct graph *graph, size_t node, const struct rounding *rounding);

/*
 * The reason why elements of a node's two operands are equal: both may have the elements of one
 * value, moved or selected, as the largest of each row. Constants that a mask puts in their places
 * count as well.
 */
enum equality dependence_equality(const struct graph *graph, size_t node);

/*
 * True if the node adds or subtracts two values, and another node multiplies or divides the result.
 * An implementation may distribute the factor over the sum: (x - a) * s as x * s - a * s, with
 * scale and offset computed in advance. Then the two products are rounded, and these errors do not
 * shrink where the terms cancel each other.
 */
bool dependence_may_distribute(const struct graph *graph, size_t node);

/*
 * Squares of the differences of all pairs of rows of two given tensors, which a sum adds up: sum_k
 * (a_k - b_k)^2. An implementation may compute |a|^2 - 2 a b + |b|^2 by a product of matrices, as
 * torch.cdist does for more than 25 rows, whose errors do not shrink with the distance. Returns the
 * variance of this sum, as a multiple of that of a rounding of each a_k^2 + b_k^2, or 0 if the node
 * computes no such squares. The difference may be distributed too, so that its variance is at
 * least that of a rounding of its terms. Points of two or three coordinates are seldom computed in
 * this way.
 */
double dependence_pairs(const struct graph *graph, size_t node, const struct rounding *rounding);

/*
 * True if the node compares, and its operand `index` is such a sum of two given tensors that
 * nothing rounds. Who compares the sum does not multiply its terms: its own rounding alone counts,
 * which is none where it is 0, because the difference of equal numbers is. Positions are compared
 * like this, whose differences are biases of attention, too.
 */
bool dependence_compares_exact_sum(const struct graph *graph, size_t node, size_t index,
                                   const struct rounding *rounding);

/*
 * Running sums s_d of x_td over t, whose products with q_d are added up: sum_d q_d s_d. An
 * implementation may multiply first, as linear attention in chunks does, whose (q k) v are the
 * graph's q (k v): sum_t sum_d q_d x_td. Then the terms of each t share an error, and it does not
 * shrink where the terms of different t cancel each other. Returns what this adds to the variances
 * of the node's result; all zeros if no product follows.
 */
struct rounding_terms dependence_later_product(const struct graph *graph, size_t node,
                                               const struct rounding *rounding);

/*
 * The rounding of an output in 16 bits. It is a single rounding, with an error of at most one
 * spacing, and rounding_allow() allows every element of an output one spacing. If it also had a
 * variance, like the sum of many roundings, the tolerance would be two spacings larger, and results
 * that are a thousandth too large would pass.
 */

/*
 * True if the rounding of value `index` of the graph is the last one of an output in 16 bits, in
 * class f32: the value is an output, or later nodes only move its elements to an output unchanged.
 * Then it has no variance of its own. In class mixed it has one, because functions may be no more
 * exact than bf16.
 */
bool last_rounding_is(const struct graph *graph, size_t index, const struct rounding *rounding);

#endif
