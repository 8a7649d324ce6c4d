#include "core/system/loop.h"

#include <poll.h>
#include <stdbool.h>

#include "core/base/vec.h"
#include "core/system/clock.h"

struct watch {
    int fd;
    unsigned events; /* 0: removed; the entry is dropped at the end of the round */
    loop_fd_fn *call;
    void *data;
};

struct loop {
    struct {
        struct watch *items;
        size_t count, capacity;
    } watches;
    struct {
        struct pollfd *items;
        size_t count, capacity;
    } polled;
    struct loop_timer *timers; /* sorted by due time */
    bool stopped;
};

struct loop *loop_new(void)
{
    return mem_alloc_zeroed(1, sizeof(struct loop));
}

void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    vec_release(&loop->watches);
    vec_release(&loop->polled);
    free(loop);
}

static struct watch *find_watch(struct loop *loop, int fd)
{
    for (size_t i = 0; i < loop->watches.count; i++)
        if (loop->watches.items[i].fd == fd)
            return &loop->watches.items[i];
    return NULL;
}

void loop_watch(struct loop *loop, int fd, unsigned events, loop_fd_fn *call, void *data)
{
    struct watch wanted = {.fd = fd, .events = events, .call = call, .data = data};
    struct watch *known = find_watch(loop, fd);

    if (known)
        *known = wanted;
    else
        vec_push(&loop->watches, wanted);
}

void loop_unwatch(struct loop *loop, int fd)
{
    struct watch *known = find_watch(loop, fd);

    if (known)
        known->events = 0;
}

void loop_clear_timer(struct loop *loop, struct loop_timer *timer)
{
    struct loop_timer **at = &loop->timers;

    if (!timer->is_set)
        return;
    while (*at != timer)
        at = &(*at)->next;
    *at = timer->next;
    timer->is_set = false;
}

void loop_set_timer(struct loop *loop, struct loop_timer *timer, int64_t delay_us,
                    loop_timer_fn *call, void *data)
{
    struct loop_timer **at = &loop->timers;

    loop_clear_timer(loop, timer);
    *timer = (struct loop_timer){
        .due_us = clock_now_us() + delay_us, .call = call, .data = data, .is_set = true};
    while (*at && (*at)->due_us <= timer->due_us)
        at = &(*at)->next;
    timer->next = *at;
    *at = timer;
}

/*
 * The time that poll() may wait, in milliseconds, rounded up so that a timer is due when poll()
 * returns.
 */
static int wait_ms(const struct loop *loop)
{
    int64_t wait_us;

    if (!loop->timers)
        return -1;
    wait_us = loop->timers->due_us - clock_now_us();
    if (wait_us <= 0)
        return 0;
    return wait_us > 60000000 ? 60000 : (int)((wait_us + 999) / 1000);
}

static void sweep_and_list(struct loop *loop)
{
    size_t kept = 0;

    loop->polled.count = 0;
    for (size_t i = 0; i < loop->watches.count; i++) {
        struct watch w = loop->watches.items[i];
        short events =
            (short)((w.events & LOOP_READ ? POLLIN : 0) | (w.events & LOOP_WRITE ? POLLOUT : 0));
        struct pollfd p = {.fd = w.fd, .events = events};

        if (!w.events)
            continue;
        loop->watches.items[kept++] = w;
        vec_push(&loop->polled, p);
    }
    loop->watches.count = kept;
}

static void handle_descriptor(struct loop *loop, const struct pollfd *p)
{
    const struct watch *w = find_watch(loop, p->fd);
    unsigned ready = 0;

    if (!w || !w->events)
        return; /* removed by an earlier callback of this round */
    if (p->revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL))
        ready |= LOOP_READ;
    if (p->revents & (POLLOUT | POLLHUP | POLLERR | POLLNVAL))
        ready |= LOOP_WRITE;
    ready &= w->events;
    if (ready)
        w->call(w->data, p->fd, ready);
}

static void handle_timers(struct loop *loop)
{
    int64_t now = clock_now_us();

    while (loop->timers && loop->timers->due_us <= now) {
        struct loop_timer *due = loop->timers;

        loop_clear_timer(loop, due);
        due->call(due->data);
    }
}

void loop_step(struct loop *loop)
{
    sweep_and_list(loop);
    if (poll(loop->polled.items, loop->polled.count, wait_ms(loop)) > 0)
        for (size_t i = 0; i < loop->polled.count; i++)
            if (loop->polled.items[i].revents)
                handle_descriptor(loop, &loop->polled.items[i]);
    handle_timers(loop);
}

void loop_run(struct loop *loop)
{
    loop->stopped = false;
    while (!loop->stopped)
        loop_step(loop);
}

void loop_stop(struct loop *loop)
{
    loop->stopped = true;
}
