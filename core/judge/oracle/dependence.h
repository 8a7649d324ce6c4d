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

#endif
