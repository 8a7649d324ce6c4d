#include "core/llm/chat.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/formats/base64.h"
#include "core/base/formats/media.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/llm/http.h"
#include "core/llm/retry.h"
#include "core/system/clock.h"
#include "core/system/log.h"
#include "core/system/loop.h"
#include "core/system/random.h"

enum { MAX_ANSWER_BYTES = 16 << 20 };

struct chat {
    struct provider provider; /* must come first: see provider.h */
    const struct chat_protocol *protocol;
    struct loop *loop;
    struct http *http;
    struct endpoint endpoint;
    char *model;
    enum thinking thinking; /* the present form, which has not been refused so far */

    /* The running exchange. */
    bool is_busy;
    struct provider_listener listener;
    struct strbuf body;
    struct strbuf text_body; /* the same request without images; empty if it has none */
    struct strbuf refusal;   /* the body of a response with an error status */
    struct answer answer;
    struct retry retry;
    struct loop_timer timer; /* starts the next try, or conclude() */
    struct error failure;
    int64_t started_us;
    int64_t first_text_us; /* time of the first text after started_us; 0 before it */
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
    strbuf_release(&chat->text_body);
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
        .cached_tokens = chat->answer.cached_tokens,
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

static void pass_thought(struct chat *chat)
{
    struct strbuf thought = answer_take_thought(&chat->answer);

    if (thought.len > 0 && chat->listener.thought)
        chat->listener.thought(chat->listener.data, thought.data, thought.len);
    strbuf_release(&thought);
}

/* Pass the new text to the listener, which may close the provider: call this last. */
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

/* Schedule another try, and pass `line` to the listener; releases `line`. */
static void try_again_after(struct chat *chat, int64_t wait_us, struct strbuf *line)
{
    struct provider_listener listener = chat->listener;

    loop_set_timer(chat->loop, &chat->timer, wait_us, begin_try, chat);
    log_line("llm: %s", strbuf_cstr(line));
    listener.notice(listener.data, strbuf_cstr(line));
    strbuf_release(line);
}

static void wait_and_try(struct chat *chat, int64_t wait_us, const struct error *why)
{
    struct strbuf line = {0};

    strbuf_addf(&line, "%s; try %d of %d in %.1f s", why->text, chat->retry.tries + 1,
                RETRY_MAX_TRIES, (double)wait_us / 1e6);
    try_again_after(chat, wait_us, &line);
}

/*
 * True if the server may have refused because of images: the status says so, or the text names
 * them.
 */
static bool refuses_images(const struct chat *chat, const struct http_response *response)
{
    static const int wrong[] = {400, 404, 413, 415, 422};

    if (chat->text_body.len == 0 || response->status < 400)
        return false;
    for (size_t i = 0; i < COUNT(wrong); i++)
        if (wrong[i] == response->status)
            return true;
    return strstr(strbuf_cstr(&chat->refusal), "image") != NULL;
}

static void go_without_images(struct chat *chat, const struct error *why)
{
    struct strbuf line = {0};

    strbuf_release(&chat->body);
    chat->body = chat->text_body;
    chat->text_body = (struct strbuf){0};
    chat->retry.tries--;
    strbuf_addf(&line, "%s; sending the text without the images", why->text);
    try_again_after(chat, 0, &line);
}

/* True if the server does not take the form in which the model was asked to think. */
static bool refuses_thinking(const struct chat *chat, const struct http_response *response)
{
    return chat->thinking != THINKING_NONE &&
           (response->status == 400 || response->status == 422) &&
           strstr(strbuf_cstr(&chat->refusal), "thinking");
}

/*
 * Print a request again, with the present form of thinking. This module printed `body`, so it
 * parses.
 */
static void rewrite(const struct chat *chat, struct strbuf *body)
{
    struct json *document = body->len ? json_parse(body->data, body->len, NULL) : NULL;

    if (!document)
        return;
    chat->protocol->think(document, chat->thinking);
    body->len = 0;
    json_print(document, body);
    json_free(document);
}

static void think_otherwise(struct chat *chat, const struct error *why)
{
    struct strbuf line = {0};

    chat->thinking--;
    rewrite(chat, &chat->body);
    rewrite(chat, &chat->text_body);
    chat->retry.tries--;
    strbuf_addf(&line, "%s; asking the model to think %s", why->text,
                chat->thinking == THINKING_BUDGET ? "within a budget" : "without showing it");
    try_again_after(chat, 0, &line);
}

/* Decide whether the exchange succeeded; `err` says how the transfer ended, and then the result. */
static void settle(struct chat *chat, const struct http_response *response, struct error *err)
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

static bool is_temporary(const struct error *err)
{
    return err->code == STATUS_UNAVAILABLE || err->code == STATUS_IO;
}

/* Say what is left to do after a request in vain. */
static void add_remedy(const struct chat *chat, const struct http_response *response,
                       struct error *err)
{
    struct error why = *err;
    const char *later =
        response->status == 429 ? "wait, or raise the account's limits" : "try again later";

