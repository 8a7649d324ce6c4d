#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_PERSISTENT_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_PERSISTENT_H

#include "core/agent/builtin/emit/product/product_matrix_tile.h"

/*
 * A persistent kernel of a product on matrix units: `persist` work-groups stay until all tiles are
 * computed. Two warpgroups take turns at the tiles of a work-group: one multiplies while the other
 * one stores its sums. All functions write text of the kernel unless stated otherwise.
 */

/*
 * Declare the numbers of tiles of a cluster along both axes, and the barriers at which a warpgroup
 * waits until the other one has multiplied.
 */
void product_persistent_declare(const struct matrix *m);

/* Initialise these barriers, as one work-item does. */
void product_persistent_init(const struct matrix *m);

/* Before the loop of the multiplying warpgroups: the first one of them may multiply. */
void product_persistent_begin(const struct matrix *m);

/* Open the loop over the tiles of a work-group; the caller closes its bracket. */
void product_persistent_open(const struct matrix *m);

/* In the loop: skip the stages of the other warpgroup's tile; else wait until it has multiplied. */
void product_persistent_wait(const struct matrix *m);

/* Let the other warpgroup multiply. */
void product_persistent_hand_over(const struct matrix *m);

/*
 * The space of the launch: as many work-groups as stay, or a cluster for each tile if there are
 * fewer. Its texts belong to the emitter.
 */
struct space product_persistent_space(const struct matrix *m);

#endif
