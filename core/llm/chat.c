#include "core/llm/chat.h"

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/llm/http.h"
#include "core/llm/retry.h"

enum { MAX_ANSWER_BYTES = 16 << 20 };

struct chat {
    struct provider provider; /* first: see provider.h */
    const struct chat_protocol *protocol;
    struct loop *loop;
    struct http *http;
    struct endpoint endpoint;
    char *model;

    /* The exchange under way. */
    bool is_busy;
    struct provider_listener listener;
    struct strbuf body;
    struct strbuf refusal; /* the body of a response that is no answer */
    struct answer answer;
    struct retry retry;
    struct loop_timer timer; /* until the next try, or until the end is told */
    struct error failure;
    int64_t started_us;
    int64_t first_text_us; /* since started_us; 0: no text yet */
};

static void describe_refusal(const struct chat *chat, const struct http_response *response,
                             struct error *err)
{
    struct strbuf why = {0};

    endpoint_explain(&chat->endpoint, response, &chat->refusal, &why);
    error_set(err, retry_is_useful(response->status) ? STATUS_UNAVAILABLE : STATUS_INVALID,
              "%s answered %d: %s", http_host(chat->http), response->status, strbuf_cstr(&why));
    strbuf_release(&why);
}

static void describe_fault(const struct chat *chat, const struct error *fault, struct error *err)
{
    struct strbuf text = {0};

    endpoint_quote(&chat->endpoint, fault->text, &text);
    error_set(err, fault->code, "%s: %s", http_host(chat->http), strbuf_cstr(&text));
    strbuf_release(&text);
}

static void release_try(struct chat *chat)
{
    loop_clear_timer(chat->loop, &chat->timer);
    http_cancel(chat->http);
    answer_release(&chat->answer);
    strbuf_release(&chat->refusal);
}

static void release_exchange(struct chat *chat)
{
    release_try(chat);
    strbuf_release(&chat->body);
    chat->is_busy = false;
}

static void conclude(void *data)
{
    struct chat *chat = data;
    struct provider_listener listener = chat->listener;
    struct error failure = chat->failure;
    struct usage usage = {
        .has_tokens = chat->answer.has_tokens,
        .prompt_tokens = chat->answer.prompt_tokens,
        .reply_tokens = chat->answer.reply_tokens,
        .latency_us = clock_now_us() - chat->started_us,
        .first_text_us = chat->first_text_us,
    };

    release_exchange(chat);
    if (failure.code)
        listener.failed(listener.data, &failure);
    else
        listener.done(listener.data, &usage);
}

/* Hand on the text that has come.  The listener may close the provider, so this comes last. */
static void pass_text(struct chat *chat)
{
    struct provider_listener listener = chat->listener;
    struct strbuf text = answer_take_text(&chat->answer);

    if (text.len > 0) {
        if (!chat->first_text_us)
            chat->first_text_us = clock_now_us() - chat->started_us;
        listener.text(listener.data, text.data, text.len);
    }
    strbuf_release(&text);
}

static void begin_try(void *data);

static void try_again_after(struct chat *chat, int64_t wait_us, const struct error *why)
{
    struct provider_listener listener = chat->listener;
    struct strbuf line = {0};

    strbuf_addf(&line, "%s; try %d of %d in %.1f s", why->text, chat->retry.tries + 1,
                RETRY_MAX_TRIES, (double)wait_us / 1e6);
    loop_set_timer(chat->loop, &chat->timer, wait_us, begin_try, chat);
    log_line("llm: %s", strbuf_cstr(&line));
    listener.notice(listener.data, strbuf_cstr(&line));
    strbuf_release(&line);
}

/* What the response amounts to, `err` telling how it ended. */
static void judge(struct chat *chat, const struct http_response *response, struct error *err)
{
    struct error fault = {0};

    if (response->status && response->status / 100 != 2) {
        describe_refusal(chat, response, err);
        return;
    }
    if (err->code && !chat->answer.is_whole)
        return;
    *err = (struct error){0};
    if (answer_finish(&chat->answer, &fault))
        describe_fault(chat, &fault, err);
}

static void end_try(struct chat *chat, const struct http_response *response,
                    const struct error *ending)
{
    struct error err = *ending;
    int64_t wait_us;

    judge(chat, response, &err);
    if ((err.code == STATUS_UNAVAILABLE || err.code == STATUS_IO) && !chat->answer.has_text &&
        retry_wait(&chat->retry, response, &wait_us)) {
        try_again_after(chat, wait_us, &err);
        return;
    }
    chat->failure = err;
    loop_set_timer(chat->loop, &chat->timer, 0, conclude, chat);
    pass_text(chat);
}

