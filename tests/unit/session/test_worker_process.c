#include "tests/unit/unit.h"

#include <signal.h>
#include <string.h>

#include "core/session/worker/worker_process.h"
#include "core/system/log.h"

enum { SHORT_US = 50000, LONG_US = 60000000, LARGE_BYTES = 1 << 20 };

/* The messages and reports of a worker; the loop stops at the first one of the awaited kind. */
struct received {
    struct loop *loop;
    struct worker_process worker;
    unsigned messages;
    size_t last_bytes;
    bool was_silent, spoke_again;
    const char *lost;
};

static void on_message(void *data, const struct json *message)
{
    struct received *received = data;

    received->messages++;
    received->last_bytes = strlen(json_get_string(message, "text", ""));
    loop_stop(received->loop);
}

static void on_silence(void *data, bool is_silent)
{
    struct received *received = data;

    received->was_silent |= is_silent;
    received->spoke_again |= !is_silent;
    loop_stop(received->loop);
}

static void on_lost(void *data, const char *how)
{
    struct received *received = data;

    received->lost = how;
    loop_stop(received->loop);
}

static void start(struct received *received, const char *command, bool is_elsewhere,
                  int64_t patience_us)
{
    received->loop = loop_new();
    received->worker =
        (struct worker_process){.loop = received->loop,
                                .listener = {on_message, on_silence, on_lost, received},
                                .command = command,
                                .patience_us = patience_us,
                                .is_elsewhere = is_elsewhere};
    assert_int_equal(worker_process_start(&received->worker, NULL), STATUS_OK);
}

static void stop(struct received *received)
{
    worker_process_end(&received->worker, 0);
    worker_process_release(&received->worker);
    assert_false(worker_process_runs(&received->worker));
    loop_free(received->loop);
}

static void send_large(struct received *received)
{
    struct json *message = json_object_new();
    struct strbuf text = {0};

    for (size_t i = 0; i < LARGE_BYTES; i++)
        strbuf_adds(&text, "x");
    json_put_string(message, "text", strbuf_cstr(&text));
    worker_process_send(&received->worker, message);
    strbuf_release(&text);
    json_free(message);
}

static void ask(struct received *received)
{
    struct json *message = json_object_new();

    worker_process_send(&received->worker, message);
    json_free(message);
}

static void a_message_larger_than_a_pipe_arrives(void **state)
{
    struct received received = {0};

    (void)state;
    start(&received, "exec cat", false, LONG_US);
    send_large(&received);
    send_large(&received);
    while (received.messages < 2)
        loop_run(received.loop);
    assert_int_equal(received.last_bytes, LARGE_BYTES);
    stop(&received);
}

/* The stopped child does not read its input either, and sending must not block. */
static void a_stopped_child_is_reported_and_ended(void **state)
{
    struct received received = {0};

    (void)state;
    start(&received, "kill -STOP $$", false, SHORT_US);
    send_large(&received);
    loop_run(received.loop);
    assert_true(received.was_silent);
    assert_true(worker_process_runs(&received.worker));
    loop_run(received.loop);
    assert_string_equal(received.lost, "stopped responding");
    stop(&received);
}

/* A silent worker on another machine is reported, but not ended, because it may continue. */
static void a_remote_worker_that_continues_is_kept(void **state)
{
    struct received received = {0};

    (void)state;
    start(&received, "echo {}; kill -STOP $$; echo {}; exec sleep 60", true, SHORT_US);
    ask(&received);
    while (!received.was_silent)
        loop_run(received.loop);
    kill(-received.worker.process.pid, SIGCONT);
    while (received.messages < 2)
        loop_run(received.loop);
    assert_true(received.spoke_again);
    assert_null(received.lost);
    stop(&received);
}

static void stop_loop(void *data)
{
    loop_stop(data);
}

/* A worker without an open request may be silent. */
static void a_resting_worker_may_be_silent(void **state)
{
    struct received received = {0};
    struct loop_timer later = {0};

    (void)state;
    start(&received, "echo {}; exec sleep 60", false, SHORT_US);
    ask(&received);
    loop_run(received.loop);
    assert_int_equal(received.messages, 1);
    worker_process_rest(&received.worker);
    loop_set_timer(received.loop, &later, (int64_t)4 * SHORT_US, stop_loop, received.loop);
    loop_run(received.loop);
    assert_false(received.was_silent);
    ask(&received);
    loop_run(received.loop);
    assert_true(received.was_silent);
    stop(&received);
}

static void garbage_ends_it_and_greetings_do_not(void **state)
{
    struct received received = {0};

    (void)state;
    start(&received, "echo Welcome to node 7; echo '[]'; echo '{}'; echo what; exec cat", true,
          LONG_US);
    loop_run(received.loop);
    assert_int_equal(received.messages, 1);
    while (!received.lost)
        loop_run(received.loop);
    assert_string_equal(received.lost, "sent invalid messages");
    stop(&received);
    received.lost = NULL;
    start(&received, "exec yes", true, LONG_US);
    loop_run(received.loop);
    assert_string_equal(received.lost, "sent invalid messages");
    stop(&received);
}

static void the_end_of_a_worker_is_reported(void **state)
{
    struct received received = {0};

    (void)state;
    start(&received, "echo {}; exit 3", false, LONG_US);
    while (!received.lost)
        loop_run(received.loop);
    assert_string_equal(received.lost, "died");
    stop(&received);
    start(&received, "exit 3", false, LONG_US);
    loop_run(received.loop);
    assert_ptr_equal(received.lost, worker_process_not_begun);
    assert_int_equal(received.worker.exit_status, 3);
    stop(&received);
    start(&received, "/nonexistent/ssh gpu7 kforge-worker", false, LONG_US);
    loop_run(received.loop);
    assert_ptr_equal(received.lost, worker_process_not_found);
    stop(&received);
}

/* A worker's standard error may be long and its lines may end as in a terminal. */
static void the_last_line_of_its_errors_is_in_the_message(void **state)
{
    struct received received = {0};
    struct error err;

    (void)state;
    start(&received, "yes trouble | head -n 2000 >&2; printf 'no route\\r\\n\\r\\n' >&2; exit 255",
          true, LONG_US);
    loop_run(received.loop);
    assert_int_equal(worker_process_explain(&received.worker, received.lost, "ssh gpu7", &err),
                     STATUS_UNAVAILABLE);
    assert_string_equal(err.text, "the worker did not start (exit status 255): no route: in the "
                                  "command ssh gpu7");
    stop(&received);
}

/* The worker keeps its unsent and received lines; the former owner hears nothing of its end. */
static void a_worker_moves_to_another_owner_and_loop(void **state)
{
    struct received former = {0}, later = {0};

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
    assert_true(later.worker.watchdog.has_spoken);
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
