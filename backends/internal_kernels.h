#ifndef BACKENDS_INTERNAL_KERNELS_H
#define BACKENDS_INTERNAL_KERNELS_H

#include "backends/bench.h"

/*
 * The executor's side of kforge's own kernels (core/judge/internal_kernels.h): which of them the
 * tensors on the bench take, and having them ready before a candidate comes.
 */

/* The keys of those that are not ready, each once, as an array. */
struct json *internal_kernels_missing(const struct bench *bench);

/*
 * Load those that are among `kept`, binaries by their keys.  With `make` those that are not there,
 * or that the driver refuses, are compiled, and what came of it is put into `made` by its key.
 * What fails is tried again when it is needed.
 */
void internal_kernels_prepare(struct bench *bench, const struct json *kept, bool make,
                              struct json *made);

#endif
