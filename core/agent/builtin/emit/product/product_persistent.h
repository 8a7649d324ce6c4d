#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_PERSISTENT_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_PERSISTENT_H

#include "core/agent/builtin/emit/product/product_matrix_tile.h"

/*
 * A persistent kernel of a product on matrix units: `persist` work-groups stay until all tiles are
 * computed, and copy the next tile's operands while they store sums. All functions write text of
 * the kernel unless stated otherwise.
 */

/* Declare the numbers of tiles of a cluster along both axes. */
void product_persistent_declare(const struct matrix *m);

/* Open the loop over the tiles of a work-group; the caller closes its bracket. */
void product_persistent_open(const struct matrix *m);

/*
 * The space of the launch: as many work-groups as stay, or a cluster for each tile if there are
 * fewer. Its texts belong to the emitter.
 */
struct space product_persistent_space(const struct matrix *m);

#endif
