#ifndef CORE_JUDGE_TASK_INFINITIES_H
#define CORE_JUDGE_TASK_INFINITIES_H

#include "core/model/graph.h"

/*
 * An array with an entry for each value of the graph: true if elements that are not finite belong
 * to it, such as the logarithm of a mask, which is -inf where the mask is 0. All implementations
 * agree on these elements, and on what is computed from them. The results of operations that
 * overflow are left out. The caller frees the array.
 */
bool *infinities_of(const struct graph *graph);

#endif
