#include "tests/unit/talk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/json.h"
#include "core/base/utf8.h"
#include "core/llm/providers.h"
#include "core/system/file.h"
#include "core/system/lines.h"
#include "core/system/log.h"
#include "core/system/loop.h"

static void assert_whole_code_points(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        uint32_t code;

        at += utf8_decode(text + at, len - at, &code);
        assert_int_not_equal(code, UTF8_REPLACEMENT);
    }
}

/* Call the registered action, once. */
static void act(struct talk *talk, void (**action)(struct talk *talk))
{
    void (*call)(struct talk * talk) = *action;

    *action = NULL;
    if (call)
        call(talk);
}

static void hear_text(void *data, const char *text, size_t len)
{
    struct talk *talk = data;

    assert_whole_code_points(text, len);
    strbuf_add(&talk->text, text, len);
    act(talk, &talk->on_text);
}

static void hear_notice(void *data, const char *line)
{
    struct talk *talk = data;

    strbuf_addf(&talk->notices, "%s\n", line);
    talk->notice_count++;
}

static void hear_done(void *data, const struct usage *usage)
{
    struct talk *talk = data;

    talk->end_count++;
    talk->is_done = true;
    talk->usage = *usage;
    loop_stop(talk->loop);
    act(talk, &talk->on_end);
}

static void hear_failed(void *data, const struct error *err)
{
    struct talk *talk = data;

    talk->end_count++;
    talk->failure = *err;
    loop_stop(talk->loop);
    act(talk, &talk->on_end);
}

static char *path_in(const struct talk *talk, const char *name)
{
    return file_join(talk->folder, name);
}

void talk_write_file(const struct talk *talk, const char *name, const char *text)
{
    char *path = path_in(talk, name);

    assert_int_equal(file_write(path, text, strlen(text), NULL), STATUS_OK);
    free(path);
}

static char *read_in(const struct talk *talk, const char *name)
{
    char *path = path_in(talk, name);
    struct strbuf text = {0};

    assert_int_equal(file_read(path, 1 << 20, &text, NULL), STATUS_OK);
    free(path);
    return strbuf_take(&text);
}

void talk_set_environment(void)
{
    static const struct {
        const char *name, *value;
    } variables[] = {
        {"OPENAI_API_KEY", TALK_KEY},     {"OPENAI_BASE_URL", NULL},
        {"ANTHROPIC_API_KEY", TALK_KEY},  {"ANTHROPIC_BASE_URL", NULL},
        {"KFORGE_API_KEY_ENV", NULL},     {"KFORGE_HTTP_FIRST_BYTE_MS", NULL},
        {"KFORGE_HTTP_SILENCE_MS", NULL}, {"KFORGE_HTTP_RETRY_MS", "1"},
        {"NO_PROXY", "127.0.0.1"},
    };

    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        if (variables[i].value)
            setenv(variables[i].name, variables[i].value, 1);
        else
            unsetenv(variables[i].name);
    }
}

int talk_set_up(void **state)
{
    struct talk *talk = calloc(1, sizeof(*talk));
    char *log;

    snprintf(talk->folder, sizeof(talk->folder), "/tmp/kforge-provider-XXXXXX");
    assert_non_null(mkdtemp(talk->folder));
    talk_set_environment();
    log = path_in(talk, "log");
    log_open(log);
    free(log);
    talk->loop = loop_new();
    *state = talk;
    return 0;
}

/* Messages and the log must never show the API key. */
static void assert_key_unseen(const struct talk *talk)
{
    char *log = read_in(talk, "log");

    assert_null(strstr(strbuf_cstr(&talk->notices), TALK_KEY));
    assert_null(strstr(talk->failure.text, TALK_KEY));
    assert_null(strstr(log, TALK_KEY));
    free(log);
}

int talk_tear_down(void **state)
{
    static const char *const names[] = {"log", "script", "requests", "reply"};
    struct talk *talk = *state;

    provider_close(talk->provider);
    process_end(&talk->server);
    assert_key_unseen(talk);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char *path = path_in(talk, names[i]);

        unlink(path);
        free(path);
    }
    rmdir(talk->folder);
    strbuf_release(&talk->text);
    strbuf_release(&talk->notices);
    loop_free(talk->loop);
    free(talk);
    return 0;
}

void talk_restart(void **state)
{
    talk_tear_down(state);
    talk_set_up(state);
}

