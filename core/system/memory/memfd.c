#include "core/system/memory/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A child is given descriptors at numbers below this one; the file must not be in their way. */
enum { ABOVE_PASSED = 10 };

enum status memfd_open(struct memfd *memory, struct error *err)
{
    int low = memfd_create("kforge-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int fd = fcntl(low, F_DUPFD_CLOEXEC, ABOVE_PASSED);

    if (low >= 0)
        close(low);
    if (fd < 0)
        return error_set(err, STATUS_IO, "cannot make shared memory: %s", strerror(errno));
    (void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
    *memory = (struct memfd){.fd = fd};
    return STATUS_OK;
}

enum status memfd_map(struct memfd *memory, size_t size, struct error *err)
{
    void *bytes;

    if (size <= memory->size)
        return STATUS_OK;
    bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
    if (bytes == MAP_FAILED)
        return error_set(err, STATUS_UNAVAILABLE, "cannot map %zu bytes of shared memory: %s", size,
                         strerror(errno));
    if (memory->bytes)
        munmap(memory->bytes, memory->size);
    memory->bytes = bytes;
    memory->size = size;
    return STATUS_OK;
}

enum status memfd_grow(struct memfd *memory, size_t size, struct error *err)
{
    if (size > memory->size && ftruncate(memory->fd, (off_t)size) != 0)
        return error_set(err, STATUS_UNAVAILABLE, "cannot grow the shared memory to %zu bytes: %s",
                         size, strerror(errno));
    return memfd_map(memory, size, err);
}

bool memfd_clear(const struct memfd *memory)
{
    /* The kernel only frees whole pages, so the range includes the page that the file ends in. */
    off_t size = (off_t)memory->size + sysconf(_SC_PAGESIZE);

    return fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size) == 0;
}

void memfd_release(struct memfd *memory)
{
    if (memory->bytes)
        munmap(memory->bytes, memory->size);
    if (memory->fd)
        close(memory->fd);
    *memory = (struct memfd){0};
}
