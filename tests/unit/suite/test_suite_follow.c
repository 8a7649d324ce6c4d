#include "tests/unit/unit.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/session/store/handed_decision.h"
#include "core/suite/run/suite_asking.h"
#include "core/suite/suite_overview.h"
#include "core/suite/suite_progress.h"
#include "core/system/file.h"
#include "core/system/loop.h"

/*
 * A suite of one problem, two arms and two repeats, which this process has open for writing.  Its
 * sessions are the beginnings of a recorded one, tests/golden/suite/linear.jsonl: event 18 proposes
 * a recommendation, on which the engineer decides here.
 */

enum { TASKS = 4, ADVICE = 18, WHOLE = 87, MAX_BYTES = 1 << 20 };

static char folder[] = "/tmp/kforge-follow-XXXXXX";
static const char *const ids[TASKS] = {"0001-aaaa", "0002-aaaa", "0003-aaaa", "0004-aaaa"};

static struct loop *loop;
static struct suite_store store;
static struct suite_follow follow;

static void stop(void *data)
{
    (void)data;
    loop_stop(loop);
}

/* Run the loop until the condition holds; the test's time limit ends one that never does. */
#define AWAIT(condition)   \
    while (!(condition)) { \
        loop_run(loop);    \
    }

static void record(enum event_type type, const void *data)
{
    struct event event = event_make(type, data);
    struct error err;

    assert_int_equal(suite_store_record(&store, &event, &err), STATUS_OK);
    event_release(&event);
}

static void start(unsigned task)
{
    const struct task_started started = {
        .task = task, .session = ids[task - 1], .problem = "p", .arm = "a", .repeat = 1};

    record(EVENT_TASK_STARTED, &started);
}

static void end(unsigned task)
{
    const struct task_ended ended = {task, ids[task - 1], TASK_IMPROVED};

    record(EVENT_TASK_ENDED, &ended);
}

/* Append the events `from` to `to`, from 1, of the recorded session to that of a task. */
static void play(unsigned task, size_t from, size_t to)
{
    char *session = catalog_folder(ids[task - 1]), *path = catalog_journal(ids[task - 1]);
    struct strbuf text = {0};
    struct error err;
    FILE *file;
    char *line, *asks;
    size_t number = 0;

    assert_int_equal(catalog_make(ids[task - 1], &err), STATUS_OK);
    assert_int_equal(
        file_read(KFORGE_SOURCE_DIR "/tests/golden/suite/linear.jsonl", MAX_BYTES, &text, &err),
        STATUS_OK);
    asks = strstr(text.data, "\"recommendation\":\"auto\"");
    memcpy(asks, "\"recommendation\":\"ask\" ", strlen("\"recommendation\":\"auto\""));
    file = fopen(path, "ae");
    line = text.data;
    for (char *each = strsep(&line, "\n"); each && number < to; each = strsep(&line, "\n"))
        if (++number >= from)
            fprintf(file, "%s\n", each);
    fclose(file);
    strbuf_release(&text);
    free(path);
    free(session);
}

static int set_up(void **state)
{
    static const char text[] = "{\"kforge\": 1, \"name\": \"s\", \"problems\": [\"p.json\"], "
                               "\"repeats\": 2, \"arms\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}";
    const struct suite_opened opened = {"s", "s", TASKS};
    const struct suite_follow_options options = {.suite = NULL, .changed = stop};
    struct suite_follow_options used = options;
    struct suite suite;
    struct error err;

    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/kforge-follow-XXXXXX");
    if (!mkdtemp(folder) || suite_parse(&suite, text, strlen(text), "s.json", &err) ||
        file_write_text(folder, "p.json", "{}", &err))
        return -1;
    setenv("XDG_DATA_HOME", folder, 1);
    free(suite.problems.items[0]);
    suite.problems.items[0] = file_join(folder, "p.json");
    if (suite_store_make(&store, &suite, &err))
        return -1;
    record(EVENT_SUITE_OPENED, &opened);
    loop = loop_new();
    used.loop = loop;
    return suite_follow_open(&follow, &used, &err) ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    suite_follow_close(&follow);
    loop_free(loop);
    suite_store_close(&store);
    file_remove_folder(folder);
    return 0;
}

static void test_only_what_was_added_is_read(void **state)
{
    char *path = catalog_journal(ids[0]);
    const struct task_facts *facts = &follow.tasks[0].facts;
    int file;

    (void)state;
    start(1);
    AWAIT(follow.store.state.tasks[0].phase == TASK_RUNS);
    assert_int_equal(suite_board_state(&follow, 0), BOARD_RUNS);
    play(1, 1, ADVICE - 1);
    AWAIT(facts->tries == 1 && !follow.is_reading);
    assert_true(facts->time.median_us > 0);
    file = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(file, "damaged", 7, 0), 7); /* nobody reads this again */
    close(file);
    play(1, ADVICE, WHOLE);
    AWAIT(facts->tries == 6 || facts->trouble);
    assert_null(facts->trouble);
    assert_true(facts->is_closed);
    assert_int_equal(facts->best_us.count, 6);
    end(1);
    AWAIT(suite_board_state(&follow, 0) == BOARD_ENDED && !follow.is_reading);
    assert_null(suite_follow_session(&follow, 0));
    free(path);
}

