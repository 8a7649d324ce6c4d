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
 * A library for LD_PRELOAD that simulates a full or read-only disk. It counts the calls of kforge
 * that change a file. Call number KFORGE_FAIL_AT and all later ones fail with the errno
 * KFORGE_FAIL_WITH. At exit the library writes the number of calls to the file KFORGE_FAIL_COUNT.
 * Other programs, pipes, sockets and terminals are not affected.
 */
static long calls;

static int is_kforge(void)
{
    return strcmp(program_invocation_short_name, "kforge") == 0;
}

/* Count a call; return true, with errno set, if it must fail. */
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

/* The function of the C library that the one here replaces. */
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

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("KFORGE_FAIL_COUNT");
    FILE *file = path && is_kforge() ? fopen(path, "w") : NULL;

    if (!file)
        return;
    fprintf(file, "%ld\n", calls);
    fclose(file);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
