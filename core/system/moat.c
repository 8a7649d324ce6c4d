#include "core/system/moat.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/mem.h"

struct moat {
    char *mapping; /* both ranges and the memory between them */
    size_t size;   /* size of the mapping */
};

struct moat *moat_new(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    struct moat *moat = mem_alloc_zeroed(1, sizeof(*moat));

    moat->size = whole + 2 * MOAT_BYTES;
    /* cppcheck-suppress invalidFunctionArg ; -1 is no file, mmap(2) */
    moat->mapping = mmap(NULL, moat->size, PROT_NONE, flags, -1, 0);
    if (moat->mapping == MAP_FAILED) {
        free(moat);
        return NULL;
    }
    if (mprotect(moat->mapping + MOAT_BYTES, whole, PROT_READ | PROT_WRITE)) {
        moat_free(moat);
        return NULL;
    }
    return moat;
}

void moat_free(struct moat *moat)
{
    if (moat)
        (void)munmap(moat->mapping, moat->size);
    free(moat);
}

void *moat_bytes(const struct moat *moat)
{
    return moat->mapping + MOAT_BYTES;
}
