#ifndef BACKENDS_HOST_WATCH_H
#define BACKENDS_HOST_WATCH_H

#include "core/system/thread_work.h"

/*
 * The work of a team's run (team.h), and its critical path: how long it would take if each thread
 * had a core of its own, apart from the time of waking threads. On a machine where other programs
 * run, the wall clock does not show that: threads share cores, and wait for each other.
 *
 * Each thread has a clock of its CPU time that stands while it waits. Where threads meet (the
 * beginning and the end of a region, barriers, locks), those that are behind set their position on
 * the path to that of the one that is ahead. So work that cannot be done at the same time is added
 * up, whether or not it was done at the same time in this run. Reading a clock takes a system call,
 * so only runs on a busy machine are watched.
 */

/* Called on thread 0 before and after a run. The longest work is the critical path. */
void watch_begin(void);
struct thread_work watch_end(void);

/* Called on each thread of a run. They do nothing while no run is watched. */
void watch_meet(void);   /* it has worked until now, and meets others */
void watch_resume(void); /* it has waited until now */

#endif
