#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/session/store/handed_decision.h"
#include "core/suite/run/suite_queues.h"
#include "core/suite/run/suite_run.h"
#include "core/system/file.h"

/*
 * Runs suites whose sessions are this program itself: the runner starts /proc/self/exe with the
 * arguments "suite task ID NUMBER PID", and main() then does what the agent of the task's arm says.
 */

enum { MAX_BYTES = 1 << 20 };

static char folder[] = "/tmp/kforge-suite-XXXXXX";

/* The session's step waits until a decision was left for it. */
static int take_decision(const char *session)
{
    struct error err;

    if (catalog_make(session, &err))
        return 2;
    if (!handed_decision_exists(session))
        return SUITE_EXIT_ASKS;
    handed_decision_remove(session);
    return 0;
}

/* Play the session of a task: the arm's agent is an exit code, or one of four words. */
static int play(const char *id, const char *number)
{
    struct suite_store store;
    struct error err;
    const char *agent;
    int code;

    if (suite_store_open(&store, id, false, &err)) {
        fprintf(stderr, "kforge: %s\n", err.text);
        return 2;
    }
    agent = store.suite.arms.items[suite_task_at(&store.suite, strtoul(number, NULL, 10) - 1).arm]
                .agent;
    code = atoi(agent);
    if (strcmp(agent, "ask") == 0)
        code = take_decision(store.state.tasks[strtoul(number, NULL, 10) - 1].session);
    printf("plays %s\n", agent);
    if (strcmp(agent, "crash") == 0)
        raise(SIGKILL);
    if (strcmp(agent, "hang") == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        fflush(stdout);
        pause();
    }
    if (code == 5)
        fprintf(stderr, "kforge: an older line\nkforge: no such model: name another\nthe end\n");
    suite_store_close(&store);
    return code;
}

/* The names and numbers of tasks that were recorded: "opened started 1 ended 1 ". */
struct seen {
    struct loop *loop;
    struct suite_run *run;
    struct strbuf events;
    struct suite_store *store;
    bool interrupts;        /* at the first task that began */
    unsigned decides_after; /* give a decision to task 1 when this one began */
    unsigned jobs;
    int ended;
};

static void interrupt(void *data)
{
    suite_run_interrupt(((struct seen *)data)->run);
}

static void give_decision(const struct suite_store *store)
{
    const struct ruling ruling = {.step = 1, .decision = DECISION_ACCEPTED};
    struct error err;

    assert_int_equal(handed_decision_give(store->state.tasks[0].session, &ruling, &err), STATUS_OK);
}

static void see(void *data, const struct event *event)
{
    static struct loop_timer timer;
    struct seen *seen = data;
    double task = json_get_number(event->body, "task", 0);

    strbuf_addf(&seen->events, "%s", strchr(event_name(event->type), '.') + 1);
    if (task > 0)
        strbuf_addf(&seen->events, " %.0f", task);
    strbuf_adds(&seen->events, "; ");
    if (seen->interrupts && event->type == EVENT_TASK_STARTED)
        loop_set_timer(seen->loop, &timer, 0, interrupt, seen);
    if (seen->decides_after && seen->decides_after == task && event->type == EVENT_TASK_STARTED)
        give_decision(seen->store);
}

static void see_asking(void *data, size_t task)
{
    struct seen *seen = data;

    strbuf_addf(&seen->events, "asks %zu; ", task + 1);
}

static void see_end(void *data, const struct error *err)
{
    struct seen *seen = data;

    assert_null(err);
    seen->ended++;
    loop_stop(seen->loop);
}

static void run(struct suite_store *store, struct seen *seen)
{
    const struct suite_run_listener listener = {see, see_asking, see_end, seen, NULL};
    const struct suite_run_options options = {seen->jobs, NULL};

    seen->store = store;
    seen->loop = loop_new();
    seen->run = suite_run_new(seen->loop, store, &options, &listener);
    loop_run(seen->loop);
    suite_run_free(seen->run);
    loop_free(seen->loop);
    assert_int_equal(seen->ended, 1);
}

