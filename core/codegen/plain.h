#ifndef CORE_CODEGEN_PLAIN_H
#define CORE_CODEGEN_PLAIN_H

#include "core/codegen/writer.h"

/*
 * Plain kernels: one for each node of the graph, without fusion or vectors; inner values are in
 * scratch buffers. A work-item computes an element or a row. On a GPU a work-group computes each of
 * a few long rows, and each tile of a product, which would take seconds otherwise. They are the
 * baseline "reference" of a verdict, and the built-in generator uses them for operations that it
 * cannot write better.
 */

/* The device that plain kernels are written for. CUDA always means a GPU. */
struct plain_target {
    const char *language;
    bool is_gpu;
};

/*
 * Write plain kernels for all nodes. STATUS_UNAVAILABLE if the graph is unknown, the language has
 * no dialect, or an operation has no plain kernel.
 */
enum status plain_candidate(const struct problem *problem, const struct plain_target *target,
                            struct candidate *candidate, struct error *err) MUST_CHECK;

/* Write the kernel of one node and its launch. */
enum status plain_write_node(struct writer *writer, size_t node, struct error *err) MUST_CHECK;

#endif
