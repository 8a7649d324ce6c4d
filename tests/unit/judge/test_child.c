#include "tests/unit/unit.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "core/judge/executor/child.h"
#include "core/system/clock.h"

static const struct child_cancel nobody = {0};

static struct child run(const char *script)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    const struct process_spec spec = {.argv = argv};
    struct child child = {0};
    struct error err = {0};

    if (child_start(&child, &spec, &err))
        fail_msg("%s", err.text);
    return child;
}

static void lines_are_answered(void **state)
{
    struct child child = run("while read -r line; do echo \"heard $line\"; done");
    const char *line = NULL;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(child_send(&child, "you\n", NULL), STATUS_OK);
        assert_int_equal(child_await(&child, 60000000, &nobody, &line), CHILD_ANSWERED);
        assert_string_equal(line, "heard you");
    }
    child_end(&child, 0);
}

static void printed_bytes_are_counted_for_each_line(void **state)
{
    struct child child = run("while read -r n; do head -c \"$n\" /dev/zero >&2; echo; done");
    const char *line = NULL;

    (void)state;
    assert_int_equal(child_send(&child, "100000\n", NULL), STATUS_OK);
    assert_int_equal(child_await(&child, 60000000, &nobody, &line), CHILD_ANSWERED);
    assert_int_equal(child_printed(&child), 100000);
    assert_int_equal(child_send(&child, "7\n", NULL), STATUS_OK);
    assert_int_equal(child_await(&child, 60000000, &nobody, &line), CHILD_ANSWERED);
    assert_int_equal(child_printed(&child), 7);
    child_end(&child, 0);
}

static void a_sleeping_child_is_late(void **state)
{
    struct child child = run("exec sleep 60");
    const char *line = NULL;

    (void)state;
    assert_int_equal(child_await(&child, 200000, &nobody, &line), CHILD_LATE);
    assert_null(line);
    child_end(&child, 0);
}

static void an_ended_child_is_gone(void **state)
{
    struct child child = run("exit 3");
    const char *line = NULL;

    (void)state;
    assert_int_equal(child_await(&child, 60000000, &nobody, &line), CHILD_GONE);
    child_end(&child, 0);
}

/* Bind this process and its children to one core; return the previous set of cores. */
static cpu_set_t stay_on_one_core(void)
{
    cpu_set_t before, one;
    size_t core = 0;

    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    while (!CPU_ISSET(core, &before))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    return before;
}

enum { OTHERS = 7 };

static void start_others(struct child others[OTHERS])
{
    for (int i = 0; i < OTHERS; i++)
        others[i] = run("while :; do :; done");
}

static void end_others(struct child others[OTHERS])
{
    for (int i = 0; i < OTHERS; i++)
        child_end(&others[i], 0);
}

#define LOOP "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; echo done"

/*
 * Time without a core does not count against the candidate. Here the child gets at most an eighth
 * of a core, and a limit of six times its own computing time.
 */
static void waiting_for_a_core_does_not_count(void **state)
{
    cpu_set_t before = stay_on_one_core();
    struct child others[OTHERS], child = run(LOOP);
    const char *line = NULL;
    double alone_us;

    (void)state;
    assert_int_equal(child_await(&child, 600000000, &nobody, &line), CHILD_ANSWERED);
    alone_us = child_cpu_us(&child);
    child_end(&child, 0);
    start_others(others);
    child = run(LOOP);
    assert_int_equal(child_await(&child, (int64_t)(6 * alone_us), &nobody, &line), CHILD_ANSWERED);
    child_end(&child, 0);
    end_others(others);
    sched_setaffinity(0, sizeof(before), &before);
}

/* A child that a signal has stopped waits for no core: all its time counts on a busy machine too.
 */
static void a_stopped_child_is_late(void **state)
{
    enum { LIMIT_US = 300000 };
    cpu_set_t before = stay_on_one_core();
    struct child others[OTHERS], child;
    int64_t began_us;
    const char *line = NULL;

    (void)state;
    start_others(others);
    child = run("kill -STOP $$");
    began_us = clock_now_us();
    assert_int_equal(child_await(&child, LIMIT_US, &nobody, &line), CHILD_LATE);
    assert_true(clock_now_us() - began_us < (int64_t)10 * LIMIT_US);
    child_end(&child, 0);
    end_others(others);
    sched_setaffinity(0, sizeof(before), &before);
}

/* The last test, as only root could raise the limit again. */
static void the_engineers_limit_on_files_is_named(void **state)
{
    const struct rlimit limit = {51200, 51200};
    const char *line = NULL;
    struct error err = {0};
    struct child child;

    (void)state;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    child = run("exec head -c 60000 /dev/zero >&2");
    assert_int_equal(child_await(&child, 60000000, &nobody, &line), CHILD_GONE);
    assert_int_equal(child_outcome(child_end(&child, 1000000), &err), OUTCOME_FLOODED);
    assert_non_null(strstr(err.text, "51200 bytes that ulimit -f allows"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_answered),
        cmocka_unit_test(printed_bytes_are_counted_for_each_line),
        cmocka_unit_test(a_sleeping_child_is_late),
        cmocka_unit_test(an_ended_child_is_gone),
        cmocka_unit_test(waiting_for_a_core_does_not_count),
        cmocka_unit_test(a_stopped_child_is_late),
        cmocka_unit_test(the_engineers_limit_on_files_is_named),
    };

    return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
