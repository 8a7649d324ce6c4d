#include "tests/fuzz/memory_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/system/file.h"

struct memory_file memory_file_open(const uint8_t *data, size_t size)
{
    struct memory_file file = {.fd = memfd_create("input", MFD_CLOEXEC)};

    if (file.fd < 0 || file_write_all(file.fd, data, size, NULL))
        abort();
    snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
    return file;
}

void memory_file_close(struct memory_file *file)
{
    close(file->fd);
}
