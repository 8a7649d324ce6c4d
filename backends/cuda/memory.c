#include "backends/cuda/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/mem.h"

CUdeviceptr cuda_buffer_contents(const struct buffer *buffer)
{
    return buffer->allocation + BUFFER_GUARD_BYTES;
}

static size_t word_count(const struct buffer *buffer)
{
    return (buffer->bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t);
}

double cuda_free_bytes(struct device *device)
{
    size_t unused = 0, total = 0;

    return device->cuda.cuMemGetInfo(&unused, &total) == CUDA_SUCCESS ? (double)unused : 0;
}

/*
 * Allocate memory. Other processes may be about to free memory, so the allocation is tried again
 * for some time.
 */
static CUresult allocate(struct device *device, struct buffer *buffer)
{
    enum { TRIES = 50 };
    const struct timespec pause = {.tv_nsec = 100000000};
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;

    for (int i = 0; code == CUDA_ERROR_OUT_OF_MEMORY && i < TRIES; i++) {
        if (i > 0)
            (void)nanosleep(&pause, NULL);
        code = device->cuda.cuMemAlloc(&buffer->allocation, word_count(buffer) * sizeof(uint32_t) +
                                                                BUFFER_MARGINS_BYTES);
    }
    return code;
}

enum status cuda_buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                            struct error *err)
{
    struct buffer *made = mem_alloc_zeroed(1, sizeof(*made));
    char text[CUDA_ERROR_TEXT];
    CUresult code;

    *made = (struct buffer){.device = device, .bytes = bytes};
    code = allocate(device, made);
    if (code) {
        cuda_buffer_free(made);
        return buffer_refused(&device->info, bytes, cuda_error_text(&device->cuda, code, text),
                              err);
    }
    *buffer = made;
    return STATUS_OK;
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
enum status cuda_buffer_poison(struct buffer *buffer, struct buffer_poison poison,
                               struct error *err)
{
    struct device *device = buffer->device;
    const struct cuda_driver *cuda = &device->cuda;
    CUdeviceptr contents = cuda_buffer_contents(buffer);
    CUresult code = cuda->cuMemsetD32(contents, poison.word, word_count(buffer));

    if (!code)
        code = cuda->cuMemsetD8(buffer->allocation, poison.guard, BUFFER_GUARD_BYTES);
    if (!code)
        code = cuda->cuMemsetD8(contents + buffer->bytes, poison.guard, BUFFER_GUARD_BYTES);
    return cuda_check(cuda_result(device, code, STATUS_IO), err, "set %zu bytes", buffer->bytes);
}

static bool is_staged(struct device *device, size_t bytes)
{
    return bytes >= CUDA_STAGING_LEAST_BYTES && cuda_staging_open(&device->staging, &device->cuda);
}

enum status cuda_buffer_write(struct buffer *buffer, const void *contents, struct error *err)
{
    struct device *device = buffer->device;
    const struct cuda_driver *cuda = &device->cuda;
    CUdeviceptr to = cuda_buffer_contents(buffer);
    CUresult code = is_staged(device, buffer->bytes)
                        ? cuda_staging_write(&device->staging, cuda, to, contents, buffer->bytes)
                        : cuda->cuMemcpyHtoD(to, contents, buffer->bytes);

    return cuda_check(cuda_result(device, code, STATUS_IO), err, "receive %zu bytes",
                      buffer->bytes);
}

enum status cuda_buffer_copy(struct buffer *buffer, struct buffer *source, struct error *err)
{
    struct device *device = buffer->device;
    CUresult code = device->cuda.cuMemcpyDtoD(cuda_buffer_contents(buffer),
                                              cuda_buffer_contents(source), buffer->bytes);

    return cuda_check(cuda_result(device, code, STATUS_IO), err, "copy %zu bytes", buffer->bytes);
}

enum status cuda_buffer_compare(struct buffer *buffer, const void *expected, bool *same,
                                struct error *err)
{
    struct device *device = buffer->device;
    const struct cuda_staged staged = {cuda_buffer_contents(buffer), buffer->bytes, expected};
    CUresult code;

