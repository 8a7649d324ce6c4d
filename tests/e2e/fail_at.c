/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the library's have underscores
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Loaded before the C library (LD_PRELOAD), it lets every call of kforge that
 * changes a file fail from the n-th on, n in KFORGE_FAIL_AT, with the error
 * number in KFORGE_FAIL_WITH: a disk that is full, or has become read-only.
 * How many calls there were is written to the file in KFORGE_FAIL_COUNT.
 * Other programs, pipes, sockets and terminals are left alone.
 */
static long calls;

static int is_kforge(void)
{
    return strcmp(program_invocation_short_name, "kforge") == 0;
}

/* Whether this call is to fail; errno says how. */
static int fails(void)
{
    const char *from = getenv("KFORGE_FAIL_AT"), *with = getenv("KFORGE_FAIL_WITH");

    if (!is_kforge() || ++calls < (from ? strtol(from, NULL, 10) : 0))
        return 0;
    if (!from)
        return 0;
    errno = with ? (int)strtol(with, NULL, 10) : ENOSPC;
    return 1;
}

static int is_file(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

/* The function that this one stands before. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t len)
{
    return is_file(fd) && fails() ? -1 : NEXT(write)(fd, bytes, len);
}

int fsync(int fd)
{
    return fails() ? -1 : NEXT(fsync)(fd);
}

int rename(const char *from, const char *to)
{
    return fails() ? -1 : NEXT(rename)(from, to);
}

int link(const char *from, const char *to)
{
    return fails() ? -1 : NEXT(link)(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    return fails() ? -1 : NEXT(mkdir)(path, mode);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("KFORGE_FAIL_COUNT");
    FILE *file = path && is_kforge() ? fopen(path, "w") : NULL;

    if (!file)
        return;
    fprintf(file, "%ld\n", calls);
    fclose(file);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
