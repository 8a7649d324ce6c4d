#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_SECTIONS_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_SECTIONS_H

#include "core/agent/builtin/emit/product/product_matrix_tile.h"

/*
 * The tiles of a product on matrix units, and sums in sections: a product with few tiles and long
 * sums keeps a GPU busy if several work-groups compute a tile. Each stores the sums of a section of
 * the steps in a scratch buffer, and a second kernel adds them up and runs the epilogue. Both have
 * the same tiles, and a work-item holds the same sums in both.
 */

/* Declare the first row of the work-group's tile and the number of its columns' tile. */
void product_sections_tile(const struct matrix *m);

/* Declare the matrix of the result; `divisor` is C text such as " / 4", or "". */
void product_sections_batch(const struct matrix *m, const char *divisor);

/* The launch with `threads` work-items for each tile of each matrix. */
struct space product_sections_space(const struct matrix *m, int threads);

/* Add the scratch buffer to the kernel's arguments; the kernel that writes it also declares it. */
void product_sections_declare(const struct matrix *m, struct kernel *kernel, bool is_written);

/* Store the sums of a section. */
void product_sections_store(const struct matrix *m);

/* Write the kernel that adds the sections up, and its launch. */
void product_sections_add(const struct matrix *m);

#endif
