#include "core/judge/arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64 };

enum status arena_create(struct arena *arena, struct error *err)
{
    int fd = memfd_create("kforge-arena", MFD_CLOEXEC);

    if (fd < 0)
        return error_set(err, STATUS_IO, "cannot make shared memory: %s", strerror(errno));
    *arena = (struct arena){.fd = fd};
    return STATUS_OK;
}

enum status arena_map(struct arena *arena, size_t size, bool grow, struct error *err)
{
    void *bytes;

    if (size <= arena->size)
        return STATUS_OK;
    if (grow && ftruncate(arena->fd, (off_t)size) != 0)
        return error_set(err, STATUS_UNAVAILABLE, "cannot grow the shared memory to %zu bytes: %s",
                         size, strerror(errno));
    bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, arena->fd, 0);
    if (bytes == MAP_FAILED)
        return error_set(err, STATUS_UNAVAILABLE, "cannot map %zu bytes of shared memory: %s", size,
                         strerror(errno));
    if (arena->bytes)
        munmap(arena->bytes, arena->size);
    arena->bytes = bytes;
    arena->size = size;
    return STATUS_OK;
}

void arena_release(struct arena *arena)
{
    if (arena->bytes)
        munmap(arena->bytes, arena->size);
    if (arena->fd)
        close(arena->fd);
    *arena = (struct arena){0};
}

size_t arena_contents(const struct buffer_spec *buffer)
{
    return (size_t)buffer->elements * dtype_bytes(buffer->dtype);
}

size_t arena_offset(const struct buffer_spec *buffers, size_t index)
{
    size_t offset = 0;

    for (size_t i = 0; i < index; i++) {
        size_t bytes = arena_contents(&buffers[i]) + 2 * BUFFER_GUARD_BYTES;

        offset += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return offset;
}
