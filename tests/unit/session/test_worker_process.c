#include "tests/unit/unit.h"

#include <signal.h>
#include <string.h>

#include "core/session/worker/worker_process.h"
#include "core/system/log.h"

enum { SHORT_US = 50000, LONG_US = 60000000, LARGE_BYTES = 1 << 20 };

/* The messages and reports of a worker; the loop stops at the first one of the awaited kind. */
struct hearing {
    struct loop *loop;
    struct worker_process worker;
    unsigned messages;
    size_t last_bytes;
    bool was_silent, spoke_again;
    const char *lost;
};

static void hear_message(void *data, const struct json *message)
{
    struct hearing *hearing = data;

    hearing->messages++;
    hearing->last_bytes = strlen(json_get_string(message, "text", ""));
    loop_stop(hearing->loop);
}

static void hear_silence(void *data, bool is_silent)
{
    struct hearing *hearing = data;

    hearing->was_silent |= is_silent;
    hearing->spoke_again |= !is_silent;
    loop_stop(hearing->loop);
}

static void hear_lost(void *data, const char *how)
{
    struct hearing *hearing = data;

    hearing->lost = how;
    loop_stop(hearing->loop);
}

static void start(struct hearing *hearing, const char *command, bool is_elsewhere,
                  int64_t patience_us)
{
    hearing->loop = loop_new();
    hearing->worker =
        (struct worker_process){.loop = hearing->loop,
                                .listener = {hear_message, hear_silence, hear_lost, hearing},
                                .command = command,
                                .patience_us = patience_us,
                                .is_elsewhere = is_elsewhere};
    assert_int_equal(worker_process_start(&hearing->worker, NULL), STATUS_OK);
}

static void stop(struct hearing *hearing)
{
    worker_process_end(&hearing->worker, 0);
    worker_process_release(&hearing->worker);
    assert_false(worker_process_runs(&hearing->worker));
    loop_free(hearing->loop);
}

static void send_large(struct hearing *hearing)
{
    struct json *message = json_object_new();
    struct strbuf text = {0};

    for (size_t i = 0; i < LARGE_BYTES; i++)
        strbuf_adds(&text, "x");
    json_put_string(message, "text", strbuf_cstr(&text));
    worker_process_send(&hearing->worker, message);
    strbuf_release(&text);
    json_free(message);
}

static void ask(struct hearing *hearing)
{
    struct json *message = json_object_new();

    worker_process_send(&hearing->worker, message);
    json_free(message);
}

static void a_message_larger_than_a_pipe_arrives(void **state)
{
    struct hearing hearing = {0};

    (void)state;
    start(&hearing, "exec cat", false, LONG_US);
    send_large(&hearing);
    send_large(&hearing);
    while (hearing.messages < 2)
        loop_run(hearing.loop);
    assert_int_equal(hearing.last_bytes, LARGE_BYTES);
    stop(&hearing);
}

/* The stopped child does not read its input either, and sending must not block. */
static void a_stopped_child_is_reported_and_ended(void **state)
{
    struct hearing hearing = {0};

    (void)state;
    start(&hearing, "kill -STOP $$", false, SHORT_US);
    send_large(&hearing);
    loop_run(hearing.loop);
    assert_true(hearing.was_silent);
    assert_true(worker_process_runs(&hearing.worker));
    loop_run(hearing.loop);
    assert_string_equal(hearing.lost, "stopped responding");
    stop(&hearing);
}

/* A silent worker on another machine is reported, but not ended, because it may continue. */
static void a_remote_worker_that_continues_is_kept(void **state)
{
    struct hearing hearing = {0};

    (void)state;
    start(&hearing, "echo {}; kill -STOP $$; echo {}; exec sleep 60", true, SHORT_US);
    ask(&hearing);
    while (!hearing.was_silent)
        loop_run(hearing.loop);
    kill(-hearing.worker.process.pid, SIGCONT);
    while (hearing.messages < 2)
        loop_run(hearing.loop);
    assert_true(hearing.spoke_again);
    assert_null(hearing.lost);
    stop(&hearing);
}

static void stop_loop(void *data)
{
    loop_stop(data);
}

