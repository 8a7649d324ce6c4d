#include "tests/unit/provider_fixture.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/llm/providers.h"
#include "core/system/loop.h"

static const char prompt[] =
    "You write kernels.\n\nAdd \"two\" vectors of \xC3\xA9l\xC3\xA9ments.\n";

static void the_prompt_goes_in_and_the_reply_comes_out(void **state)
{
    provider_fixture_ask(*state, "command:cat");
    assert_replied(*state, prompt);
    assert_false(((struct provider_fixture *)*state)->usage.has_tokens);
    assert_true(((struct provider_fixture *)*state)->usage.first_text_us > 0);
}

static void a_command_need_not_read_its_prompt(void **state)
{
    provider_fixture_ask(*state, "command:exec <&-; printf ok");
    assert_replied(*state, "ok");
}

static void a_code_point_in_two_pieces_is_put_together(void **state)
{
    provider_fixture_ask(*state, "command:printf 'b\\342\\202'; printf '\\254'");
    assert_replied(*state, "b\xE2\x82\xAC");
}

static void a_reply_beyond_a_pipe_arrives_whole(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_ask(fixture, "command:head -c 3000000 /dev/zero | tr '\\0' x");
    assert_true(fixture->is_done);
    assert_int_equal(fixture->text.len, 3000000);
}

static void assert_fails(struct provider_fixture *fixture, const char *agent, const char *why)
{
    provider_fixture_ask(fixture, agent);
    assert_false(fixture->is_done);
    assert_string_equal(fixture->failure.text, why);
}

static void a_failure_quotes_the_last_line(void **state)
{
    assert_fails(
        *state, "command:echo first >&2; printf 'no quota\\033[2J\\n\\n' >&2; exit 3",
        "command:echo first >&2; printf 'no quota\\033[2J\\n\\n' >&2; exit 3 exited with 3: "
        "no quota<U+001B>[2J");
    provider_fixture_restart(state);
    assert_fails(*state, "command:exit 127",
                 "command:exit 127 exited with 127; check that the program is installed");
    provider_fixture_restart(state);
    assert_fails(*state, "command:kill -9 $$", "command:kill -9 $$ was ended by signal 9");
    provider_fixture_restart(state);
    assert_fails(*state, "command:true", "the reply is empty: try again, or choose another agent");
    provider_fixture_restart(state);
    assert_fails(*state, "command:yes", "command:yes: the reply is longer than 16 MiB");
}

static void many_words_on_standard_error_do_no_harm(void **state)
{
    struct provider_fixture *fixture = *state;

    provider_fixture_ask(
        fixture, "command:{ head -c 3000000 /dev/zero | tr '\\0' x; echo; echo why; } >&2; false");
    assert_non_null(strstr(fixture->failure.text, "exited with 1: why"));
}

static void what_it_leaves_in_the_background_ends_with_it(void **state)
{
    struct provider_fixture *fixture = *state;
    pid_t background;

    provider_fixture_ask(fixture, "command:sleep 1000 & echo $!");
    assert_true(fixture->is_done);
    background = (pid_t)strtol(strbuf_cstr(&fixture->text), NULL, 10);
    while (kill(background, 0) == 0 || errno != ESRCH)
        ; /* already killed, but init has not reaped it yet */
}

static void cancel(struct provider_fixture *fixture)
{
    fixture->provider->ops->cancel(fixture->provider);
    loop_stop(fixture->loop);
}

static void cancelling_kills_the_whole_group(void **state)
{
    struct provider_fixture *fixture = *state;
    struct error err = {0};
    pid_t child;

    fixture->on_text = cancel;
    assert_int_equal(providers_open(fixture->loop, "command:sleep 1000 & echo $!; wait",
                                    &fixture->provider, &err),
                     STATUS_OK);
    provider_fixture_send(fixture);
    loop_run(fixture->loop);
    child = (pid_t)strtol(strbuf_cstr(&fixture->text), NULL, 10);
    while (kill(child, 0) == 0 || errno != ESRCH)
        ;
    assert_int_equal(fixture->end_count, 0);
    strbuf_release(&fixture->text);
    provider_fixture_send(fixture);
    loop_stop(fixture->loop);
    fixture->provider->ops->cancel(fixture->provider);
}

static void a_new_exchange_may_begin_where_one_was_cancelled(void **state)
{
    ((struct provider_fixture *)*state)->on_text = provider_fixture_cancel_and_ask_again;
    provider_fixture_ask(*state, "command:cat; echo bye >&2");
    assert_replied(*state, prompt);
}

static void a_listener_may_close_it(void **state)
{
    ((struct provider_fixture *)*state)->on_end = provider_fixture_close;
    provider_fixture_ask(*state, "command:cat");
    assert_replied(*state, prompt);
    provider_fixture_restart(state);
    ((struct provider_fixture *)*state)->on_text = provider_fixture_close;
    assert_int_equal(providers_open(((struct provider_fixture *)*state)->loop, "command:cat",
                                    &((struct provider_fixture *)*state)->provider, NULL),
                     STATUS_OK);
    provider_fixture_send(*state);
    loop_run(((struct provider_fixture *)*state)->loop);
    assert_int_equal(((struct provider_fixture *)*state)->end_count, 0);
}

static void nothing_is_no_command(void **state)
{
    struct provider_fixture *fixture = *state;
    struct error err = {0};

    assert_int_equal(providers_open(fixture->loop, "command:", &fixture->provider, &err),
                     STATUS_INVALID);
    assert_non_null(strstr(err.text, "needs a command"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_prompt_goes_in_and_the_reply_comes_out,
                                        provider_fixture_set_up, provider_fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_command_need_not_read_its_prompt, provider_fixture_set_up,
                                        provider_fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_code_point_in_two_pieces_is_put_together,
                                        provider_fixture_set_up, provider_fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_reply_beyond_a_pipe_arrives_whole,
                                        provider_fixture_set_up, provider_fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_failure_quotes_the_last_line, provider_fixture_set_up,
                                        provider_fixture_tear_down),
        cmocka_unit_test_setup_teardown(many_words_on_standard_error_do_no_harm,
                                        provider_fixture_set_up, provider_fixture_tear_down),
        cmocka_unit_test_setup_teardown(what_it_leaves_in_the_background_ends_with_it,
                                        provider_fixture_set_up, provider_fixture_tear_down),
        cmocka_unit_test_setup_teardown(cancelling_kills_the_whole_group, provider_fixture_set_up,
                                        provider_fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_new_exchange_may_begin_where_one_was_cancelled,
                                        provider_fixture_set_up, provider_fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_listener_may_close_it, provider_fixture_set_up,
                                        provider_fixture_tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_no_command, provider_fixture_set_up,
                                        provider_fixture_tear_down),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
