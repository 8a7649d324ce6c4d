#include "tests/unit/provider_fixture.h"

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

        if ((unsigned char)text[at] < 0x80) {
            at++;
            continue;
        }
        at += utf8_decode(text + at, len - at, &code);
        assert_int_not_equal(code, UTF8_REPLACEMENT);
    }
}

/* Call the registered action, once. */
static void act(struct provider_fixture *fixture, void (**action)(struct provider_fixture *fixture))
{
    void (*call)(struct provider_fixture * fixture) = *action;

    *action = NULL;
    if (call)
        call(fixture);
}

static void on_text(void *data, const char *text, size_t len)
{
    struct provider_fixture *fixture = data;

    assert_whole_code_points(text, len);
    strbuf_add(&fixture->text, text, len);
    act(fixture, &fixture->on_text);
}

static void on_thought(void *data, const char *text, size_t len)
{
    strbuf_add(&((struct provider_fixture *)data)->thoughts, text, len);
}

static void on_notice(void *data, const char *line)
{
    struct provider_fixture *fixture = data;

    strbuf_addf(&fixture->notices, "%s\n", line);
    fixture->notice_count++;
}

static void on_done(void *data, const struct usage *usage)
{
    struct provider_fixture *fixture = data;

    fixture->end_count++;
    fixture->is_done = true;
    fixture->usage = *usage;
    loop_stop(fixture->loop);
    act(fixture, &fixture->on_end);
}

static void on_failed(void *data, const struct error *err)
{
    struct provider_fixture *fixture = data;

    fixture->end_count++;
    fixture->failure = *err;
    loop_stop(fixture->loop);
    act(fixture, &fixture->on_end);
}

static char *path_in(const struct provider_fixture *fixture, const char *name)
{
    return file_join(fixture->folder, name);
}

void provider_fixture_write_file(const struct provider_fixture *fixture, const char *name,
                                 const char *text)
{
    char *path = path_in(fixture, name);

    assert_int_equal(file_write(path, text, strlen(text), NULL), STATUS_OK);
    free(path);
}

static char *read_in(const struct provider_fixture *fixture, const char *name)
{
    char *path = path_in(fixture, name);
    struct strbuf text = {0};

    assert_int_equal(file_read(path, 1 << 20, &text, NULL), STATUS_OK);
    free(path);
    return strbuf_take(&text);
}

void provider_fixture_set_environment(void)
{
    static const struct {
        const char *name, *value;
    } variables[] = {
        {"OPENAI_API_KEY", FIXTURE_KEY},     {"OPENAI_BASE_URL", NULL},
        {"ANTHROPIC_API_KEY", FIXTURE_KEY},  {"ANTHROPIC_BASE_URL", NULL},
        {"KFORGE_THINKING", NULL},           {"KFORGE_API_KEY_ENV", NULL},
        {"KFORGE_HTTP_FIRST_BYTE_MS", NULL}, {"KFORGE_HTTP_SILENCE_MS", NULL},
        {"KFORGE_HTTP_RETRY_MS", "1"},       {"NO_PROXY", "127.0.0.1"},
    };

    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        if (variables[i].value)
            setenv(variables[i].name, variables[i].value, 1);
        else
            unsetenv(variables[i].name);
    }
}

int provider_fixture_set_up(void **state)
{
    struct provider_fixture *fixture = calloc(1, sizeof(*fixture));
    char *log;

    snprintf(fixture->folder, sizeof(fixture->folder), "/tmp/kforge-provider-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    provider_fixture_set_environment();
    log = path_in(fixture, "log");
    log_open(log);
    free(log);
    fixture->loop = loop_new();
    *state = fixture;
    return 0;
}

/* Messages and the log must never show the API key. */
static void assert_key_unseen(const struct provider_fixture *fixture)
{
    char *log = read_in(fixture, "log");

    assert_null(strstr(strbuf_cstr(&fixture->notices), FIXTURE_KEY));
    assert_null(strstr(fixture->failure.text, FIXTURE_KEY));
    assert_null(strstr(log, FIXTURE_KEY));
    free(log);
}

int provider_fixture_tear_down(void **state)
{
    static const char *const names[] = {"log", "script", "requests", "reply"};
    struct provider_fixture *fixture = *state;

    if (fixture->provider)
        fixture->provider->ops->close(fixture->provider);
    process_end(&fixture->server);
    assert_key_unseen(fixture);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char *path = path_in(fixture, names[i]);

        unlink(path);
        free(path);
    }
    rmdir(fixture->folder);
    strbuf_release(&fixture->text);
    strbuf_release(&fixture->thoughts);
    strbuf_release(&fixture->notices);
    loop_free(fixture->loop);
    free(fixture);
    return 0;
}

void provider_fixture_restart(void **state)
{
    provider_fixture_tear_down(state);
    provider_fixture_set_up(state);
}

void provider_fixture_set_port(struct provider_fixture *fixture, int port)
{
    char url[64];

    snprintf(url, sizeof(url), "http://127.0.0.1:%d/v1/", port);
    setenv("OPENAI_BASE_URL", url, 1);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    setenv("ANTHROPIC_BASE_URL", url, 1);
    fixture->port = port;
}

