#include "tests/unit/unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/system/parallel.h"

enum { ITEMS = 1000 };

/* Threads that are started get no core before `cores` is posted. */
static sem_t cores;
static atomic_uint started, ended;

struct start {
    void *(*run)(void *data);
    void *data;
};

static void *begin_late(void *data)
{
    struct start start = *(struct start *)data;

    free(data);
    while (sem_wait(&cores))
        ;
    start.run(start.data);
    ended++;
    return NULL;
}

/* The linker replaces the calls of these names (tests/CMakeLists.txt). */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *data), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *data), void *data);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*run)(void *data), void *data)
{
    struct start *start = mem_alloc_zeroed(1, sizeof(*start));

    *start = (struct start){run, data};
    started++;
    return __real_pthread_create(thread, attributes, begin_late, start);
}

static void count_items(void *data, size_t first, size_t last)
{
    atomic_uint *counts = data;

    for (size_t i = first; i < last; i++)
        counts[i]++;
}

static void each_item_is_processed_once(void)
{
    atomic_uint counts[ITEMS] = {0};

    parallel_for(ITEMS, 1, count_items, counts);
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(counts[i], 1);
}

/* On a busy machine a thread waits long for a core. The loops of many threads are not delayed. */
static void a_loop_waits_for_no_thread_that_has_not_begun(void **state)
{
    (void)state;
    sem_init(&cores, 0, 0);
    for (unsigned i = 0; i < 3; i++)
        each_item_is_processed_once();
    assert_true(started < (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
    for (unsigned i = 0; i < started; i++)
        sem_post(&cores);
    while (ended < started)
        usleep(1000);
}

static void threads_that_begin_take_parts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1024; i++)
        sem_post(&cores);
    for (unsigned i = 0; i < 8; i++)
        each_item_is_processed_once();
    while (ended < started)
        usleep(1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_waits_for_no_thread_that_has_not_begun),
        cmocka_unit_test(threads_that_begin_take_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
