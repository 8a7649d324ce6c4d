#include "core/system/turn_lock.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/file.h"
#include "tests/unit/unit.h"

/* Holders of a lock are processes here: each has its own lock on the same file. */

static char folder[] = "/tmp/kforge-turns-XXXXXX";
static char *path;

static const struct turn_patience for_ever = {0};

static bool is_over(void *data)
{
    return --*(int *)data <= 0;
}

/* Patience for a few looks. */
static struct turn_patience short_patience(int *looks)
{
    *looks = 4;
    return (struct turn_patience){.fd = -1, .is_over = is_over, .data = looks};
}

static bool take(struct turn_lock *lock, enum turn turn, const struct turn_patience *patience)
{
    int64_t waited_us;

    return turn_lock_take(lock, turn, patience, &waited_us);
}

static bool try_take(struct turn_lock *lock, enum turn turn)
{
    int looks;
    const struct turn_patience patience = short_patience(&looks);

    return take(lock, turn, &patience);
}

static bool try_enter(struct turn_lock *lock)
{
    int looks;
    const struct turn_patience patience = short_patience(&looks);

    return turn_lock_enter(lock, &patience);
}

static void test_many_beside_or_one_alone(void **state)
{
    struct turn_lock *a = turn_lock_new(path), *b = turn_lock_new(path);

    (void)state;
    assert_true(take(a, TURN_BESIDE, &for_ever));
    assert_true(try_take(b, TURN_BESIDE));
    assert_false(try_take(a, TURN_ALONE)); /* and loses what it had */
    assert_true(try_take(b, TURN_ALONE));
    assert_false(try_take(a, TURN_BESIDE));
    assert_false(try_enter(a));
    assert_true(take(b, TURN_BESIDE, &for_ever));
    assert_true(try_take(a, TURN_BESIDE));
    assert_true(take(b, TURN_NONE, &for_ever));
    assert_true(try_take(a, TURN_ALONE));
    turn_lock_free(a);
    assert_true(try_take(b, TURN_ALONE));
    turn_lock_free(b);
}

static void test_helpers_share_the_turn_of_their_owner(void **state)
{
    struct turn_lock *a = turn_lock_new(path), *b = turn_lock_new(path);

    (void)state;
    assert_true(take(a, TURN_ALONE, &for_ever));
    assert_true(try_enter(a));
    assert_true(take(a, TURN_NONE, &for_ever)); /* the helper works on, beside others */
    assert_false(try_take(b, TURN_ALONE));
    assert_true(try_take(b, TURN_BESIDE));
    assert_true(take(b, TURN_NONE, &for_ever));
    assert_false(try_take(a, TURN_ALONE)); /* not while its own helper works */
    turn_lock_leave(a);
    assert_true(try_take(b, TURN_ALONE));
    turn_lock_free(a);
    turn_lock_free(b);
}

/* The waiter is reported to the holder, so that one who works for long can step aside. */
static void *wait_alone(void *data)
{
    return take(data, TURN_ALONE, &for_ever) ? data : NULL;
}

static void test_one_who_waits_is_seen_and_goes_before_those_who_come_later(void **state)
{
    struct turn_lock *a = turn_lock_new(path), *b = turn_lock_new(path), *c = turn_lock_new(path);
    pthread_t thread;
    void *granted;

    (void)state;
    assert_true(take(a, TURN_BESIDE, &for_ever));
    assert_false(turn_lock_is_wanted(a));
    assert_int_equal(pthread_create(&thread, NULL, wait_alone, b), 0);
    while (!turn_lock_is_wanted(a))
        usleep(1000);
    assert_false(try_take(c, TURN_BESIDE)); /* although a has only a turn beside others */
    assert_true(take(a, TURN_NONE, &for_ever));
    assert_int_equal(pthread_join(thread, &granted), 0);
    assert_ptr_equal(granted, b);
    turn_lock_free(a);
    turn_lock_free(b);
    turn_lock_free(c);
}

/* A thread that waits for a turn, and its place in the order of those that got one. */
struct waiter {
    struct turn_lock *lock;
    enum turn turn;
    int pipe_of_waits[2]; /* a pipe that gets a byte when the thread waits */
    int place;
};

static int places;

static void report_wait(void *data)
{
    const struct waiter *waiter = data;

    assert_int_equal(write(waiter->pipe_of_waits[1], "x", 1), 1);
}

