#include "core/judge/torch/compiler.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/system/clock.h"

/*
 * A process that is stopped may have queued work on a GPU: runs of up to 0.1 s, when Triton
 * compares kernels. They end within this time.
 */
enum { QUEUE_US = 200000 };

enum { NAME_SIZE = 32 };

struct item {
    char name[NAME_SIZE];
    enum compiler_state state;
    struct error why;
};

struct compiler {
    struct compiler_spec spec;
    struct bridge *bridge;
    pthread_t thread;
    int done_fd; /* eventfd(2) */

    pthread_mutex_t lock; /* protects all that follows */
    pthread_cond_t changed;
    struct {
        struct item *items;
        size_t count, capacity;
    } wanted;
    bool is_over, is_paused;
    bool is_working; /* the thread waits for the bridge */
    bool is_copying; /* the thread makes data, for which it needs the cores itself */
    bool is_stopped; /* its process is stopped: the pause began during a request */
    int64_t stopped_us;
};

/* Only the thread uses these. */
struct progress {
    bool is_open;   /* the model is on the device */
    bool has_taken; /* and has the judge's data */
};

static enum status open_model(struct compiler *c, struct error *err)
{
    struct json *names = NULL;
    enum status st = bridge_open(c->bridge, &c->spec.source, NULL, err);

    if (!st)
        st = bridge_place(c->bridge, c->spec.device, c->spec.allows_mixed, &names, err);
    json_free(names);
    return st;
}

/* Wait until the data may be made, make them, and let a pause begin again. */
static enum status take_data(struct compiler *c, struct error *err)
{
    enum status st = STATUS_OK;
    bool is_over;

    pthread_mutex_lock(&c->lock);
    while (c->is_paused && !c->is_over)
        pthread_cond_wait(&c->changed, &c->lock);
    is_over = c->is_over;
    c->is_copying = !is_over;
    pthread_mutex_unlock(&c->lock);
    if (!is_over)
        st = bridge_take(c->bridge, &c->spec.run, err);
    pthread_mutex_lock(&c->lock);
    c->is_copying = false;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return st;
}

/*
 * Compile a baseline. The next request restarts a process that failed, which then lacks the data.
 */
static enum status compile(struct compiler *c, struct progress *progress, const char *name,
                           struct error *err)
{
    enum status st = progress->is_open ? STATUS_OK : open_model(c, err);

    progress->is_open = !st;
    if (!st && !progress->has_taken && c->spec.run.graph)
        st = take_data(c, err);
    progress->has_taken = !st;
    if (!st)
        st = bridge_compile(c->bridge, name, err);
    progress->has_taken = !st;
    return st;
}

/* The index of the next baseline to compile; the number of all baselines if there is none. */
static size_t find_waiting(const struct compiler *c)
{
    size_t i = 0;

    while (i < c->wanted.count && c->wanted.items[i].state != COMPILER_WAITING)
        i++;
    return i;
}

/* Wait for work. False if there will be no more. The lock is held. */
static bool await_work(struct compiler *c)
{
    while (!c->is_over && (c->is_paused || find_waiting(c) == c->wanted.count))
        pthread_cond_wait(&c->changed, &c->lock);
    return !c->is_over;
}

static void conclude(struct compiler *c, size_t index, enum status st, const struct error *why)
{
    struct item *item = &c->wanted.items[index];
    uint64_t one = 1;

    item->state = st ? COMPILER_FAILED : COMPILER_READY;
    if (st)
        item->why = *why;
    if (find_waiting(c) == c->wanted.count)
        (void)!write(c->done_fd, &one, sizeof(one));
    pthread_cond_broadcast(&c->changed);
}

