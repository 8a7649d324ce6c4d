#ifndef BACKENDS_OPENCL_GENERATOR_H
#define BACKENDS_OPENCL_GENERATOR_H

#include "backends/opencl/memory.h"

/*
 * Random contents made on the device, bit for bit those of fill_make()
 * (core/judge/fill.h has the formulas).  What a device cannot make, a
 * permutation or doubles without double precision, is made on the host and
 * copied.
 */
enum status opencl_buffer_fill(struct buffer *buffer, const struct value *value, uint64_t seed,
                               uint32_t stream, struct error *err) MUST_CHECK;

#endif
