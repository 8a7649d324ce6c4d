#ifndef CORE_SYSTEM_LOOP_H
#define CORE_SYSTEM_LOOP_H

#include <stdint.h>

/*
 * The one event loop of a process: descriptors that become ready, and
 * timers.  Single-threaded; callbacks run from loop_run() and may add and
 * remove anything, themselves included.
 */
struct loop;

enum { LOOP_READ = 1, LOOP_WRITE = 2 };

/* `ready` holds the LOOP_ bits; a closed or failed descriptor counts as ready for all it waits for.
 */
typedef void loop_fd_fn(void *data, int fd, unsigned ready);
typedef void loop_timer_fn(void *data);

/* Caller-owned; all zeros is a timer that is not set. */
struct loop_timer {
    int64_t due_us; /* on clock_now_us(); meaningful while set */
    loop_timer_fn *call;
    void *data;
    struct loop_timer *next; /* the loop's */
    int is_set;
};

/* A loop that watches nothing yet. */
struct loop *loop_new(void);
void loop_free(struct loop *loop);

/* Watch `fd`, or change what is watched.  Zero `events` stops watching it. */
void loop_watch(struct loop *loop, int fd, unsigned events, loop_fd_fn *call, void *data);
void loop_unwatch(struct loop *loop, int fd);

/* Call once after `delay_us`, replacing an earlier setting of the same timer. */
void loop_set_timer(struct loop *loop, struct loop_timer *timer, int64_t delay_us,
                    loop_timer_fn *call, void *data);
void loop_clear_timer(struct loop *loop, struct loop_timer *timer);

/* Wait for the next thing and handle what is ready. */
void loop_step(struct loop *loop);

/* Step until loop_stop(). */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

#endif
