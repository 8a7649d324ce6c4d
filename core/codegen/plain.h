#ifndef CORE_CODEGEN_PLAIN_H
#define CORE_CODEGEN_PLAIN_H

#include "core/codegen/writer.h"

/*
 * The plain kernels of a problem: one for each node of its graph, without
 * fusion, tiles or vectors, inner values in scratch.  They are the baseline
 * "reference", and what the built-in generator falls back on.
 */

/* STATUS_UNAVAILABLE when the graph or the language is not known, or it has an operation that there
 * is no kernel for.
 */
enum status plain_candidate(const struct problem *problem, const char *language,
                            struct candidate *candidate, struct error *err) MUST_CHECK;

/* Write the kernel of one node and its launch. */
enum status plain_write_node(struct writer *writer, size_t node, struct error *err) MUST_CHECK;

#endif
