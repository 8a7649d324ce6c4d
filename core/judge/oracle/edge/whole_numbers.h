#ifndef CORE_JUDGE_ORACLE_EDGE_WHOLE_NUMBERS_H
#define CORE_JUDGE_ORACLE_EDGE_WHOLE_NUMBERS_H

#include "core/model/graph.h"

/*
 * By value of the graph: true if its elements are small whole numbers, which all implementations
 * compute exactly, so that some are exactly 0. The caller frees.
 */
bool *whole_numbers_of(const struct graph *graph);

/*
 * By value of the graph: true for whole numbers in double precision that are computed from integers
 * alone, as products of integers are. An implementation computes with integers there, so nothing
 * rounds them. The caller frees.
 */
bool *whole_doubles_of(const struct graph *graph);

#endif
