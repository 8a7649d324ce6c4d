#include "core/system/thread_work.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/base/vec.h"

/* a thread counts if it has at least this share of the longest one's work */
static const double least_share = 0.1;

/*
 * The CPU clock of a thread of this process: the complement of its number, then three bits, which
 * say "of a thread" and "as scheduled" (Linux, include/linux/posix-timers_types.h).
 */
static clockid_t clock_of(pid_t thread)
{
    return (clockid_t)(~(unsigned)thread << 3 | 6U);
}

/* 0 if the thread has ended. */
static int64_t read_ns(pid_t thread)
{
    struct timespec used = {0};

    if (clock_gettime(clock_of(thread), &used))
        return 0;
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

double thread_work_own_us(void)
{
    return (double)read_ns(gettid()) / 1e3;
}

/* The number of the next thread in a folder /proc/PID/task; 0 at its end. */
static pid_t next_thread(DIR *folder)
{
    const struct dirent *entry;

    do
        /* cppcheck-suppress readdirCalled ; nobody else reads this stream, readdir(3) */
        entry = readdir(folder);
    while (entry && *entry->d_name == '.');
    return entry ? (pid_t)strtol(entry->d_name, NULL, 10) : 0;
}

void thread_clocks_read(struct thread_clocks *clocks)
{
    DIR *folder = opendir("/proc/self/task");
    pid_t thread;

    clocks->count = 0;
    clocks->began_ns = read_ns(gettid());
    while (folder && (thread = next_thread(folder))) {
        const struct thread_clock clock = {thread, read_ns(thread)};

        vec_push(clocks, clock);
    }
    if (folder)
        closedir(folder);
    clocks->ended_ns = read_ns(gettid());
}

void thread_clocks_release(struct thread_clocks *clocks)
{
    vec_release(clocks);
}

/* 0 for a thread that was started later. */
static int64_t reading_of(const struct thread_clocks *clocks, pid_t thread)
{
    for (size_t i = 0; i < clocks->count; i++)
        if (clocks->items[i].thread == thread)
            return clocks->items[i].ns;
    return 0;
}

/* Replace each reading by the difference to the reading in `before`. */
static void subtract(struct thread_clocks *now, const struct thread_clocks *before, double aside_us)
{
    struct thread_clock *own = NULL;
    bool is_helped = false;

    for (size_t i = 0; i < now->count; i++) {
        struct thread_clock *clock = &now->items[i];

        if (clock->thread == gettid())
            own = clock;
        clock->ns -= reading_of(before, clock->thread);
        is_helped |= clock != own && clock->ns > 0;
    }
    if (own)
        own->ns = now->began_ns - before->ended_ns;
    if (own && is_helped)
        own->ns -= (int64_t)(aside_us * 1e3);
    if (own && own->ns < 0)
        own->ns = 0;
}

struct thread_work thread_work_since(const struct thread_clocks *before, double aside_us)
{
    struct thread_clocks now = {0};
    struct thread_work work = {0};

    thread_clocks_read(&now);
    subtract(&now, before, aside_us);
    for (size_t i = 0; i < now.count; i++) {
        double us = (double)now.items[i].ns / 1e3;

        work.total_us += us;
        work.longest_us = us > work.longest_us ? us : work.longest_us;
    }
    for (size_t i = 0; i < now.count; i++)
        work.threads += (double)now.items[i].ns / 1e3 >= least_share * work.longest_us;
    thread_clocks_release(&now);
    return work;
}

static struct thread_load read_load(const char *path)
{
    struct thread_load load = {0};
    char line[128] = "";
    char *at = line;
    FILE *file = fopen(path, "re");

    if (!file)
        return load;
    (void)!fgets(line, sizeof(line), file);
    fclose(file);
    load.worked_us = (double)strtoull(at, &at, 10) / 1e3;
    load.waited_us = (double)strtoull(at, &at, 10) / 1e3;
    return load;
}

struct thread_load thread_load_own(void)
{
    return read_load("/proc/thread-self/schedstat");
}

static double read_waited_us(pid_t process, pid_t thread)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)process, (int)thread);
    return read_load(path).waited_us;
}

double thread_work_waited_us(pid_t process)
{
    char path[64];
    double waited_us = 0;
    DIR *folder;
    pid_t thread;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)process);
    folder = opendir(path);
    while (folder && (thread = next_thread(folder)))
        waited_us += read_waited_us(process, thread);
    if (folder)
        closedir(folder);
    return waited_us;
}
