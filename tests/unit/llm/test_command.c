#include "tests/unit/talk.h"

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
    talk_ask(*state, "command:cat");
    assert_replied(*state, prompt);
    assert_false(((struct talk *)*state)->usage.has_tokens);
    assert_true(((struct talk *)*state)->usage.first_text_us > 0);
}

static void a_command_need_not_read_its_prompt(void **state)
{
    talk_ask(*state, "command:exec <&-; printf ok");
    assert_replied(*state, "ok");
}

static void a_code_point_in_two_pieces_is_put_together(void **state)
{
    talk_ask(*state, "command:printf 'b\\342\\202'; printf '\\254'");
    assert_replied(*state, "b\xE2\x82\xAC");
}

static void a_reply_beyond_a_pipe_arrives_whole(void **state)
{
    struct talk *talk = *state;

    talk_ask(talk, "command:head -c 3000000 /dev/zero | tr '\\0' x");
    assert_true(talk->is_done);
    assert_int_equal(talk->text.len, 3000000);
}

static void assert_fails(struct talk *talk, const char *agent, const char *why)
{
    talk_ask(talk, agent);
    assert_false(talk->is_done);
    assert_string_equal(talk->failure.text, why);
}

static void failure_is_told_with_the_last_words(void **state)
{
    assert_fails(
        *state, "command:echo first >&2; printf 'no quota\\033[2J\\n\\n' >&2; exit 3",
        "command:echo first >&2; printf 'no quota\\033[2J\\n\\n' >&2; exit 3 exited with 3: "
        "no quota<U+001B>[2J");
    talk_restart(state);
    assert_fails(*state, "command:kill -9 $$", "command:kill -9 $$ was ended by signal 9");
    talk_restart(state);
    assert_fails(*state, "command:true", "the reply is empty");
    talk_restart(state);
    assert_fails(*state, "command:yes", "command:yes: the reply is longer than 16 MiB");
}

static void many_words_on_standard_error_do_no_harm(void **state)
{
    struct talk *talk = *state;

    talk_ask(talk,
             "command:{ head -c 3000000 /dev/zero | tr '\\0' x; echo; echo why; } >&2; false");
    assert_non_null(strstr(talk->failure.text, "exited with 1: why"));
}

static void what_it_leaves_in_the_background_ends_with_it(void **state)
{
    struct talk *talk = *state;
    pid_t background;

    talk_ask(talk, "command:sleep 1000 & echo $!");
    assert_true(talk->is_done);
    background = (pid_t)strtol(strbuf_cstr(&talk->text), NULL, 10);
    while (kill(background, 0) == 0 || errno != ESRCH)
        ; /* already killed, but init has not reaped it yet */
}

static void cancel(struct talk *talk)
{
    provider_cancel(talk->provider);
    loop_stop(talk->loop);
}

static void cancelling_kills_the_whole_group(void **state)
{
    struct talk *talk = *state;
    struct error err = {0};
    pid_t child;

    talk->on_text = cancel;
    assert_int_equal(
        providers_open(talk->loop, "command:sleep 1000 & echo $!; wait", &talk->provider, &err),
        STATUS_OK);
    talk_send(talk);
    loop_run(talk->loop);
    child = (pid_t)strtol(strbuf_cstr(&talk->text), NULL, 10);
    while (kill(child, 0) == 0 || errno != ESRCH)
        ;
    assert_int_equal(talk->end_count, 0);
    strbuf_release(&talk->text);
    talk_send(talk);
    loop_stop(talk->loop);
    provider_cancel(talk->provider);
}

static void cancel_and_ask_again(struct talk *talk)
{
    provider_cancel(talk->provider);
    strbuf_release(&talk->text);
    talk_send(talk);
}

static void a_new_exchange_may_begin_where_one_was_cancelled(void **state)
{
    ((struct talk *)*state)->on_text = cancel_and_ask_again;
    talk_ask(*state, "command:cat; echo bye >&2");
    assert_replied(*state, prompt);
}

static void close_provider(struct talk *talk)
{
    provider_close(talk->provider);
    talk->provider = NULL;
    loop_stop(talk->loop);
}

static void a_listener_may_close_it(void **state)
{
    ((struct talk *)*state)->on_end = close_provider;
    talk_ask(*state, "command:cat");
    assert_replied(*state, prompt);
    talk_restart(state);
    ((struct talk *)*state)->on_text = close_provider;
    assert_int_equal(providers_open(((struct talk *)*state)->loop, "command:cat",
                                    &((struct talk *)*state)->provider, NULL),
                     STATUS_OK);
    talk_send(*state);
    loop_run(((struct talk *)*state)->loop);
    assert_int_equal(((struct talk *)*state)->end_count, 0);
}

static void nothing_is_no_command(void **state)
{
    struct talk *talk = *state;
    struct error err = {0};

    assert_int_equal(providers_open(talk->loop, "command:", &talk->provider, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "needs a command"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_prompt_goes_in_and_the_reply_comes_out, talk_set_up,
                                        talk_tear_down),
        cmocka_unit_test_setup_teardown(a_command_need_not_read_its_prompt, talk_set_up,
                                        talk_tear_down),
        cmocka_unit_test_setup_teardown(a_code_point_in_two_pieces_is_put_together, talk_set_up,
                                        talk_tear_down),
        cmocka_unit_test_setup_teardown(a_reply_beyond_a_pipe_arrives_whole, talk_set_up,
                                        talk_tear_down),
        cmocka_unit_test_setup_teardown(failure_is_told_with_the_last_words, talk_set_up,
                                        talk_tear_down),
        cmocka_unit_test_setup_teardown(many_words_on_standard_error_do_no_harm, talk_set_up,
                                        talk_tear_down),
        cmocka_unit_test_setup_teardown(what_it_leaves_in_the_background_ends_with_it, talk_set_up,
                                        talk_tear_down),
        cmocka_unit_test_setup_teardown(cancelling_kills_the_whole_group, talk_set_up,
                                        talk_tear_down),
        cmocka_unit_test_setup_teardown(a_new_exchange_may_begin_where_one_was_cancelled,
                                        talk_set_up, talk_tear_down),
        cmocka_unit_test_setup_teardown(a_listener_may_close_it, talk_set_up, talk_tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_no_command, talk_set_up, talk_tear_down),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