static void *work(void *data)
{
    struct compiler *c = data;
    struct progress progress = {0};

    pthread_mutex_lock(&c->lock);
    while (await_work(c)) {
        size_t index = find_waiting(c);
        char name[NAME_SIZE];
        struct error why;
        enum status st;

        memcpy(name, c->wanted.items[index].name, sizeof(name));
        c->is_working = true;
        pthread_mutex_unlock(&c->lock);
        st = compile(c, &progress, name, &why);
        pthread_mutex_lock(&c->lock);
        c->is_working = false;
        conclude(c, index, st, &why);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

struct compiler *compiler_new(const struct compiler_spec *spec)
{
    struct compiler *c = mem_alloc_zeroed(1, sizeof(*c));

    c->spec = *spec;
    c->bridge = bridge_new(&(struct bridge_options){
        .argv = spec->argv, .limit_us = spec->limit_us, .kept = spec->kept, .may_pause = true});
    c->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (pthread_create(&c->thread, NULL, work, c))
        abort();
    return c;
}

/*
 * End the current request. Its process may not have started yet, so it is killed repeatedly. The
 * lock is held.
 */
static void interrupt(struct compiler *c)
{
    while (c->is_working) {
        struct timespec until;

        bridge_interrupt(c->bridge);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&c->changed, &c->lock, &until);
    }
}

void compiler_free(struct compiler *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->is_over = true;
    pthread_cond_broadcast(&c->changed);
    interrupt(c);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    bridge_free(c->bridge);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    close(c->done_fd);
    vec_release(&c->wanted);
    free(c);
}

void compiler_want(struct compiler *c, const char *name)
{
    struct item item = {.state = COMPILER_WAITING};

    snprintf(item.name, sizeof(item.name), "%s", name);
    pthread_mutex_lock(&c->lock);
    vec_push(&c->wanted, item);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

enum compiler_state compiler_state(struct compiler *c, const char *name, struct error *why)
{
    enum compiler_state state = COMPILER_WAITING;

    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->wanted.count; i++) {
        const struct item *item = &c->wanted.items[i];

        if (strcmp(item->name, name) != 0)
            continue;
        state = item->state;
        if (state == COMPILER_FAILED)
            *why = item->why;
    }
    pthread_mutex_unlock(&c->lock);
    return state;
}

bool compiler_is_done(struct compiler *c)
{
    uint64_t count;
    bool is_done;

    pthread_mutex_lock(&c->lock);
    (void)!read(c->done_fd, &count, sizeof(count));
    is_done = find_waiting(c) == c->wanted.count;
    pthread_mutex_unlock(&c->lock);
    return is_done;
}

int compiler_fd(const struct compiler *c)
{
    return c->done_fd;
}

/* The lock is held. */
static void begin_pause(struct compiler *c)
{
    while (c->is_copying)
        pthread_cond_wait(&c->changed, &c->lock);
    c->is_paused = true;
    c->is_stopped = c->is_working;
    if (c->is_stopped)
        bridge_pause(c->bridge, true);
    c->stopped_us = clock_now_us();
}

static void end_pause(struct compiler *c)
{
    if (c->is_stopped)
        bridge_pause(c->bridge, false);
    c->is_paused = c->is_stopped = false;
    pthread_cond_broadcast(&c->changed);
}

void compiler_pause(struct compiler *c, bool is_paused)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    if (is_paused && !c->is_paused)
        begin_pause(c);
    else if (!is_paused && c->is_paused)
        end_pause(c);
    pthread_mutex_unlock(&c->lock);
}

void compiler_settle(struct compiler *c)
{
    int64_t rest_us = 0;

    if (!c || c->spec.device->is_cpu)
        return;
    pthread_mutex_lock(&c->lock);
    if (c->is_stopped)
        rest_us = c->stopped_us + QUEUE_US - clock_now_us();
    pthread_mutex_unlock(&c->lock);
    if (rest_us > 0)
        usleep((useconds_t)rest_us);
}

struct bridge *compiler_bridge(struct compiler *c)
{
    bool is_usable;

    pthread_mutex_lock(&c->lock);
    is_usable = c->is_paused && !c->is_stopped;
    pthread_mutex_unlock(&c->lock);
    return is_usable ? c->bridge : NULL;
}