static void *wait_in_order(void *data)
{
    struct waiter *waiter = data;
    const struct turn_patience patience = {.fd = -1, .waits = report_wait, .data = waiter};

    if (take(waiter->lock, waiter->turn, &patience))
        waiter->place = __atomic_add_fetch(&places, 1, __ATOMIC_SEQ_CST);
    take(waiter->lock, TURN_NONE, &for_ever);
    return NULL;
}

static void test_those_who_want_to_be_alone_go_before_others(void **state)
{
    struct turn_lock *holder = turn_lock_new(path);
    struct waiter waiters[] = {{.turn = TURN_BESIDE}, {.turn = TURN_ALONE}, {.turn = TURN_ALONE}};
    pthread_t threads[3];
    char byte;

    (void)state;
    places = 0;
    assert_true(take(holder, TURN_ALONE, &for_ever));
    for (int i = 0; i < 3; i++) {
        waiters[i].lock = turn_lock_new(path);
        assert_int_equal(pipe(waiters[i].pipe_of_waits), 0);
        assert_int_equal(pthread_create(&threads[i], NULL, wait_in_order, &waiters[i]), 0);
        assert_int_equal(read(waiters[i].pipe_of_waits[0], &byte, 1), 1);
    }
    assert_true(take(holder, TURN_NONE, &for_ever));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        turn_lock_free(waiters[i].lock);
        close(waiters[i].pipe_of_waits[0]);
        close(waiters[i].pipe_of_waits[1]);
    }
    assert_int_equal(waiters[0].place, 3);
    turn_lock_free(holder);
}

static void test_the_turn_of_a_killed_process_is_free(void **state)
{
    struct turn_lock *lock;
    int ready[2];
    char byte;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        struct turn_lock *own = turn_lock_new(path);

        if (take(own, TURN_ALONE, &for_ever) && write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    lock = turn_lock_new(path);
    assert_false(try_take(lock, TURN_BESIDE));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(try_take(lock, TURN_ALONE));
    turn_lock_free(lock);
    close(ready[0]);
    close(ready[1]);
}

/* Without a lock nobody waits. */
static void test_a_lock_that_cannot_be_opened_is_free(void **state)
{
    struct turn_lock *a = turn_lock_new("/nowhere/lock"), *b = turn_lock_new("/nowhere/lock");

    (void)state;
    assert_true(try_take(a, TURN_ALONE));
    assert_true(try_take(b, TURN_ALONE));
    assert_true(try_enter(a));
    turn_lock_leave(a);
    turn_lock_free(a);
    turn_lock_free(b);
}

/* The turns of several processes, each of which wants to be alone, and works beside others too. */
enum { PLAYERS = 4, ROUNDS = 25 };

static int play(void)
{
    struct turn_lock *lock = turn_lock_new(path);
    char *mark = file_join(folder, "alone");
    int code = 0;

    for (int i = 0; i < ROUNDS && code == 0; i++) {
        if (!take(lock, TURN_BESIDE, &for_ever) || file_exists(mark))
            code = 2;
        if (!take(lock, TURN_ALONE, &for_ever) || file_exists(mark) ||
            file_write_text(folder, "alone", "x", NULL))
            code = 3;
        usleep(200);
        unlink(mark);
        (void)take(lock, TURN_NONE, &for_ever);
    }
    turn_lock_free(lock);
    free(mark);
    return code;
}

static void test_nobody_waits_for_ever(void **state)
{
    pid_t players[PLAYERS];

    (void)state;
    for (int i = 0; i < PLAYERS; i++)
        if ((players[i] = fork()) == 0)
            _exit(play());
    for (int i = 0; i < PLAYERS; i++) {
        int status;

        assert_int_equal(waitpid(players[i], &status, 0), players[i]);
        assert_int_equal(status, 0);
    }
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    path = file_join(folder, "lock");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    file_remove_folder(folder);
    free(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_beside_or_one_alone),
        cmocka_unit_test(test_helpers_share_the_turn_of_their_owner),
        cmocka_unit_test(test_one_who_waits_is_seen_and_goes_before_those_who_come_later),
        cmocka_unit_test(test_those_who_want_to_be_alone_go_before_others),
        cmocka_unit_test(test_the_turn_of_a_killed_process_is_free),
        cmocka_unit_test(test_a_lock_that_cannot_be_opened_is_free),
        cmocka_unit_test(test_nobody_waits_for_ever),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