void talk_set_port(struct talk *talk, int port)
{
    char url[64];

    snprintf(url, sizeof(url), "http://127.0.0.1:%d/v1/", port);
    setenv("OPENAI_BASE_URL", url, 1);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    setenv("ANTHROPIC_BASE_URL", url, 1);
    talk->port = port;
}

void talk_serve(struct talk *talk, const char *entries)
{
    static const char server[] = KFORGE_SOURCE_DIR "/tests/e2e/chat_server.py";
    char *script = path_in(talk, "script"), *log = path_in(talk, "requests");
    const char *argv[] = {"python3", server, script, "--log", log, "--until-eof", NULL};
    struct lines output = {0};
    struct strbuf json = {0};
    const char *port;

    strbuf_addf(&json, "[%s]", entries);
    for (char *p = json.data; *p; p++)
        if (*p == '\'')
            *p = '"';
    talk_write_file(talk, "script", json.data);
    assert_int_equal(process_start(&talk->server, &(struct process_spec){.argv = argv}, NULL),
                     STATUS_OK);
    while (!(port = lines_next(&output)))
        assert_int_equal(lines_fill(&output, talk->server.out, NULL), STATUS_OK);
    talk_set_port(talk, (int)strtol(port, NULL, 10));
    lines_release(&output);
    strbuf_release(&json);
    free(script);
    free(log);
}

void talk_send(struct talk *talk)
{
    const struct message messages[] = {
        {.role = MESSAGE_SYSTEM, .text = "You write kernels."},
        {.role = MESSAGE_USER,
         .text = "Add \"two\" vectors of \xC3\xA9l\xC3\xA9ments.",
         .images = &talk->image,
         .image_count = talk->image.bytes ? 1 : 0},
    };
    struct provider_listener listener = {.text = hear_text,
                                         .notice = hear_notice,
                                         .done = hear_done,
                                         .failed = hear_failed,
                                         .data = talk};
    struct error err = {0};

    assert_int_equal(provider_send(talk->provider,
                                   &(struct conversation){messages, 2, talk->exchanges++},
                                   &listener, &err),
                     STATUS_OK);
}

void talk_ask(struct talk *talk, const char *agent)
{
    struct error err = {0};

    assert_int_equal(providers_open(talk->loop, agent, &talk->provider, &err), STATUS_OK);
    talk_send(talk);
    loop_run(talk->loop);
    assert_int_equal(talk->end_count, 1);
}

void assert_replied(const struct talk *talk, const char *text)
{
    assert_string_equal(talk->failure.text, "");
    assert_true(talk->is_done);
    assert_string_equal(strbuf_cstr(&talk->text), text);
}

void assert_failed(const struct talk *talk, enum status status, const char *why)
{
    char host[32];

    snprintf(host, sizeof(host), "127.0.0.1:%d", talk->port);
    assert_false(talk->is_done);
    assert_non_null(strstr(talk->failure.text, host));
    if (!strstr(talk->failure.text, why))
        fail_msg("\"%s\" does not say \"%s\"", talk->failure.text, why);
    assert_int_equal(talk->failure.code, status);
}

void talk_for_each_protocol(void **state, const char *entries, void (*check)(struct talk *talk))
{
    static const char *const agents[] = {"openai:m-1", "anthropic:m-1"};

    for (size_t i = 0; i < sizeof(agents) / sizeof(*agents); i++) {
        talk_serve(*state, entries);
        talk_ask(*state, agents[i]);
        check(*state);
        talk_restart(state);
    }
}

int talk_count_requests(const struct talk *talk, const char *text)
{
    char *log = read_in(talk, "requests"), *rest = log;
    const char *line;
    int count = 0;

    while ((line = strsep(&rest, "\n")))
        count += strstr(line, text) != NULL;
    free(log);
    return count;
}

void assert_requested(const struct talk *talk, const char *body)
{
    char *log = read_in(talk, "requests");
    struct json *request = json_parse(log, strlen(log), NULL);
    struct strbuf got = {0};

    json_print(json_get(request, "body"), &got);
    assert_string_equal(strbuf_cstr(&got), body);
    strbuf_release(&got);
    json_free(request);
    free(log);
}

void assert_header(const struct talk *talk, const char *name, const char *value)
{
    char *log = read_in(talk, "requests");
    struct json *request = json_parse(log, strlen(log), NULL);
    const char *got = json_get_string(json_get(request, "headers"), name, "absent");

    assert_string_equal(got, value);
    json_free(request);
    free(log);
}