    if (!is_staged(device, buffer->bytes))
        return error_set(err, STATUS_UNAVAILABLE, "the buffer is small");
    code = cuda_staging_compare(&device->staging, &device->cuda, &staged, same);
    return cuda_check(cuda_result(device, code, STATUS_IO), err, "compare %zu bytes",
                      buffer->bytes);
}

_Static_assert(sizeof(CUipcMemHandle) == sizeof(struct buffer_handle), "a handle of CUDA");

enum status cuda_buffer_export(struct buffer *buffer, struct buffer_handle *handle,
                               struct error *err)
{
    struct device *device = buffer->device;
    CUipcMemHandle made = {{0}};
    CUresult code = device->cuda.cuIpcGetMemHandle(&made, buffer->allocation);

    memcpy(handle, &made, sizeof(*handle));
    return cuda_check(cuda_result(device, code, STATUS_UNAVAILABLE), err,
                      "name %zu bytes for another process", buffer->bytes);
}

/*
 * Copy the contents of another buffer's allocation, which is mapped here. Copies between buffers
 * return before they are complete.
 */
static enum status copy_mapped(struct buffer *buffer, CUdeviceptr mapped, struct error *err)
{
    struct device *device = buffer->device;
    const struct cuda_driver *cuda = &device->cuda;
    CUdeviceptr base = 0;
    size_t bytes = 0;
    CUresult code = cuda->cuMemGetAddressRange(&base, &bytes, mapped);

    if (!code && (base != mapped || bytes < buffer->bytes + BUFFER_MARGINS_BYTES))
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s cannot read another process's buffer: it has %zu bytes, not %zu",
                         device->info.id, bytes, buffer->bytes + BUFFER_MARGINS_BYTES);
    if (!code)
        code = cuda->cuMemcpyDtoD(cuda_buffer_contents(buffer), mapped + BUFFER_GUARD_BYTES,
                                  buffer->bytes);
    if (!code)
        code = cuda->cuCtxSynchronize();
    return cuda_check(cuda_result(device, code, STATUS_IO), err, "copy %zu bytes", buffer->bytes);
}

void cuda_imports_close(struct device *device)
{
    for (size_t i = 0; i < device->import_count; i++)
        (void)device->cuda.cuIpcCloseMemHandle(device->imports[i].mapped);
    device->import_count = 0;
}

static const struct cuda_import *find_import(const struct device *device,
                                             const struct buffer_handle *source)
{
    for (size_t i = 0; i < device->import_count; i++)
        if (memcmp(&device->imports[i].source, source, sizeof(*source)) == 0)
            return &device->imports[i];
    return NULL;
}

/* Map a buffer of another process. If too many buffers are mapped, unmap them all first. */
static enum status open_import(struct device *device, const struct buffer_handle *source,
                               CUdeviceptr *mapped, struct error *err)
{
    const struct cuda_import *found = find_import(device, source);
    CUipcMemHandle handle;
    enum status st;

    if (found) {
        *mapped = found->mapped;
        return STATUS_OK;
    }
    if (device->import_count == CUDA_IMPORTS)
        cuda_imports_close(device);
    memcpy(&handle, source, sizeof(handle));
    st = cuda_check(cuda_result(device,
                                device->cuda.cuIpcOpenMemHandle(mapped, handle,
                                                                CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                                STATUS_UNAVAILABLE),
                    err, "open another process's buffer");
    if (!st)
        device->imports[device->import_count++] = (struct cuda_import){*source, *mapped};
    return st;
}

enum status cuda_buffer_import(struct buffer *buffer, const struct buffer_handle *source,
                               struct error *err)
{
    CUdeviceptr mapped = 0;
    enum status st = open_import(buffer->device, source, &mapped, err);

    return st ? st : copy_mapped(buffer, mapped, err);
}

static enum status read_part(struct buffer *buffer, size_t offset, size_t size, char *allocation,
                             struct error *err)
{
    struct device *device = buffer->device;
    const struct cuda_driver *cuda = &device->cuda;
    CUdeviceptr from = buffer->allocation + offset;
    char *to = allocation + offset;
    CUresult code = is_staged(device, size)
                        ? cuda_staging_read(&device->staging, cuda, to, from, size)
                        : cuda->cuMemcpyDtoH(to, from, size);

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
