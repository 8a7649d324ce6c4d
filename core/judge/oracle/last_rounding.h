#ifndef CORE_JUDGE_ORACLE_LAST_ROUNDING_H
#define CORE_JUDGE_ORACLE_LAST_ROUNDING_H

#include "core/judge/oracle/rounding.h"
#include "core/model/graph.h"

/*
 * The rounding of an output in 16 bits. It is one rounding, off by one spacing at most, which every
 * element of an output may be off anyway (rounding_allow()). As a variance like those of many
 * roundings it would allow two spacings more, and results that are a thousandth too large would
 * pass.
 */

/*
 * True if the rounding of value `index` of the graph is the last one of an output in 16 bits, in
 * class f32: the value is an output, or only becomes one whose elements are kept as they are. Then
 * it has no variance of its own. In class mixed it has, since functions may be as exact as bf16.
 */
bool last_rounding_is(const struct graph *graph, size_t index, const struct rounding *rounding);

#endif
