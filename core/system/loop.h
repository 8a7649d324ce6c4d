#ifndef CORE_SYSTEM_LOOP_H
#define CORE_SYSTEM_LOOP_H

#include <stdint.h>

/*
 * The event loop of a process, over poll(2): it watches descriptors and timers. It is
 * single-threaded. Callbacks run inside loop_run() and may add and remove any descriptor or timer,
 * their own included.
 */
struct loop;

enum { LOOP_READ = 1, LOOP_WRITE = 2 };

/*
 * `ready` has the LOOP_ bits that apply. A closed or failed descriptor counts as ready for every
 * bit that is watched.
 */
typedef void loop_fd_fn(void *data, int fd, unsigned ready);
typedef void loop_timer_fn(void *data);

/* Owned by the caller; all zeros is a timer that is not set. */
struct loop_timer {
    int64_t due_us; /* by clock_now_us(); valid while set */
    loop_timer_fn *call;
    void *data;
    struct loop_timer *next; /* used by the loop */
    int is_set;
};

/* A loop without descriptors and timers. */
struct loop *loop_new(void);
void loop_free(struct loop *loop);

/* Watch `fd`, or change the events that are watched. Zero `events` stops watching it. */
void loop_watch(struct loop *loop, int fd, unsigned events, loop_fd_fn *call, void *data);
void loop_unwatch(struct loop *loop, int fd);

/* Call `call` once after `delay_us`. This replaces an earlier setting of the same timer. */
void loop_set_timer(struct loop *loop, struct loop_timer *timer, int64_t delay_us,
                    loop_timer_fn *call, void *data);
void loop_clear_timer(struct loop *loop, struct loop_timer *timer);

/* Wait for the next event and run the callbacks that are due. */
void loop_step(struct loop *loop);

/* Call loop_step() until loop_stop(). */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

#endif
