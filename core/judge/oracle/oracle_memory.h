#ifndef CORE_JUDGE_ORACLE_ORACLE_MEMORY_H
#define CORE_JUDGE_ORACLE_ORACLE_MEMORY_H

#include "core/model/graph.h"

/*
 * The largest amount of memory in bytes that an evaluation with an observer uses at a time. Without
 * an observer it may use less.
 */
double oracle_bytes(const struct graph *graph);

/* For each value of the graph the last node that reads it, or 0. The caller frees. */
size_t *oracle_last_uses(const struct graph *graph);

#endif
