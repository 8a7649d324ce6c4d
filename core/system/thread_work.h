#ifndef CORE_SYSTEM_THREAD_WORK_H
#define CORE_SYSTEM_THREAD_WORK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The CPU time of threads. On a machine that is busy with other programs a thread often waits for a
 * core: the wall clock counts that time, its CPU time does not.
 */

/* The CPU time of a thread at one moment. */
struct thread_clock {
    pid_t thread;
    int64_t ns;
};

/* The clocks of all threads of this process. All zeros is valid and empty. */
struct thread_clocks {
    struct thread_clock *items;
    size_t count, capacity;
    int64_t began_ns, ended_ns; /* the calling thread's, before and after it read the others */
};

/* Read the clocks, replacing an earlier reading. */
void thread_clocks_read(struct thread_clocks *clocks);
void thread_clocks_release(struct thread_clocks *clocks);

/* CPU time between two moments. All zeros: unknown. */
struct thread_work {
    double total_us;   /* CPU time of all threads */
    double longest_us; /* CPU time of the thread that worked most */
    unsigned threads;  /* threads that did a tenth of the longest one's work or more */
};

/* The CPU time of the calling thread since it was started. */
double thread_work_own_us(void);

/*
 * The work of this process since the calling thread read `before`. Threads that have ended do not
 * count. `aside_us` of the calling thread's time, in which it served the other threads, for example
 * by handing them work, do not count either, unless no other thread worked.
 */
struct thread_work thread_work_since(const struct thread_clocks *before, double aside_us);

/*
 * The time that the present threads of a process have waited for a core although they could have
 * worked, since they were started; 0 if the kernel does not count it. From
 * /proc/PID/task/TID/schedstat (Linux, Documentation/scheduler/sched-stats.rst).
 */
double thread_work_waited_us(pid_t process);

/* How long a thread has worked on a core, and waited for one, since it was started. */
struct thread_load {
    double worked_us, waited_us;
};

/* That of the calling thread, from the same source; all zeros if the kernel does not count it. */
struct thread_load thread_load_own(void);

#endif
