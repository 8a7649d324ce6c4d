#ifndef BACKENDS_OPENCL_DEVICE_FILL_H
#define BACKENDS_OPENCL_DEVICE_FILL_H

#include "backends/opencl/memory.h"

/*
 * Fill and poison buffers with internal kernels on the device.  Random contents are bit for bit
 * those of fill_make() (core/judge/oracle/fill.h has the formulas).  Permutations, contents made by
 * a PyTorch model, and doubles on a device without double precision are made on the host and
 * copied.
 *
 * The functions of these names in struct backend_ops.
 */
enum status opencl_buffer_fill(struct buffer *buffer, const struct contents *contents,
                               struct error *err) MUST_CHECK;
enum status opencl_buffer_holds(struct buffer *buffer, const struct contents *contents, bool *holds,
                                struct error *err) MUST_CHECK;
enum status opencl_buffer_poison(struct buffer *buffer, struct buffer_poison poison,
                                 struct error *err) MUST_CHECK;
bool opencl_internal_kernel_key(const struct device *device, const struct value *value,
                                char key[DIGEST_HEX_SIZE]);
enum status opencl_internal_kernel_load(struct device *device, const struct value *value,
                                        const struct binary *kept, struct error *err) MUST_CHECK;
enum status opencl_internal_kernel_make(struct device *device, const struct value *value,
                                        struct binary *made, struct error *err) MUST_CHECK;

#endif
