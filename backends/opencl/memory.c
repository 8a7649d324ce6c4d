#include "backends/opencl/memory.h"

#include <string.h>

#include "backends/opencl/error.h"
#include "core/base/mem.h"
#include "core/system/memory/moat.h"

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/*
 * A driver may delay the allocation until the memory is first used.  Use it now, so that a lack of
 * memory is noticed here.
 */
static enum status touch(const struct buffer *buffer, struct error *err)
{
    cl_command_queue queue = buffer->device->queue;
    cl_uint zero = 0;
    cl_int code = clEnqueueFillBuffer(queue, buffer->allocation, &zero, sizeof(zero), 0,
                                      sizeof(zero), 0, NULL, NULL);

    if (!code)
        code = clFinish(queue);
    if (code)
        return buffer_refused(&buffer->device->info, buffer->bytes, opencl_error_name(code), err);
    return STATUS_OK;
}

/* Allocate without guards, and write nothing, so that a tool finds reads of unwritten data. */
static cl_int allocate_bare(struct buffer *buffer)
{
    cl_int code;

    buffer->origin = 0;
    buffer->contents =
        clCreateBuffer(buffer->device->context, CL_MEM_READ_WRITE, buffer->bytes, NULL, &code);
    buffer->allocation = buffer->contents;
    return code ? code : clRetainMemObject(buffer->allocation);
}

static void CL_CALLBACK free_moat(cl_mem allocation, void *moat)
{
    (void)allocation;
    moat_free(moat);
}

/* The driver frees the moat, when no queued command uses the allocation any more. */
static cl_mem allocate_in(struct moat *moat, cl_context context, size_t size, cl_int *code)
{
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size,
                                 moat_bytes(moat), code);

    if (*code)
        moat_free(moat);
    else
        *code = clSetMemObjectDestructorCallback(made, free_moat, moat);
    return made;
}

static cl_int allocate_guarded(struct buffer *buffer, size_t size)
{
    cl_buffer_region region = {buffer->origin, buffer->bytes};
    struct moat *moat = buffer->device->info.is_cpu ? moat_new(size) : NULL;
    cl_int code;

    buffer->allocation =
        moat ? allocate_in(moat, buffer->device->context, size, &code)
             : clCreateBuffer(buffer->device->context, CL_MEM_READ_WRITE, size, NULL, &code);
    if (!code)
        buffer->contents = clCreateSubBuffer(buffer->allocation, CL_MEM_READ_WRITE,
                                             CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    return code;
}

static enum status allocate(struct buffer *buffer, struct error *err)
{
    const struct device_info *info = &buffer->device->info;
    size_t size = buffer->origin + buffer->bytes + BUFFER_GUARD_BYTES;
    cl_int code;

    if (size > (uint64_t)info->max_buffer_bytes)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s has no room for %zu bytes: its largest buffer is %lld bytes; choose "
                         "another device or smaller sizes",
                         info->id, buffer->bytes, (long long)info->max_buffer_bytes);
    code = buffer->device->is_simulated ? allocate_bare(buffer) : allocate_guarded(buffer, size);
    if (code)
        return buffer_refused(info, buffer->bytes, opencl_error_name(code), err);
    return buffer->device->is_simulated ? STATUS_OK : touch(buffer, err);
}

enum status opencl_buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                              struct error *err)
{
    struct buffer *made = mem_alloc_zeroed(1, sizeof(*made));
    enum status st;

    made->device = device;
    made->bytes = bytes;
    made->origin = round_up(BUFFER_GUARD_BYTES, device->alignment);
    st = allocate(made, err);
    if (st) {
        opencl_buffer_free(made);
        return st;
    }
    *buffer = made;
    return STATUS_OK;
}

enum status opencl_buffer_copy(struct buffer *buffer, struct buffer *source, struct error *err)
{
    cl_int code = clEnqueueCopyBuffer(buffer->device->queue, source->contents, buffer->contents, 0,
                                      0, buffer->bytes, 0, NULL, NULL);