/* Make a suite of the problem p.json and of arms, which the JSON list describes. */
static void make(struct suite_store *store, const char *arms, unsigned repeats)
{
    struct suite suite = {0};
    struct strbuf text = {0};
    struct error err = {0};

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"n\", \"problems\": [\"%s/p.json\"], \"repeats\": %u, "
                "\"arms\": %s}",
                folder, repeats, arms);
    if (suite_parse(&suite, strbuf_cstr(&text), text.len, "s.json", &err) ||
        suite_store_make(store, &suite, &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

static void reopen(struct suite_store *store)
{
    char id[CATALOG_ID_SIZE];
    struct error err = {0};

    snprintf(id, sizeof(id), "%s", store->id);
    suite_store_close(store);
    if (suite_store_open(store, id, true, &err))
        fail_msg("%s", err.text);
}

static void assert_seen(struct seen *seen, const char *expected)
{
    assert_string_equal(strbuf_cstr(&seen->events), expected);
    strbuf_release(&seen->events);
}

/* The exit codes of `kforge run` become results; a failure has its reason, and the rest goes on. */
static void test_results_and_failures(void **state)
{
    struct suite_store store;
    struct seen seen = {.jobs = 1}, again = {.jobs = 1};
    char *log;
    struct strbuf output = {0};

    (void)state;
    make(&store,
         "[{\"name\": \"a\", \"agent\": \"5\"}, {\"name\": \"b\", \"agent\": \"crash\"}, "
         "{\"name\": \"c\", \"agent\": \"3\"}, {\"name\": \"d\", \"agent\": \"0\"}]",
         1);
    run(&store, &seen);
    assert_seen(&seen, "opened; started 1; failed 1; started 2; failed 2; started 3; ended 3; "
                       "started 4; ended 4; ");
    assert_string_equal(store.state.tasks[0].reason, "no such model: name another");
    assert_string_equal(store.state.tasks[1].reason, "kforge was ended by signal 9");
    assert_int_equal(store.state.tasks[2].result, TASK_INCORRECT);
    assert_int_equal(store.state.tasks[3].result, TASK_IMPROVED);
    log = suite_store_log(&store, 2);
    assert_int_equal(file_read(log, MAX_BYTES, &output, NULL), STATUS_OK);
    assert_string_equal(strbuf_cstr(&output), "plays 3\n");
    free(log);
    strbuf_release(&output);

    /* Only what failed is tried again. */
    reopen(&store);
    run(&store, &again);
    assert_seen(&again, "started 1; failed 1; started 2; failed 2; ");
    suite_store_close(&store);
}

/* Arms with the same device share it; others run beside them. */
static void test_each_device_has_as_many_tasks_as_jobs(void **state)
{
    struct suite_store store;
    struct seen seen = {.interrupts = true, .jobs = 1};

    (void)state;
    make(&store,
         "[{\"name\": \"a\", \"agent\": \"hang\", \"device\": \"x\"}, "
         "{\"name\": \"b\", \"agent\": \"hang\", \"device\": \"x\"}, "
         "{\"name\": \"c\", \"agent\": \"hang\", \"device\": \"y\"}]",
         2);
    run(&store, &seen);
    assert_seen(&seen, "opened; started 1; started 3; stopped; ");
    suite_store_close(&store);
}

/* Without a number of jobs: one built-in agent on a device, and others beside it. */
static void test_models_think_while_others_are_judged(void **state)
{
    struct suite_store store;
    struct suite_state waiting = {0};
    struct suite_queues queues;
    struct suite_seat seat;

    (void)state;
    make(&store, "[{\"name\": \"a\"}, {\"name\": \"b\", \"agent\": \"command:x\"}]", 3);
    waiting.count = suite_task_count(&store.suite);
    waiting.tasks = mem_alloc_zeroed(waiting.count, sizeof(*waiting.tasks));
    suite_queues_open(&queues, &store.suite, &(struct suite_run_options){0});
    queues.most_thinkers = 2;
    for (size_t expected = 0; expected < 4; expected += expected == 1 ? 2 : 1) {
        assert_true(suite_queues_take(&queues, &waiting, &seat));
        assert_int_equal(seat.task, expected);
        waiting.tasks[seat.task].phase = TASK_RUNS;
    }
    assert_false(suite_queues_take(&queues, &waiting, &seat));
    suite_queues_give(&queues, (struct suite_seat){0});
    assert_true(suite_queues_take(&queues, &waiting, &seat));
    assert_int_equal(seat.task, 2);
    suite_queues_close(&queues);
    free(waiting.tasks);
    suite_store_close(&store);
}

/* Tasks of unknown time come first; then the task whose problem and arm took the shortest time. */
static void test_the_shortest_expected_task_is_next(void **state)
{
    static const size_t expected[] = {2, 3, 1, 0};
    struct suite_store store;
    struct suite_state waiting = {0};
    struct suite_queues queues;
    struct suite_seat seat;

    (void)state;
    make(&store, "[{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"c\"}, {\"name\": \"d\"}]", 1);
    store.suite.order = SUITE_SHORTEST;
    waiting.count = suite_task_count(&store.suite);
    waiting.tasks = mem_alloc_zeroed(waiting.count, sizeof(*waiting.tasks));
    suite_queues_open(&queues, &store.suite, &(struct suite_run_options){.jobs = 4});
    suite_queues_learn(&queues, 0, 9);
    suite_queues_learn(&queues, 1, 5);
    suite_queues_learn(&queues, 2, 1);
    suite_queues_learn(&queues, 2, 2);
    suite_queues_learn(&queues, 3, 3);
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_true(suite_queues_take(&queues, &waiting, &seat));
        assert_int_equal(seat.task, expected[i]);
        waiting.tasks[seat.task].phase = TASK_RUNS;
    }
    suite_queues_close(&queues);
    free(waiting.tasks);
    suite_store_close(&store);
}

/* Go on after an interruption: with the session that the task began with. */
static void test_an_interrupted_task_keeps_its_session(void **state)
{
    struct suite_store store;
    struct seen seen = {.interrupts = true, .jobs = 1}, again = seen;
    char session[CATALOG_ID_SIZE];

    (void)state;
    make(&store, "[{\"name\": \"a\", \"agent\": \"hang\"}]", 2);
    run(&store, &seen);
    assert_seen(&seen, "opened; started 1; stopped; ");
    assert_int_equal(store.state.in_phase[TASK_RUNS], 1);
    snprintf(session, sizeof(session), "%s", store.state.tasks[0].session);
    reopen(&store);
    run(&store, &again);
    assert_seen(&again, "started 1; stopped; ");
    assert_string_equal(store.state.tasks[0].session, session);
    suite_store_close(&store);
}

/* A task whose step waits gives its device back, and goes on in its turn after the decision. */
static void test_a_task_that_asks_lets_others_begin(void **state)
{
    struct suite_store store;
    struct seen seen = {.decides_after = 2, .jobs = 1}, again = {.jobs = 1}, decided = {.jobs = 1};

    (void)state;
    make(&store, "[{\"name\": \"a\", \"agent\": \"ask\"}, {\"name\": \"b\", \"agent\": \"1\"}]", 1);
    run(&store, &seen);
    assert_seen(&seen, "opened; started 1; asks 1; started 2; ended 2; started 1; ended 1; ");
    suite_store_close(&store);

    make(&store, "[{\"name\": \"a\", \"agent\": \"ask\"}]", 1);
    run(&store, &again);
    assert_seen(&again, "opened; started 1; asks 1; ");
    assert_int_equal(store.state.in_phase[TASK_RUNS], 1);
    give_decision(&store);
    reopen(&store);
    run(&store, &decided);
    assert_seen(&decided, "started 1; ended 1; ");
    suite_store_close(&store);
}

/* A second kforge that would run the same suite is refused. */
static void test_a_suite_has_one_writer(void **state)
{
    struct suite_store store, other;
    struct error err = {0};

    (void)state;
    make(&store, "[{\"name\": \"a\"}]", 1);
    assert_int_equal(suite_store_open(&other, store.id, true, &err), STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "is open in another kforge"));
    suite_store_close(&store);
}

