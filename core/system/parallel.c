#include "core/system/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

/*
 * Threads of all loops together, besides those that call parallel_for(), and the parts of a loop
 * for each core, so that others take over from one that waits for a core.
 */
enum { MAX_THREADS = 64, PARTS_OF_CORE = 2 };

/*
 * A loop. Its caller and helping threads take parts until none is left. On a busy machine a thread
 * may get no core for a long time: the caller waits for parts that were taken, not for threads, so
 * one that comes late finds nothing to do, and frees the loop if it is the last to look.
 */
struct loop {
    parallel_fn *work;
    void *data;
    size_t count, parts;
    size_t taken, done; /* parts; under the mutex, as `holders` */
    size_t holders;     /* the caller, and threads that may look; first one for each part */
    pthread_mutex_t mutex;
    pthread_cond_t ended;
};

static atomic_size_t helpers;

/* Take the next part; false if none is left. */
static bool take_part(struct loop *loop, size_t *part)
{
    bool is_left;

    pthread_mutex_lock(&loop->mutex);
    is_left = loop->taken < loop->parts;
    *part = loop->taken;
    loop->taken += is_left;
    pthread_mutex_unlock(&loop->mutex);
    return is_left;
}

static void end_part(struct loop *loop)
{
    pthread_mutex_lock(&loop->mutex);
    if (++loop->done == loop->parts)
        pthread_cond_signal(&loop->ended);
    pthread_mutex_unlock(&loop->mutex);
}

static void run_parts(struct loop *loop)
{
    size_t part;

    while (take_part(loop, &part)) {
        loop->work(loop->data, loop->count * part / loop->parts,
                   loop->count * (part + 1) / loop->parts);
        end_part(loop);
    }
}

/* Subtract from the holders, and free the loop after the last one. */
static void let_go(struct loop *loop, size_t holders)
{
    bool is_last;

    pthread_mutex_lock(&loop->mutex);
    loop->holders -= holders;
    is_last = loop->holders == 0;
    pthread_mutex_unlock(&loop->mutex);
    if (!is_last)
        return;
    pthread_cond_destroy(&loop->ended);
    pthread_mutex_destroy(&loop->mutex);
    free(loop);
}

static void *help(void *data)
{
    run_parts(data);
    let_go(data, 1);
    helpers--;
    return NULL;
}

static size_t count_cores(void)
{
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return 1;
    return (size_t)CPU_COUNT(&allowed);
}

/* Start a thread that helps, unless the helpers of all loops are as many as the other cores. */
static bool start_helper(struct loop *loop, size_t cores)
{
    pthread_t thread;
    bool is_started = ++helpers < cores && helpers <= MAX_THREADS &&
                      pthread_create(&thread, NULL, help, loop) == 0;

    if (is_started)
        (void)pthread_detach(thread);
    else
        helpers--;
    return is_started;
}

/* Start threads for all parts but one, as far as there are cores. Returns their number. */
static size_t start_helpers(struct loop *loop, size_t cores)
{
    size_t started = 0;

    while (started + 1 < loop->parts && start_helper(loop, cores))
        started++;
    return started;
}

void parallel_for(size_t count, size_t grain, parallel_fn *work, void *data)
{
    size_t parts = count / grain, cores = parts > 1 ? count_cores() : 1, started;
    struct loop *loop;

    if (parts < 2 || cores < 2) {
        work(data, 0, count);
        return;
    }
    parts = parts < PARTS_OF_CORE * cores ? parts : PARTS_OF_CORE * cores;
    loop = mem_alloc_zeroed(1, sizeof(*loop));
    *loop =
        (struct loop){.work = work, .data = data, .count = count, .parts = parts, .holders = parts};
    pthread_mutex_init(&loop->mutex, NULL);
    pthread_cond_init(&loop->ended, NULL);
    started = start_helpers(loop, cores);
    run_parts(loop);
    pthread_mutex_lock(&loop->mutex);
    while (loop->done < loop->parts)
        pthread_cond_wait(&loop->ended, &loop->mutex);
    pthread_mutex_unlock(&loop->mutex);
    let_go(loop, parts - started);
}

enum { COPY_GRAIN_BYTES = 1 << 20 };

struct copying {
    const unsigned char *from;
    unsigned char *to;
};

static void copy_bytes(void *data, size_t first, size_t last)
{
    const struct copying *copying = data;

    memcpy(copying->to + first, copying->from + first, last - first);
}

void parallel_copy(void *to, const void *from, size_t bytes)
{
    struct copying copying = {from, to};

    parallel_for(bytes, COPY_GRAIN_BYTES, copy_bytes, &copying);
}

/* Two blocks that are compared. */
struct comparing {
    const unsigned char *a, *b;
    atomic_bool differ;
};

static void compare_bytes(void *data, size_t first, size_t last)
{
    struct comparing *comparing = data;

    if (!comparing->differ && memcmp(comparing->a + first, comparing->b + first, last - first) != 0)
        comparing->differ = true;
}

bool parallel_same(const void *a, const void *b, size_t bytes)
{
    struct comparing comparing = {.a = a, .b = b};

    parallel_for(bytes, COPY_GRAIN_BYTES, compare_bytes, &comparing);
    return !comparing.differ;
}
