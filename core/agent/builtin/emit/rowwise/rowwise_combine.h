#ifndef CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_COMBINE_H
#define CORE_AGENT_BUILTIN_EMIT_ROWWISE_ROWWISE_COMBINE_H

#include "core/agent/builtin/emit/rowwise/rowwise_kernel.h"

/* Combines the partial results of a vector's elements and of the lanes that share a row. */

/* Two partial results combined. */
const char *rowwise_combined(const struct rowwise *r, const struct rowwise_pass *pass,
                             const char *a, const char *b);

/* Fold the halves of a vector until one element is left. */
void rowwise_fold(const struct rowwise *r, const struct pass *pass, const char *type);

/*
 * Combine the results of neighbouring lanes, whose number is a power of two, with shuffles; then
 * each of them has their result.
 */
void rowwise_combine_neighbours(const struct rowwise *r, const struct pass *pass, int lanes);

/* Combine the results of all lanes; then each lane has the result. */
void rowwise_combine_lanes(const struct rowwise *r, const struct pass *pass, const char *type);

#endif
