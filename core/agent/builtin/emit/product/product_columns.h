#ifndef CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_COLUMNS_H
#define CORE_AGENT_BUILTIN_EMIT_PRODUCT_PRODUCT_COLUMNS_H

#include "core/agent/builtin/emit/product/product_epilogue_loops.h"

/*
 * Statistics of the columns of a product's tile (plan/fusion_epilogue.h): for each column the mean
 * of its rows, and the sum of the squares of their differences from it.
 */

/* The buffers of the statistics, which have a row for each row of tiles. */
enum column_statistic { COLUMN_MEANS, COLUMN_SQUARES, COLUMN_STATISTICS };
const char *product_columns_buffer(struct emitter *e, enum column_statistic which);

/* Declare the buffers, and add them to the kernel's arguments. */
void product_columns_args(const struct epilogue *r);

/*
 * Compute and store the statistics of the tile, before the loop over rows; the registers then hold
 * the value if nothing needs the sums any more.
 */
void product_columns(struct epilogue *r);

#endif
