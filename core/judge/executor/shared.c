#include "core/judge/executor/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Descriptors that a child finds at numbers below this do not overwrite each other on the way. */
enum { ABOVE_PASSED = 10 };

enum status shared_create(struct shared *shared, struct error *err)
{
    int low = memfd_create("kforge-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int fd = fcntl(low, F_DUPFD_CLOEXEC, ABOVE_PASSED);

    if (low >= 0)
        close(low);
    if (fd < 0)
        return error_set(err, STATUS_IO, "cannot make shared memory: %s", strerror(errno));
    /* Were it cut short, the judge would crash reading it. */
    (void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL);
    *shared = (struct shared){.fd = fd};
    return STATUS_OK;
}

enum status shared_grow(struct shared *shared, size_t size, struct error *err)
{
    void *bytes;

    if (size <= shared->size)
        return STATUS_OK;
    if (ftruncate(shared->fd, (off_t)size) != 0)
        return error_set(err, STATUS_UNAVAILABLE, "cannot grow the shared memory to %zu bytes: %s",
                         size, strerror(errno));
    bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, 0);
    if (bytes == MAP_FAILED)
        return error_set(err, STATUS_UNAVAILABLE, "cannot map %zu bytes of shared memory: %s", size,
                         strerror(errno));
    if (shared->bytes)
        munmap(shared->bytes, shared->size);
    shared->bytes = bytes;
    shared->size = size;
    return STATUS_OK;
}

void shared_release(struct shared *shared)
{
    if (shared->bytes)
        munmap(shared->bytes, shared->size);
    if (shared->fd)
        close(shared->fd);
    *shared = (struct shared){0};
}
