#ifndef BACKENDS_CUDA_DEVICE_FILL_H
#define BACKENDS_CUDA_DEVICE_FILL_H

#include "backends/cuda/memory.h"

/*
 * Random contents made on the device, bit for bit those of fill_make()
 * (core/judge/oracle/fill.h has the formulas).  What it does not make, constants and
 * permutations, is made on the host and copied.
 */
enum status cuda_buffer_fill(struct buffer *buffer, const struct contents *contents,
                             struct error *err) MUST_CHECK;
enum status cuda_buffer_holds(struct buffer *buffer, const struct contents *contents, bool *holds,
                              struct error *err) MUST_CHECK;

#endif