void provider_fixture_serve(struct provider_fixture *fixture, const char *entries)
{
    static const char server[] = KFORGE_SOURCE_DIR "/tests/e2e/chat_server.py";
    char *script = path_in(fixture, "script"), *log = path_in(fixture, "requests");
    const char *argv[] = {"python3", server, script, "--log", log, "--until-eof", NULL};
    struct lines output = {0};
    struct strbuf json = {0};
    const char *port;

    strbuf_addf(&json, "[%s]", entries);
    for (char *p = json.data; *p; p++)
        if (*p == '\'')
            *p = '"';
    provider_fixture_write_file(fixture, "script", json.data);
    assert_int_equal(process_start(&fixture->server, &(struct process_spec){.argv = argv}, NULL),
                     STATUS_OK);
    while (!(port = lines_next(&output)))
        assert_int_equal(lines_fill(&output, fixture->server.out, NULL), STATUS_OK);
    provider_fixture_set_port(fixture, (int)strtol(port, NULL, 10));
    lines_release(&output);
    strbuf_release(&json);
    free(script);
    free(log);
}

void provider_fixture_send(struct provider_fixture *fixture)
{
    const struct message messages[] = {
        {.role = MESSAGE_SYSTEM, .text = "You write kernels."},
        {.role = MESSAGE_USER,
         .text = "Add \"two\" vectors of \xC3\xA9l\xC3\xA9ments.",
         .images = &fixture->image,
         .image_count = fixture->image.bytes ? 1 : 0},
    };
    struct provider_listener listener = {.text = on_text,
                                         .thought = on_thought,
                                         .notice = on_notice,
                                         .done = on_done,
                                         .failed = on_failed,
                                         .data = fixture};
    struct error err = {0};

    assert_int_equal(
        fixture->provider->ops->send(fixture->provider,
                                     &(struct conversation){messages, 2, fixture->exchanges++},
                                     &listener, &err),
        STATUS_OK);
}

void provider_fixture_ask(struct provider_fixture *fixture, const char *agent)
{
    struct error err = {0};

    assert_int_equal(providers_open(fixture->loop, agent, &fixture->provider, &err), STATUS_OK);
    provider_fixture_send(fixture);
    loop_run(fixture->loop);
    assert_int_equal(fixture->end_count, 1);
}

void assert_replied(const struct provider_fixture *fixture, const char *text)
{
    assert_string_equal(fixture->failure.text, "");
    assert_true(fixture->is_done);
    assert_string_equal(strbuf_cstr(&fixture->text), text);
}

void assert_replied_ok(struct provider_fixture *fixture)
{
    assert_replied(fixture, "ok");
}

void assert_failed(const struct provider_fixture *fixture, enum status status, const char *why)
{
    char host[32];

    snprintf(host, sizeof(host), "127.0.0.1:%d", fixture->port);
    assert_false(fixture->is_done);
    assert_non_null(strstr(fixture->failure.text, host));
    if (!strstr(fixture->failure.text, why))
        fail_msg("\"%s\" does not say \"%s\"", fixture->failure.text, why);
    assert_int_equal(fixture->failure.code, status);
}

void provider_fixture_for_each_protocol(void **state, const char *entries,
                                        void (*check)(struct provider_fixture *fixture))
{
    static const char *const agents[] = {"openai:m-1", "anthropic:m-1"};

    for (size_t i = 0; i < sizeof(agents) / sizeof(*agents); i++) {
        provider_fixture_serve(*state, entries);
        provider_fixture_ask(*state, agents[i]);
        check(*state);
        provider_fixture_restart(state);
    }
}

int provider_fixture_count_requests(const struct provider_fixture *fixture, const char *text)
{
    char *log = read_in(fixture, "requests"), *rest = log;
    const char *line;
    int count = 0;

    while ((line = strsep(&rest, "\n")))
        count += strstr(line, text) != NULL;
    free(log);
    return count;
}

void assert_requested(const struct provider_fixture *fixture, const char *body)
{
    char *log = read_in(fixture, "requests");
    struct json *request = json_parse(log, strlen(log), NULL);
    struct strbuf got = {0};

    json_print(json_get(request, "body"), &got);
    assert_string_equal(strbuf_cstr(&got), body);
    strbuf_release(&got);
    json_free(request);
    free(log);
}

void assert_header(const struct provider_fixture *fixture, const char *name, const char *value)
{
    char *log = read_in(fixture, "requests");
    struct json *request = json_parse(log, strlen(log), NULL);
    const char *got = json_get_string(json_get(request, "headers"), name, "absent");

    assert_string_equal(got, value);
    json_free(request);
    free(log);
}

void provider_fixture_cancel_and_ask_again(struct provider_fixture *fixture)
{
    fixture->provider->ops->cancel(fixture->provider);
    strbuf_release(&fixture->text);
    provider_fixture_send(fixture);
}

void provider_fixture_close(struct provider_fixture *fixture)
{
    fixture->provider->ops->close(fixture->provider);
    fixture->provider = NULL;
    loop_stop(fixture->loop);
}
