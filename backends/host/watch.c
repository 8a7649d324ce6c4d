#include "backends/host/watch.h"

#include <stdbool.h>
#include <time.h>

/* Written by thread 0 while no other thread of the team works. */
static bool is_watched;

/* The work of all threads, and the position on the path of the one that is ahead. */
static int64_t total_ns, ahead_ns;

static _Thread_local int64_t position_ns; /* on the path, when the thread last met others */
static _Thread_local int64_t read_ns;     /* its clock then */

static int64_t now_ns(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Move to the position of the thread that is ahead, which may be this one. */
static void catch_up(void)
{
    int64_t ahead = __atomic_load_n(&ahead_ns, __ATOMIC_ACQUIRE);

    while (position_ns > ahead &&
           !__atomic_compare_exchange_n(&ahead_ns, &ahead, position_ns, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        ;
    if (position_ns < ahead)
        position_ns = ahead;
}

void watch_meet(void)
{
    int64_t now, worked;

    if (!__atomic_load_n(&is_watched, __ATOMIC_RELAXED))
        return;
    now = now_ns();
    worked = now - read_ns;
    read_ns = now;
    position_ns += worked;
    __atomic_add_fetch(&total_ns, worked, __ATOMIC_RELAXED);
    catch_up();
}

void watch_resume(void)
{
    if (!__atomic_load_n(&is_watched, __ATOMIC_RELAXED))
        return;
    position_ns = __atomic_load_n(&ahead_ns, __ATOMIC_ACQUIRE);
    read_ns = now_ns();
}

void watch_begin(void)
{
    total_ns = ahead_ns = 0;
    __atomic_store_n(&is_watched, true, __ATOMIC_RELAXED);
    watch_resume();
}

struct thread_work watch_end(void)
{
    watch_meet();
    __atomic_store_n(&is_watched, false, __ATOMIC_RELAXED);
    return (struct thread_work){.total_us =
                                    (double)__atomic_load_n(&total_ns, __ATOMIC_RELAXED) / 1e3,
                                .longest_us = (double)ahead_ns / 1e3};
}
