#ifndef CORE_AGENT_BUILTIN_PLAN_HALF_RANGE_H
#define CORE_AGENT_BUILTIN_PLAN_HALF_RANGE_H

#include <stdbool.h>

#include "core/model/graph.h"

/*
 * True if an exponential in the graph is likely to exceed the range of f16, because its arguments
 * are sums of many numbers, as in a state space model: estimated from the fills of the tensors,
 * through moves, elementwise arithmetic, sums and running sums. What other operations compute is
 * taken for small.
 */
bool half_range_is_exceeded(const struct graph *graph);

#endif