static void test_a_step_waits_until_it_is_decided(void **state)
{
    const struct ruling ruling = {.step = 4, .decision = DECISION_ACCEPTED};
    struct suite_overview overview;
    struct error err;

    (void)state;
    start(2);
    play(2, 1, ADVICE);
    AWAIT(suite_follow_asks(&follow, 1));
    assert_int_equal(follow.tasks[1].facts.step, 4);
    assert_int_equal(follow.tasks[1].facts.gain_source, GAIN_PROMISED);
    assert_true(follow.tasks[1].facts.gain > 1);
    assert_non_null(suite_follow_session(&follow, 1));
    assert_int_equal(suite_overview_open(&overview, loop, stop, NULL, &err), STATUS_OK);
    AWAIT(overview.count == 1 && suite_overview_asking(&overview.items[0]) == 1);
    assert_int_equal(handed_decision_give(ids[1], &ruling, &err), STATUS_OK);
    AWAIT(follow.tasks[1].is_handed && suite_overview_asking(&overview.items[0]) == 0);
    assert_false(suite_follow_asks(&follow, 1));
    assert_int_equal(suite_board_state(&follow, 1), BOARD_OPEN);
    suite_overview_close(&overview);
}

static void note_task(void *data, size_t task)
{
    *(size_t *)data = task;
    loop_stop(loop);
}

/* The engineer opens the session itself: event 19 is the decision. */
static void test_a_session_that_goes_on_elsewhere_asks_no_more(void **state)
{
    size_t decided = TASKS;
    struct suite_asking asking = {
        .loop = loop, .store = &store, .decided = note_task, .data = &decided};
    struct error err;

    (void)state;
    start(2);
    play(2, 1, ADVICE);
    assert_int_equal(suite_asking_add(&asking, 1, &err), STATUS_OK);
    play(2, ADVICE + 1, ADVICE + 1);
    AWAIT(decided == 1);
    assert_int_equal(asking.tasks.count, 0);
    suite_asking_release(&asking);
}

static void test_rows_are_of_a_problem_and_an_arm(void **state)
{
    const size_t there[] = {0, 1}, back[] = {1, 0};
    struct suite_board board = {0};
    struct board_total total, other;

    (void)state;
    for (unsigned task = 1; task <= TASKS; task++) {
        start(task);
        play(task, 1, task == TASKS ? ADVICE : WHOLE);
        if (task < TASKS)
            end(task);
    }
    AWAIT(follow.store.state.in_phase[TASK_HAS_ENDED] == 3 && follow.tasks[3].facts.step &&
          !follow.is_reading);
    suite_board_make(&board, &follow);
    assert_int_equal(board.count, 2);
    assert_int_equal(board.items[0].state, BOARD_ENDED);
    assert_int_equal(board.items[0].timed, 2);
    assert_int_equal(board.items[0].tries, 12);
    assert_int_equal(board.items[1].state, BOARD_ASKS);
    assert_int_equal(board.items[1].asking, 3);
    assert_int_equal(board.items[1].in_state[BOARD_ENDED], 1);
    total = suite_board_add_up(&board, there, 2, true);
    other = suite_board_add_up(&board, back, 2, true);
    assert_int_equal(total.timed, 2);
    assert_true(fabs(total.mean.value -
                     sqrt(board.items[0].mean_speedup * board.items[1].mean_speedup)) < 1e-9);
    assert_true(total.mean.low > 0 && total.mean.low == other.mean.low);
    suite_board_release(&board);
}

/* Each arm has to have ended a task; then what waits takes as long as that did. */
static void test_the_time_left_is_unknown_until_each_arm_has_ended_a_task(void **state)
{
    (void)state;
    start(1);
    play(1, 1, WHOLE);
    end(1);
    start(3);
    AWAIT(suite_board_state(&follow, 2) == BOARD_RUNS && !follow.is_reading);
    assert_false(suite_progress_read(&follow, 0).has_left);
    start(2);
    play(2, 1, WHOLE);
    end(2);
    AWAIT(suite_board_state(&follow, 1) == BOARD_ENDED && follow.tasks[1].facts.is_closed);
    assert_true(suite_progress_read(&follow, INT64_MAX / 2).has_left);
    /* The fourth task waits: it takes what agents and judge took for the second. */
    assert_true(fabs(suite_progress_read(&follow, INT64_MAX / 2).left_s -
                     follow.tasks[1].facts.minutes * 60) < 1);
    assert_int_equal(suite_progress_read(&follow, 0).in_state[BOARD_WAITS], 1);
}

/* Where all tasks of an arm fail, its next one will take as long. */
static void test_the_time_left_is_known_if_an_arm_only_fails(void **state)
{
    const struct task_failed failed = {2, ids[1], "no key"};

    (void)state;
    start(1);
    play(1, 1, WHOLE);
    end(1);
    start(2);
    record(EVENT_TASK_FAILED, &failed);
    start(3);
    AWAIT(suite_board_state(&follow, 1) == BOARD_FAILED && !follow.is_reading &&
          suite_board_state(&follow, 2) == BOARD_RUNS);
    assert_true(suite_progress_read(&follow, INT64_MAX / 2).has_left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_only_what_was_added_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_step_waits_until_it_is_decided, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_session_that_goes_on_elsewhere_asks_no_more, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_rows_are_of_a_problem_and_an_arm, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            test_the_time_left_is_unknown_until_each_arm_has_ended_a_task, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_time_left_is_known_if_an_arm_only_fails, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
