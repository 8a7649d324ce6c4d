#ifndef CORE_JUDGE_REFERENCE_H
#define CORE_JUDGE_REFERENCE_H

#include "core/judge/writer.h"

/*
 * The plain kernels of a problem: one for each node of its graph, without
 * fusion, tiles or vectors, inner values in scratch.  They are the baseline
 * "reference", and what the built-in generator falls back on.
 */

/* STATUS_UNAVAILABLE when the graph or the language is not known, or it has an operation that there
 * is no kernel for.
 */
enum status reference_candidate(const struct problem *problem, const char *language,
                                struct candidate *candidate, struct error *err) MUST_CHECK;

/* Write the kernel of one node and its launch. */
enum status reference_write_node(struct writer *writer, size_t node, struct error *err) MUST_CHECK;

#endif