    if (response->status == 400 || response->status == 413 || response->status == 422)
        error_set(err, why.code, "%s; try another model", why.text);
    else if (is_temporary(&why) && chat->retry.tries == RETRY_MAX_TRIES)
        error_set(err, why.code, "%s; gave up after %d tries: %s", why.text, chat->retry.tries,
                  later);
}

static void end_try(struct chat *chat, const struct http_response *response,
                    const struct error *ending)
{
    struct error err = *ending;
    int64_t wait_us;

    settle(chat, response, &err);
    if (err.code && refuses_thinking(chat, response)) {
        think_otherwise(chat, &err);
        return;
    }
    if (err.code && refuses_images(chat, response)) {
        go_without_images(chat, &err);
        return;
    }
    if (is_temporary(&err) && !chat->answer.has_text &&
        retry_wait(&chat->retry, response, &wait_us)) {
        wait_and_try(chat, wait_us, &err);
        return;
    }
    if (err.code)
        add_remedy(chat, response, &err);
    chat->failure = err;
    loop_set_timer(chat->loop, &chat->timer, 0, conclude, chat);
    pass_thought(chat);
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
        pass_thought(chat);
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

static void write_request(const struct chat *chat, const struct conversation *conversation,
                          struct strbuf *body)
{
    struct json *document = chat->protocol->request(chat->model, conversation);

    if (chat->protocol->think)
        chat->protocol->think(document, chat->thinking);
    json_print(document, body);
    json_free(document);
}

static void write_requests(struct chat *chat, const struct conversation *conversation)
{
    size_t count = conversation->count;
    struct message *texts = mem_alloc_zeroed(count, sizeof(*texts));
    bool has_images = false;

    for (size_t i = 0; i < count; i++) {
        texts[i] = conversation->messages[i];
        has_images |= texts[i].image_count > 0;
        texts[i].image_count = 0;
    }
    write_request(chat, conversation, &chat->body);
    if (has_images)
        write_request(chat, &(struct conversation){.messages = texts, .count = count},
                      &chat->text_body);
    free(texts);
}

enum status chat_send(struct provider *provider, const struct conversation *conversation,
                      const struct provider_listener *listener, struct error *err)
{
    struct chat *chat = (struct chat *)provider;

    if (chat->is_busy)
        return error_set(err, STATUS_INVALID, "%s: the previous reply is still arriving",
                         http_host(chat->http));
    write_requests(chat, conversation);
    chat->is_busy = true;
    chat->listener = *listener;
    chat->retry =
        (struct retry){.first_wait_us = chat->endpoint.retry_ms * 1000, .seed = random_bits()};
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
    chat->thinking = protocol->think && endpoint.thinks ? THINKING_ADAPTIVE : THINKING_NONE;
    chat->answer.format = &protocol->answer;
    *provider = &chat->provider;
    return STATUS_OK;
}

static struct json *list_parts(const struct message *message,
                               struct json *(*image)(const char *type, const char *base64))
{
    struct json *parts = json_array_new();
    struct json *text = json_push(parts, json_object_new());

    json_put_string(text, "type", "text");
    json_put_string(text, "text", message->text);
    for (size_t i = 0; i < message->image_count; i++) {
        const struct image *picture = &message->images[i];
        const char *type = media_type(picture->bytes, picture->len);
        struct strbuf base64 = {0};

        base64_add(&base64, picture->bytes, picture->len);
        json_push(parts, image(type ? type : "image/png", strbuf_cstr(&base64)));
        strbuf_release(&base64);
    }
    return parts;
}

struct json *chat_message(const struct message *message,
                          struct json *(*image)(const char *type, const char *base64))
{
    static const char *const roles[] = {
        [MESSAGE_SYSTEM] = "system",
        [MESSAGE_USER] = "user",
        [MESSAGE_ASSISTANT] = "assistant",
    };
    struct json *object = json_object_new();

    json_put_string(object, "role", roles[message->role]);
    json_put(object, "content",
             message->image_count > 0 ? list_parts(message, image)
                                      : json_string_new(message->text));
    return object;
}
