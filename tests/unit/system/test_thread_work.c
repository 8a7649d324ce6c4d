#include "tests/unit/unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "core/system/thread_work.h"

enum { WORK_US = 3000 };

/* Uses the core for WORK_US of CPU time. */
static void work(void)
{
    struct timespec began, now;
    double us = 0;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
    while (us < WORK_US) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        us =
            (double)(now.tv_sec - began.tv_sec) * 1e6 + (double)(now.tv_nsec - began.tv_nsec) / 1e3;
    }
}

struct worker {
    sem_t done, over;
};

static void *work_and_wait(void *data)
{
    struct worker *worker = data;

    work();
    sem_post(&worker->done);
    sem_wait(&worker->over);
    return NULL;
}

static void the_work_of_each_thread_counts(void **state)
{
    struct thread_clocks before = {0};
    struct worker worker;
    struct thread_work made;
    pthread_t thread;

    (void)state;
    sem_init(&worker.done, 0, 0);
    sem_init(&worker.over, 0, 0);
    thread_clocks_read(&before);
    pthread_create(&thread, NULL, work_and_wait, &worker);
    work();
    sem_wait(&worker.done);
    made = thread_work_since(&before, 0);
    sem_post(&worker.over);
    pthread_join(thread, NULL);
    thread_clocks_release(&before);
    assert_int_equal(made.threads, 2);
    assert_true(made.longest_us >= WORK_US);
    assert_true(made.total_us >= 2 * WORK_US && made.total_us <= 2 * made.longest_us);
}

/* What the calling thread did for others is left out, unless there was no other. */
static void the_time_for_others_is_left_out(void **state)
{
    struct thread_clocks before = {0};
    struct worker worker;
    struct thread_work alone, made;
    pthread_t thread;
    double aside_us;

    (void)state;
    sem_init(&worker.done, 0, 0);
    sem_init(&worker.over, 0, 0);
    thread_clocks_read(&before);
    aside_us = thread_work_own_us();
    work();
    aside_us = thread_work_own_us() - aside_us;
    alone = thread_work_since(&before, aside_us);
    pthread_create(&thread, NULL, work_and_wait, &worker);
    sem_wait(&worker.done);
    made = thread_work_since(&before, aside_us);
    sem_post(&worker.over);
    pthread_join(thread, NULL);
    thread_clocks_release(&before);
    assert_true(aside_us >= WORK_US && alone.total_us >= aside_us);
    assert_true(made.longest_us >= WORK_US && made.total_us < made.longest_us + WORK_US);
}

static void a_thread_that_waits_does_not_work(void **state)
{
    struct thread_clocks before = {0};
    struct thread_work made;

    (void)state;
    thread_clocks_read(&before);
    usleep(2 * WORK_US);
    made = thread_work_since(&before, 0);
    thread_clocks_release(&before);
    assert_true(made.total_us < WORK_US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_work_of_each_thread_counts),
        cmocka_unit_test(the_time_for_others_is_left_out),
        cmocka_unit_test(a_thread_that_waits_does_not_work),
    };

    return cmocka_run_group_tests_name("thread_work", tests, NULL, NULL);
}
