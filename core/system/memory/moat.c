#include "core/system/memory/moat.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/mem.h"

struct moat {
    char *mapping; /* both ranges and the memory between them */
    size_t size;   /* size of the mapping */
    size_t range;  /* of each of the two ranges */
};

unsigned long long moat_address_limit(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ? 0 : limit.rlim_cur;
}

/* Whole pages; with limited addresses a small part of them, because there are many moats. */
static size_t range_of(size_t page)
{
    enum { PARTS = 1024 };
    size_t limit = (size_t)moat_address_limit();

    return limit && limit / PARTS < MOAT_BYTES ? (limit / PARTS / page + 1) * page : MOAT_BYTES;
}

struct moat *moat_new(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    struct moat *moat = mem_alloc_zeroed(1, sizeof(*moat));

    moat->range = range_of(page);
    moat->size = whole + 2 * moat->range;
    /* cppcheck-suppress invalidFunctionArg ; -1 is no file, mmap(2) */
    moat->mapping = mmap(NULL, moat->size, PROT_NONE, flags, -1, 0);
    if (moat->mapping == MAP_FAILED) {
        free(moat);
        return NULL;
    }
    if (mprotect(moat->mapping + moat->range, whole, PROT_READ | PROT_WRITE)) {
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
    return moat->mapping + moat->range;
}
