#include "core/system/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { MAX_THREADS = 64 };

struct part {
    parallel_fn *work;
    void *data;
    size_t first, last;
    pthread_t thread;
    bool has_thread;
};

static void *run_part(void *data)
{
    struct part *part = data;

    part->work(part->data, part->first, part->last);
    return NULL;
}

static size_t count_cores(void)
{
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return 1;
    return (size_t)CPU_COUNT(&allowed);
}

static size_t count_parts(size_t count, size_t grain)
{
    size_t parts = count / grain, cores = parts > 1 ? count_cores() : 1;

    if (parts > cores)
        parts = cores;
    if (parts > MAX_THREADS)
        parts = MAX_THREADS;
    return parts > 1 ? parts : 1;
}

void parallel_for(size_t count, size_t grain, parallel_fn *work, void *data)
{
    struct part parts[MAX_THREADS];
    size_t n = count_parts(count, grain);

    for (size_t i = 1; i < n; i++) {
        parts[i] = (struct part){work, data, count * i / n, count * (i + 1) / n, 0, false};
        parts[i].has_thread = pthread_create(&parts[i].thread, NULL, run_part, &parts[i]) == 0;
    }
    work(data, 0, count / n);
    for (size_t i = 1; i < n; i++) {
        if (parts[i].has_thread)
            pthread_join(parts[i].thread, NULL);
        else
            run_part(&parts[i]);
    }
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