    if (code)
        return error_set(err, STATUS_IO, "cannot copy %zu bytes on %s: %s", buffer->bytes,
                         buffer->device->info.id, opencl_error_name(code));
    return STATUS_OK;
}

void opencl_buffer_free(struct buffer *buffer)
{
    if (!buffer)
        return;
    if (buffer->contents)
        clReleaseMemObject(buffer->contents);
    if (buffer->allocation)
        clReleaseMemObject(buffer->allocation);
    free(buffer);
}

enum status opencl_buffer_repeat(struct buffer *buffer, const void *pattern, size_t size,
                                 struct error *err)
{
    cl_int code = clEnqueueFillBuffer(buffer->device->queue, buffer->allocation, pattern, size,
                                      buffer->origin, buffer->bytes, 0, NULL, NULL);

    if (code)
        return error_set(err, STATUS_IO, "cannot set %zu bytes on %s: %s", buffer->bytes,
                         buffer->device->info.id, opencl_error_name(code));
    return STATUS_OK;
}

enum status opencl_buffer_write(struct buffer *buffer, const void *contents, struct error *err)
{
    cl_int code = clEnqueueWriteBuffer(buffer->device->queue, buffer->allocation, CL_TRUE,
                                       buffer->origin, buffer->bytes, contents, 0, NULL, NULL);

    if (code)
        return error_set(err, STATUS_IO, "cannot copy %zu bytes to %s: %s", buffer->bytes,
                         buffer->device->info.id, opencl_error_name(code));
    return STATUS_OK;
}

/* The contents of a buffer without guards, between guards as they should be. */
static enum status read_bare(struct buffer *buffer, char *allocation, struct error *err)
{
    cl_int code =
        clEnqueueReadBuffer(buffer->device->queue, buffer->contents, CL_TRUE, 0, buffer->bytes,
                            allocation + BUFFER_GUARD_BYTES, 0, NULL, NULL);

    memset(allocation, buffer->guard, BUFFER_GUARD_BYTES);
    memset(allocation + BUFFER_GUARD_BYTES + buffer->bytes, buffer->guard, BUFFER_GUARD_BYTES);
    if (code)
        return error_set(err, STATUS_IO, "cannot copy %zu bytes from %s: %s", buffer->bytes,
                         buffer->device->info.id, opencl_error_name(code));
    return STATUS_OK;
}

/* Copy `size` bytes, counted from the guard before the contents. */
static enum status read_part(struct buffer *buffer, size_t offset, size_t size, char *allocation,
                             struct error *err)
{
    cl_int code = clEnqueueReadBuffer(buffer->device->queue, buffer->allocation, CL_TRUE,
                                      buffer->origin - BUFFER_GUARD_BYTES + offset, size,
                                      allocation + offset, 0, NULL, NULL);

    if (code)
        return error_set(err, STATUS_IO, "cannot copy %zu bytes from %s: %s", size,
                         buffer->device->info.id, opencl_error_name(code));
    return STATUS_OK;
}

enum status opencl_buffer_read(struct buffer *buffer, void *allocation, struct error *err)
{
    if (buffer->device->is_simulated)
        return read_bare(buffer, allocation, err);
    return read_part(buffer, 0, buffer->bytes + BUFFER_MARGINS_BYTES, allocation, err);
}

enum status opencl_buffer_read_guards(struct buffer *buffer, void *allocation, struct error *err)
{
    enum status st;

    if (buffer->device->is_simulated)
        return read_bare(buffer, allocation, err);
    st = read_part(buffer, 0, BUFFER_GUARD_BYTES, allocation, err);
    return st ? st
              : read_part(buffer, BUFFER_GUARD_BYTES + buffer->bytes, BUFFER_GUARD_BYTES,
                          allocation, err);
}
