#ifndef BACKENDS_OPENCL_MEMORY_H
#define BACKENDS_OPENCL_MEMORY_H

#include "backends/opencl/device.h"

/*
 * Device memory with guard zones: one allocation, with the contents as a
 * sub-buffer of it, which is what kernels get.  A sub-buffer has to begin
 * where the device aligns, so the guard before it may have unused bytes in
 * front; it is always the BUFFER_GUARD_BYTES right before the contents.
 */
struct buffer {
    struct device *device;
    cl_mem allocation;
    cl_mem contents;
    size_t origin; /* of the contents in the allocation, in bytes */
    size_t bytes;  /* of the contents */
};

/* The functions of these names in struct backend_ops. */
enum status opencl_buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                              struct error *err) MUST_CHECK;
void opencl_buffer_free(struct buffer *buffer);
enum status opencl_buffer_read(struct buffer *buffer, void *allocation,
                               struct error *err) MUST_CHECK;
enum status opencl_buffer_read_guards(struct buffer *buffer, void *allocation,
                                      struct error *err) MUST_CHECK;

/* Repeat the `size` bytes of `pattern`, a power of two that divides the contents. */
enum status opencl_buffer_repeat(struct buffer *buffer, const void *pattern, size_t size,
                                 struct error *err) MUST_CHECK;

/* Copy `buffer->bytes` bytes to the contents. */
enum status opencl_buffer_write(struct buffer *buffer, const void *contents,
                                struct error *err) MUST_CHECK;

#endif
