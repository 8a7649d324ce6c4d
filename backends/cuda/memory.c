#include "backends/cuda/memory.h"

#include <stdlib.h>

#include "core/base/mem.h"

CUdeviceptr cuda_buffer_contents(const struct buffer *buffer)
{
    return buffer->allocation + BUFFER_GUARD_BYTES;
}

static size_t word_count(const struct buffer *buffer)
{
    return (buffer->bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t);
}

enum status cuda_buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                            struct error *err)
{
    struct buffer *made = mem_alloc_zeroed(1, sizeof(*made));
    enum status st;

    *made = (struct buffer){.device = device, .bytes = bytes};
    st = cuda_check(
        cuda_result(device,
                    device->cuda.cuMemAlloc(&made->allocation, word_count(made) * sizeof(uint32_t) +
                                                                   BUFFER_MARGINS_BYTES),
                    STATUS_UNAVAILABLE),
        err, "allocate %zu bytes", bytes);
    if (st)
        cuda_buffer_free(made);
    else
        *buffer = made;
    return st;
}

void cuda_buffer_free(struct buffer *buffer)
{
    if (!buffer)
        return;
    if (buffer->allocation)
        (void)buffer->device->cuda.cuMemFree(buffer->allocation);
    free(buffer);
}

/* The last word may reach into the guard, so the guards are set after the words. */
enum status cuda_buffer_poison(struct buffer *buffer, uint32_t word, struct error *err)
{
    struct device *device = buffer->device;
    const struct cuda_driver *cuda = &device->cuda;
    CUdeviceptr contents = cuda_buffer_contents(buffer);
    CUresult code = cuda->cuMemsetD32(contents, word, word_count(buffer));

    if (!code)
        code = cuda->cuMemsetD8(buffer->allocation, BUFFER_GUARD_BYTE, BUFFER_GUARD_BYTES);
    if (!code)
        code = cuda->cuMemsetD8(contents + buffer->bytes, BUFFER_GUARD_BYTE, BUFFER_GUARD_BYTES);
    return cuda_check(cuda_result(device, code, STATUS_IO), err, "set %zu bytes", buffer->bytes);
}

enum status cuda_buffer_write(struct buffer *buffer, const void *contents, struct error *err)
{
    struct device *device = buffer->device;
    CUresult code =
        device->cuda.cuMemcpyHtoD(cuda_buffer_contents(buffer), contents, buffer->bytes);

    return cuda_check(cuda_result(device, code, STATUS_IO), err, "receive %zu bytes",
                      buffer->bytes);
}

static enum status read_part(struct buffer *buffer, size_t offset, size_t size, char *allocation,
                             struct error *err)
{
    struct device *device = buffer->device;
    CUresult code =
        device->cuda.cuMemcpyDtoH(allocation + offset, buffer->allocation + offset, size);

    return cuda_check(cuda_result(device, code, STATUS_IO), err, "copy %zu bytes back", size);
}

enum status cuda_buffer_read(struct buffer *buffer, void *allocation, struct error *err)
{
    return read_part(buffer, 0, buffer->bytes + BUFFER_MARGINS_BYTES, allocation, err);
}

enum status cuda_buffer_read_guards(struct buffer *buffer, void *allocation, struct error *err)
{
    enum status st = read_part(buffer, 0, BUFFER_GUARD_BYTES, allocation, err);

    return st ? st
              : read_part(buffer, BUFFER_GUARD_BYTES + buffer->bytes, BUFFER_GUARD_BYTES,
                          allocation, err);
}
