#include "core/judge/executor/readback.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64 };

enum status readback_create(struct readback *readback, struct error *err)
{
    int fd = memfd_create("kforge-readback", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0)
        return error_set(err, STATUS_IO, "cannot make shared memory: %s", strerror(errno));
    /* Were it cut short, the judge would crash reading it. */
    (void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
    *readback = (struct readback){.fd = fd};
    return STATUS_OK;
}

enum status readback_map(struct readback *readback, struct readback_layout layout, bool grow,
                         struct error *err)
{
    size_t size = READBACK_SIDES * readback_bytes(layout);
    void *bytes;

    if (size <= readback->size)
        return STATUS_OK;
    if (grow && ftruncate(readback->fd, (off_t)size) != 0)
        return error_set(err, STATUS_UNAVAILABLE, "cannot grow the shared memory to %zu bytes: %s",
                         size, strerror(errno));
    bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, readback->fd, 0);
    if (bytes == MAP_FAILED)
        return error_set(err, STATUS_UNAVAILABLE, "cannot map %zu bytes of shared memory: %s", size,
                         strerror(errno));
    if (readback->bytes)
        munmap(readback->bytes, readback->size);
    readback->bytes = bytes;
    readback->size = size;
    return STATUS_OK;
}

/* Of a page that the file only begins, nothing would be given back: so to the end of the next. */
bool readback_clear(const struct readback *readback)
{
    off_t size = (off_t)readback->size + sysconf(_SC_PAGESIZE);

    return fallocate(readback->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size) == 0;
}

void readback_release(struct readback *readback)
{
    if (readback->bytes)
        munmap(readback->bytes, readback->size);
    if (readback->fd)
        close(readback->fd);
    *readback = (struct readback){0};
}

size_t readback_contents(const struct buffer_spec *buffer)
{
    return (size_t)buffer->elements * dtype_bytes(buffer->dtype);
}

/* Where allocation `index` begins on its side; after the last, where the side ends. */
static size_t offset_of(const struct buffer_spec *buffers, size_t index)
{
    size_t offset = 0;

    for (size_t i = 0; i < index; i++) {
        size_t bytes = readback_contents(&buffers[i]) + BUFFER_MARGINS_BYTES;

        offset += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return offset;
}

size_t readback_bytes(struct readback_layout layout)
{
    return offset_of(layout.buffers, layout.count);
}

unsigned char *readback_at(const struct readback *readback, struct readback_layout layout,
                           unsigned side, size_t index)
{
    return readback->bytes + side * readback_bytes(layout) + offset_of(layout.buffers, index);
}
