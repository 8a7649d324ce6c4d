/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the library's have underscores
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A library for LD_PRELOAD that kills kforge right before call number KFORGE_KILL_AT. It counts the
 * calls that change a file or send or receive a message. A write is half done before the kill, as
 * after a crash. At exit the library writes the number of calls to the file KFORGE_KILL_COUNT.
 * Other programs, such as the worker, are not affected.
 */
static long calls;

static int is_kforge(void)
{
    return strcmp(program_invocation_short_name, "kforge") == 0;
}

static int is_last(void)
{
    const char *limit = getenv("KFORGE_KILL_AT");

    return is_kforge() && ++calls == (limit ? strtol(limit, NULL, 10) : 0);
}

static void pass(void)
{
    if (is_last())
        kill(getpid(), SIGKILL);
}

/* The function of the C library that the one here replaces. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

/* Output to a terminal does not count, because its loss does no harm. */
ssize_t write(int fd, const void *bytes, size_t len)
{
    if (!isatty(fd) && is_last()) {
        NEXT(write)(fd, bytes, len / 2);
        kill(getpid(), SIGKILL);
    }
    return NEXT(write)(fd, bytes, len);
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    pass();
    return NEXT(send)(fd, bytes, len, flags);
}

ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
    pass();
    return NEXT(recv)(fd, bytes, len, flags);
}

int fsync(int fd)
{
    pass();
    return NEXT(fsync)(fd);
}

int fdatasync(int fd)
{
    pass();
    return NEXT(fdatasync)(fd);
}

int ftruncate(int fd, off_t length)
{
    pass();
    return NEXT(ftruncate)(fd, length);
}

int rename(const char *from, const char *to)
{
    pass();
    return NEXT(rename)(from, to);
}

int link(const char *from, const char *to)
{
    pass();
    return NEXT(link)(from, to);
}

int unlink(const char *path)
{
    pass();
    return NEXT(unlink)(path);
}

int mkdir(const char *path, mode_t mode)
{
    pass();
    return NEXT(mkdir)(path, mode);
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("KFORGE_KILL_COUNT");
    FILE *file = path && is_kforge() ? fopen(path, "w") : NULL;

    if (!file)
        return;
    fprintf(file, "%ld\n", calls);
    fclose(file);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