static enum status apply(struct suite_state *state, const char *line)
{
    struct event event = {0};
    struct error err = {0};
    enum status st = event_parse(&event, line, "line", &err);

    if (!st)
        st = suite_state_apply(state, &event, &err);
    event_release(&event);
    return st;
}

/* A journal that somebody changed is refused; no event corrupts the state. */
static void test_events_that_cannot_follow(void **state)
{
#define LINE(type, rest) "{\"seq\": 1, \"at\": \"\", \"type\": \"" type "\"" rest "}"
    static const char *const wrong[] = {
        LINE("suite.opened", ", \"suite\": \"x\", \"name\": \"n\", \"tasks\": 2"),
        LINE("task.started", ", \"task\": 3, \"session\": \"1-a\""),
        LINE("task.started", ", \"task\": 0, \"session\": \"1-a\""),
        LINE("task.started", ", \"task\": 1, \"session\": \"../x\""),
        LINE("task.started", ", \"task\": 1, \"session\": \"\""),
        LINE("task.started", ", \"task\": 1"),
        LINE("task.ended", ", \"task\": 2, \"session\": \"1-b\", \"result\": \"improved\""),
        LINE("task.ended", ", \"task\": 2, \"session\": \"1-a\", \"result\": \"perfect\""),
        LINE("note", ", \"text\": \"x\""),
    };
    struct suite_state suite = {0};

    (void)state;
    assert_int_equal(apply(&suite, wrong[1]), STATUS_INVALID);
    assert_int_equal(apply(&suite, wrong[0]), STATUS_OK);
    assert_int_equal(apply(&suite, LINE("task.started", ", \"task\": 2, \"session\": \"1-a\"")),
                     STATUS_OK);
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(apply(&suite, wrong[i]), STATUS_INVALID);
    assert_int_equal(suite.in_phase[TASK_WAITS], 1);
    assert_int_equal(suite.in_phase[TASK_RUNS], 1);
    suite_state_release(&suite);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    setenv("XDG_DATA_HOME", folder, 1);
    return file_write_text(folder, "p.json", "{}", NULL);
}

static int tear_down(void **state)
{
    (void)state;
    file_remove_folder(folder);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_and_failures),
        cmocka_unit_test(test_each_device_has_as_many_tasks_as_jobs),
        cmocka_unit_test(test_models_think_while_others_are_judged),
        cmocka_unit_test(test_the_shortest_expected_task_is_next),
        cmocka_unit_test(test_an_interrupted_task_keeps_its_session),
        cmocka_unit_test(test_a_task_that_asks_lets_others_begin),
        cmocka_unit_test(test_a_suite_has_one_writer),
        cmocka_unit_test(test_events_that_cannot_follow),
    };

    if (argc == 6 && strcmp(argv[1], "suite") == 0)
        return play(argv[3], argv[4]);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