/* A worker without an open request may be silent. */
static void a_resting_worker_may_be_silent(void **state)
{
    struct hearing hearing = {0};
    struct loop_timer later = {0};

    (void)state;
    start(&hearing, "echo {}; exec sleep 60", false, SHORT_US);
    ask(&hearing);
    loop_run(hearing.loop);
    assert_int_equal(hearing.messages, 1);
    worker_process_rest(&hearing.worker);
    loop_set_timer(hearing.loop, &later, (int64_t)4 * SHORT_US, stop_loop, hearing.loop);
    loop_run(hearing.loop);
    assert_false(hearing.was_silent);
    ask(&hearing);
    loop_run(hearing.loop);
    assert_true(hearing.was_silent);
    stop(&hearing);
}

static void garbage_ends_it_and_greetings_do_not(void **state)
{
    struct hearing hearing = {0};

    (void)state;
    start(&hearing, "echo Welcome to node 7; echo '[]'; echo '{}'; echo what; exec cat", true,
          LONG_US);
    loop_run(hearing.loop);
    assert_int_equal(hearing.messages, 1);
    while (!hearing.lost)
        loop_run(hearing.loop);
    assert_string_equal(hearing.lost, "sent invalid messages");
    stop(&hearing);
    hearing.lost = NULL;
    start(&hearing, "exec yes", true, LONG_US);
    loop_run(hearing.loop);
    assert_string_equal(hearing.lost, "sent invalid messages");
    stop(&hearing);
}

static void the_end_of_a_worker_is_reported(void **state)
{
    struct hearing hearing = {0};

    (void)state;
    start(&hearing, "echo {}; exit 3", false, LONG_US);
    while (!hearing.lost)
        loop_run(hearing.loop);
    assert_string_equal(hearing.lost, "died");
    stop(&hearing);
    start(&hearing, "exit 3", false, LONG_US);
    loop_run(hearing.loop);
    assert_ptr_equal(hearing.lost, worker_process_not_begun);
    assert_int_equal(hearing.worker.exit_status, 3);
    stop(&hearing);
    start(&hearing, "/nonexistent/ssh gpu7 kforge-worker", false, LONG_US);
    loop_run(hearing.loop);
    assert_ptr_equal(hearing.lost, worker_process_not_found);
    stop(&hearing);
}

/* A worker's standard error may be long and its lines may end as in a terminal. */
static void the_last_line_of_its_errors_is_in_the_message(void **state)
{
    struct hearing hearing = {0};
    struct error err;

    (void)state;
    start(&hearing, "yes trouble | head -n 2000 >&2; printf 'no route\\r\\n\\r\\n' >&2; exit 255",
          true, LONG_US);
    loop_run(hearing.loop);
    assert_int_equal(worker_process_explain(&hearing.worker, hearing.lost, "ssh gpu7", &err),
                     STATUS_UNAVAILABLE);
    assert_string_equal(err.text, "the worker did not start (exit status 255): no route: in the "
                                  "command ssh gpu7");
    stop(&hearing);
}

/* The worker keeps its unsent and received lines; the former owner hears nothing of its end. */
static void a_worker_moves_to_another_owner_and_loop(void **state)
{
    struct hearing former = {0}, later = {0};

    (void)state;
    start(&former, "echo greeting; echo {}; exec cat", true, LONG_US);
    loop_run(former.loop);
    send_large(&former);
    later.loop = loop_new();
    later.worker = (struct worker_process){
        .loop = later.loop, .listener = former.worker.listener, .patience_us = LONG_US};
    later.worker.listener.data = &later;
    worker_process_move(&later.worker, &former.worker);
    assert_false(worker_process_runs(&former.worker));
    stop(&former);
    loop_run(later.loop);
    assert_int_equal(later.last_bytes, LARGE_BYTES);
    assert_true(later.worker.watchdog.was_heard);
    kill(-later.worker.process.pid, SIGKILL);
    loop_run(later.loop);
    assert_string_equal(later.lost, "died");
    assert_int_equal(former.messages, 1);
    assert_null(former.lost);
    stop(&later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_larger_than_a_pipe_arrives),
        cmocka_unit_test(a_stopped_child_is_reported_and_ended),
        cmocka_unit_test(a_remote_worker_that_continues_is_kept),
        cmocka_unit_test(a_resting_worker_may_be_silent),
        cmocka_unit_test(garbage_ends_it_and_greetings_do_not),
        cmocka_unit_test(the_end_of_a_worker_is_reported),
        cmocka_unit_test(a_worker_moves_to_another_owner_and_loop),
        cmocka_unit_test(the_last_line_of_its_errors_is_in_the_message),
    };

    signal(SIGPIPE, SIG_IGN);
    log_open("/dev/null"); /* otherwise the workers' errors go to this test's */
    return cmocka_run_group_tests_name("worker_process", tests, NULL, NULL);
}
