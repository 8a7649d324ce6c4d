#ifndef CORE_JUDGE_ORACLE_DEPENDENCE_H
#define CORE_JUDGE_ORACLE_DEPENDENCE_H

#include "core/judge/oracle/rounding.h"
#include "core/model/graph.h"

/*
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
 * True if the node adds or subtracts two values, and another node multiplies or divides the result.
 * An implementation may distribute the factor over the sum: (x - a) * s as x * s - a * s, with
 * scale and offset computed in advance. Then the two products are rounded, and these errors do not
 * shrink where the terms cancel each other.
 */
bool dependence_may_distribute(const struct graph *graph, size_t node);

#endif
