#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_BACKGROUND_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_BACKGROUND_H

#include "core/agent/builtin/emit/product/product_matrix_tile.h"

/*
 * Rounding of the first operand while the product is computed. The copying warpgroup of work-groups
 * that stay has three warps without work: these round the rows in the order in which tiles need
 * them, and a tile waits for its rows. The conversion kernel rounds only the rows that the first
 * tiles need, so its time and most of the memory's traffic for it disappear behind the product.
 *
 * A warp takes the next row that none has begun, so the kernel ends however many of its work-groups
 * the device runs at a time.
 */

/* Rows of the first tiles, and rows of a tile. */
enum { BACKGROUND_FIRST = 2048, BACKGROUND_TILE = 128 };

/* True if the product's kernel rounds its first operand; matrix->persist is set. */
bool product_background_applies(const struct matrix *m);

/* The buffer of the counters of rounded rows; declare it. */
const char *product_background_counters(const struct matrix *m);
void product_background_declare(const struct matrix *m);

/* Add the arguments to the product's kernel. */
void product_background_args(const struct matrix *m, struct kernel *kernel);

/* Write the statements of the idle warps, and of the copying work-item before it copies a tile. */
void product_background_round(const struct matrix *m);
void product_background_wait(const struct matrix *m);

#endif
