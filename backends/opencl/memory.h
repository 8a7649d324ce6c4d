#ifndef BACKENDS_OPENCL_MEMORY_H
#define BACKENDS_OPENCL_MEMORY_H

#include "backends/opencl/device.h"

/*
 * A buffer in device memory with guard zones: one allocation, and a sub-buffer of it for the
 * contents, which is what kernels get.  The origin of a sub-buffer must be aligned, so there may be
 * unused bytes in front of the first guard; the guard is always the BUFFER_GUARD_BYTES directly
 * before the contents. On a CPU the allocation lies in a moat (moat.h).
 *
 * On a simulated device a buffer has no guards, because the simulator itself finds accesses outside
 * of it: allocation and contents are the same.
 */
struct buffer {
    struct device *device;
    cl_mem allocation;
    cl_mem contents;
    size_t origin;       /* offset of the contents in the allocation, in bytes */
    size_t bytes;        /* size of the contents */
    unsigned char guard; /* of a simulated device, whose buffers have no guards: their byte */
};

/* The functions of these names in struct backend_ops. */
enum status opencl_buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                              struct error *err) MUST_CHECK;
enum status opencl_buffer_copy(struct buffer *buffer, struct buffer *source,
                               struct error *err) MUST_CHECK;
void opencl_buffer_free(struct buffer *buffer);
enum status opencl_buffer_read(struct buffer *buffer, void *allocation,
                               struct error *err) MUST_CHECK;
enum status opencl_buffer_read_guards(struct buffer *buffer, void *allocation,
                                      struct error *err) MUST_CHECK;

/*
 * Fill the contents with copies of `pattern`, whose `size` is a power of two that divides the size
 * of the contents.
 */
enum status opencl_buffer_repeat(struct buffer *buffer, const void *pattern, size_t size,
                                 struct error *err) MUST_CHECK;

/* Copy `buffer->bytes` bytes from host memory to the contents. */
enum status opencl_buffer_write(struct buffer *buffer, const void *contents,
                                struct error *err) MUST_CHECK;

#endif
