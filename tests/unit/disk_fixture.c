#include "tests/unit/disk_fixture.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/system/memory/disk_memory.h"
#include "tests/unit/unit.h"

static char folder[] = "disk-XXXXXX";

int disk_fixture_open(void **state)
{
    struct error err;

    (void)state;
    if (!mkdtemp(folder))
        return -1;
    disk_fixture_show();
    return file_make_place(FILE_CACHE, &err) ? -1 : 0;
}

int disk_fixture_close(void **state)
{
    (void)state;
    file_remove_folder(folder);
    return 0;
}

void disk_fixture_hide(void)
{
    setenv("XDG_CACHE_HOME", "/nonexistent", 1);
}

void disk_fixture_show(void)
{
    char *here = realpath(folder, NULL);

    assert_non_null(here);
    setenv("XDG_CACHE_HOME", here, 1);
    free(here);
}

void disk_fixture_need_disk(void)
{
    if (!disk_memory_has_room(1 << 20))
        skip();
}

bool disk_fixture_is_resident(const void *address)
{
    uint64_t page = (uintptr_t)address / (uint64_t)sysconf(_SC_PAGESIZE), entry = 0;
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        skip(); /* a kernel without it */
    assert_int_equal(pread(fd, &entry, sizeof(entry), (off_t)(page * sizeof(entry))),
                     sizeof(entry));
    close(fd);
    return entry >> 63;
}
