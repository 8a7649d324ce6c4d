#ifndef BACKENDS_CUDA_MEMORY_H
#define BACKENDS_CUDA_MEMORY_H

#include "backends/cuda/device.h"

/*
 * A buffer in device memory: a guard zone, the contents rounded up to 32-bit words, a guard zone.
 * Kernels get the address of the contents; the judge checks that the guards keep their bytes.
 */
struct buffer {
    struct device *device;
    CUdeviceptr allocation;
    size_t bytes; /* size of the contents */
};

/* The address of the contents, aligned to 256 bytes as by cudaMalloc(). */
CUdeviceptr cuda_buffer_contents(const struct buffer *buffer);

/* The functions of these names in struct backend_ops. */
enum status cuda_buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                            struct error *err) MUST_CHECK;
void cuda_buffer_free(struct buffer *buffer);
enum status cuda_buffer_poison(struct buffer *buffer, struct buffer_poison poison,
                               struct error *err) MUST_CHECK;
enum status cuda_buffer_read(struct buffer *buffer, void *allocation, struct error *err) MUST_CHECK;
enum status cuda_buffer_read_guards(struct buffer *buffer, void *allocation,
                                    struct error *err) MUST_CHECK;

/*
 * Share buffers with another process by CUDA's memory handles. A mapping is at least as large as
 * the buffer that is read. It stays until cuda_imports_close(), because mapping 6 GB takes 46 ms on
 * an H200, and copying them only 4 ms.
 */
enum status cuda_buffer_export(struct buffer *buffer, struct buffer_handle *handle,
                               struct error *err) MUST_CHECK;
enum status cuda_buffer_import(struct buffer *buffer, const struct buffer_handle *source,
                               struct error *err) MUST_CHECK;
void cuda_imports_close(struct device *device);

/* The bytes of the device that nobody uses; 0 if the driver does not say. */
double cuda_free_bytes(struct device *device);

/* The function of this name in struct backend_ops. */
enum status cuda_buffer_copy(struct buffer *buffer, struct buffer *source,
                             struct error *err) MUST_CHECK;

/*
 * Tell whether a large buffer's contents are `expected`, without a copy of them in memory.
 * STATUS_UNAVAILABLE if it is small.
 */
enum status cuda_buffer_compare(struct buffer *buffer, const void *expected, bool *same,
                                struct error *err) MUST_CHECK;

/* Copy `buffer->bytes` bytes from host memory to the contents. */
enum status cuda_buffer_write(struct buffer *buffer, const void *contents,
                              struct error *err) MUST_CHECK;

#endif
