#ifndef CORE_JUDGE_ORACLE_DEPENDENCE_H
#define CORE_JUDGE_ORACLE_DEPENDENCE_H

#include "core/judge/oracle/rounding.h"
#include "core/model/graph.h"

/*
 * Operands that share a rounding error. In x * hardswish(x) an error of x moves both operands, so
 * their effects add up, while those of independent errors add up in squares only: near zero the
 * former is up to 1.7 times as much.
 */

/*
 * True if two operands of an elementwise node are computed, element by element, from one value that
 * an implementation of the class may round. `rounding` is the class.
 */
bool dependence_in(const struct graph *graph, size_t node, const struct rounding *rounding);

/*
 * True if the node adds or subtracts two values, and another node multiplies or divides the result.
 * An implementation may multiply the factor into the sum: (x - a) * s as x * s - a * s, for which
 * scale and offset are made once. The roundings are those of the two products, which do not shrink
 * where the terms cancel each other.
 */
bool dependence_may_distribute(const struct graph *graph, size_t node);

#endif
