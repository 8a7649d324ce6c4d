#ifndef CORE_JUDGE_ORACLE_LAST_ROUNDING_H
#define CORE_JUDGE_ORACLE_LAST_ROUNDING_H

#include "core/judge/oracle/rounding.h"
#include "core/model/graph.h"

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
