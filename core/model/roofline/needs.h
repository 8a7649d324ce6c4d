#ifndef CORE_MODEL_ROOFLINE_NEEDS_H
#define CORE_MODEL_ROOFLINE_NEEDS_H

#include "core/model/graph.h"

/*
 * The part of the inputs that every correct implementation of a graph must read in a run: elements
 * that the outputs depend on, whatever algorithm computes them. It is a lower bound. Params are not
 * counted, because a plan may process them in advance in any form; nor are inputs that always hold
 * the same numbers, elements that only matter for some contents of other tensors (masks, factors
 * that may be 0), and the inputs of a graph without nodes, of which nothing is known.
 *
 * `ignored` has a flag for each value, or is NULL: an input that was found to change no output
 * (core/judge/task/lint.h) is not counted either.
 */
double needs_input_bytes(const struct graph *graph, const bool *ignored);

/* The elements of one value that the outputs depend on, by the same rules. */
double needs_elements(const struct graph *graph, size_t value);

/*
 * The elements that all sets of contents from a model have in common, on all cores, because a model
 * may make gigabytes. Keep the result in the value's `given.common`.
 */
size_t needs_count_common(const struct value *value);

#endif
