#ifndef CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_PASS_H
#define CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_PASS_H

#include "core/agent/builtin/emit/rowwise/rowwise_kernel.h"

/*
 * The passes of a row-wise node: over the elements of a row or of a slice of it, or over partial
 * results that another kernel has computed.
 */

/* The name of the node's result. */
const char *rowwise_node_name(const struct rowwise *r, size_t node);

/* True if the node's passes merge partial results. */
bool rowwise_reads_partials(const struct rowwise *r, size_t node);

/* Partial results of a row. */
int rowwise_partial_count(const struct rowwise *r);

/* Declare the result of the pass, combined over all lanes, and what the formula derives from it. */
void rowwise_write_pass(struct rowwise *r, struct pass *pass);

#endif
