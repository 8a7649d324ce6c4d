#ifndef BACKENDS_INTERNAL_KERNELS_H
#define BACKENDS_INTERNAL_KERNELS_H

#include "backends/bench.h"

/*
 * The executor's side of kforge's internal kernels (core/judge/executor/internal_kernels.h is the
 * judge's): finds the internal kernels that the tensors on the bench need, and prepares them before
 * a candidate arrives.
 */

/*
 * The keys of the kernels that are needed and not ready, each once, as a JSON array; the caller's.
 */
struct json *internal_kernels_missing(const struct bench *bench);

/*
 * Load the kernels whose binaries are in `kept`, by key.  With `make`, compile those that are
 * missing there or that the driver refuses, and add their binaries to `made`, by key.  Errors are
 * ignored: the kernel is compiled again when it is needed.
 */
void internal_kernels_prepare(struct bench *bench, const struct json *kept, bool make,
                              struct json *made);

#endif
