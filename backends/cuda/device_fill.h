#ifndef BACKENDS_CUDA_DEVICE_FILL_H
#define BACKENDS_CUDA_DEVICE_FILL_H

#include "backends/cuda/memory.h"

/*
 * Fill buffers with random elements on the device, bit for bit those of fill_make()
 * (core/judge/oracle/fill.h has the formulas).  Constants, permutations and contents made by a
 * PyTorch model are made on the host and copied; so are varied data, except for large tensors, of
 * which the host makes only the rows that the variation changes (fill_pieces.h).
 *
 * The functions of these names in struct backend_ops.
 */
enum status cuda_buffer_fill(struct buffer *buffer, const struct contents *contents,
                             struct error *err) MUST_CHECK;
enum status cuda_buffer_holds(struct buffer *buffer, const struct contents *contents, bool *holds,
                              struct error *err) MUST_CHECK;

#endif
