#ifndef CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_REGISTERS_H
#define CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_REGISTERS_H

#include "core/agent/builtin/emit/rowwise/rowwise_kernel.h"

/*
 * Values that lanes keep in registers from the first pass to the end: the value that the passes
 * read, and other operands of the results. All of them are loaded before the first use, so that the
 * latency of memory, which dominates the time of a row, occurs only once.
 */

/*
 * Choose the value to keep in registers, the number of its vectors, and the operands to preload.
 * `columns` of a row; 0 if that is not fixed.
 */
void rowwise_choose_held(struct rowwise *r, int64_t columns);

/* Declare the registers, and load the preloaded operands. */
void rowwise_declare_held(const struct rowwise *r);

/* Begin and end the loop over the vectors in registers. */
void rowwise_open_held(const struct rowwise *r);
void rowwise_close_held(const struct rowwise *r);

#endif