static void on_end(void *data, const struct http_response *response, const struct error *failure)
{
    end_try(data, response, failure);
}

static void on_body(void *data, const struct http_response *response, const char *bytes, size_t len)
{
    struct chat *chat = data;
    struct error fault = {0}, err = {0};

    if (response->status / 100 != 2) {
        strbuf_add(&chat->refusal, bytes, len);
        return;
    }
    if (answer_feed(&chat->answer, bytes, len, &fault))
        describe_fault(chat, &fault, &err);
    if (err.code || chat->answer.is_last) {
        http_cancel(chat->http);
        end_try(chat, response, &err);
    } else {
        pass_text(chat);
    }
}

static void begin_try(void *data)
{
    struct chat *chat = data;
    const char *headers[] = {"Content-Type: application/json", NULL, NULL, NULL};
    size_t count = 1;
    struct http_listener listener = {.body = on_body, .end = on_end, .data = chat};

    release_try(chat);
    chat->retry.tries++;
    if (chat->protocol->header)
        headers[count++] = chat->protocol->header;
    if (chat->endpoint.key_line)
        headers[count++] = chat->endpoint.key_line;
    http_post(chat->http,
              &(struct http_request){
                  .headers = headers,
                  .body = chat->body.data,
                  .body_len = chat->body.len,
                  .max_bytes = MAX_ANSWER_BYTES,
                  .first_byte_ms = chat->endpoint.first_byte_ms,
                  .silence_ms = chat->endpoint.silence_ms,
              },
              &listener);
}

enum status chat_send(struct provider *provider, const struct conversation *conversation,
                      const struct provider_listener *listener, struct error *err)
{
    struct chat *chat = (struct chat *)provider;
    struct json *document;

    if (chat->is_busy)
        return error_set(err, STATUS_INVALID, "%s: the reply before is still under way",
                         http_host(chat->http));
    document = chat->protocol->request(chat->model, conversation);
    json_print(document, &chat->body);
    json_free(document);
    chat->is_busy = true;
    chat->listener = *listener;
    chat->retry = (struct retry){.first_wait_us = chat->endpoint.retry_ms * 1000};
    chat->started_us = clock_now_us();
    chat->first_text_us = 0;
    begin_try(chat);
    return STATUS_OK;
}

void chat_cancel(struct provider *provider)
{
    struct chat *chat = (struct chat *)provider;

    if (chat->is_busy)
        release_exchange(chat);
}

void chat_close(struct provider *provider)
{
    struct chat *chat = (struct chat *)provider;

    if (!chat)
        return;
    chat_cancel(provider);
    http_close(chat->http);
    endpoint_release(&chat->endpoint);
    free(chat->model);
    free(chat);
}

enum status chat_open(const struct chat_protocol *protocol, struct loop *loop, const char *model,
                      struct provider **provider, struct error *err)
{
    struct endpoint endpoint;
    struct http *http;
    struct error fault;
    struct chat *chat;
    enum status st;

    if (!*model)
        return error_set(err, STATUS_INVALID, "%s needs a model, as in %s:MODEL",
                         protocol->ops->name, protocol->ops->name);
    st = endpoint_read(&protocol->endpoint, &endpoint, err);
    if (st)
        return st;
    st = http_open(loop, endpoint.url, &http, &fault);
    if (st) {
        endpoint_release(&endpoint);
        return error_set(err, st, "%s: %s", protocol->endpoint.url_env, fault.text);
    }
    chat = mem_alloc_zeroed(1, sizeof(*chat));
    chat->provider.ops = protocol->ops;
    chat->protocol = protocol;
    chat->loop = loop;
    chat->http = http;
    chat->endpoint = endpoint;
    chat->model = mem_strdup(model);
    chat->answer.format = &protocol->answer;
    *provider = &chat->provider;
    return STATUS_OK;
}

struct json *chat_message(const struct message *message)
{
    static const char *const roles[] = {
        [MESSAGE_SYSTEM] = "system",
        [MESSAGE_USER] = "user",
        [MESSAGE_ASSISTANT] = "assistant",
    };
    struct json *object = json_object_new();

    json_put_string(object, "role", roles[message->role]);
    json_put_string(object, "content", message->text);
    return object;
}
