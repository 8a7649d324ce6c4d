#ifndef CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_LOOPS_H
#define CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_LOOPS_H

#include "core/agent/builtin/emit/rowwise/rowwise_kernel.h"

/*
 * Loops over the columns of a row: over the vectors in registers, over the other whole vectors, and
 * over single columns after the last whole vector.
 */

/* Writes the statements for the elements at the position. */
typedef void rowwise_body(const struct rowwise *r, const struct position *position,
                          const struct pass *pass);

/* The body for all whole vectors of the row. */
void rowwise_write_vectors(const struct rowwise *r, rowwise_body *body, const struct pass *pass);

/* The body for the columns after the last whole vector. */
void rowwise_write_rest(const struct rowwise *r, rowwise_body *body, const struct pass *pass);

/* True if a row may have vectors that do not fit in registers. */
bool rowwise_has_more(const struct rowwise *r);

#endif
