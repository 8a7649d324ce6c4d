#include "core/llm/anthropic.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/llm/chat.h"

/*
 * The API requires a limit for the tokens of reply and thinking together. Every model since Claude
 * 4 can write MAX_REPLY_TOKENS; every model with adaptive thinking (since Claude 4.6) can write
 * twice as many.
 */
enum { MAX_REPLY_TOKENS = 32000, MAX_ADAPTIVE_TOKENS = 64000, BUDGET_TOKENS = 16000 };

/* The API takes system messages outside of the conversation, as one text. */
static void put_system(struct json *root, const struct conversation *conversation)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < conversation->count; i++)
        if (conversation->messages[i].role == MESSAGE_SYSTEM)
            strbuf_addf(&text, "%s%s", text.len ? "\n\n" : "", conversation->messages[i].text);
    if (text.len > 0)
        json_put_string(root, "system", strbuf_cstr(&text));
    strbuf_release(&text);
}

static struct json *make_image(const char *type, const char *base64)
{
    struct json *part = json_object_new(), *source;

    json_put_string(part, "type", "image");
    source = json_put(part, "source", json_object_new());
    json_put_string(source, "type", "base64");
    json_put_string(source, "media_type", type);
    json_put_string(source, "data", base64);
    return part;
}

static struct json *request(const char *model, const struct conversation *conversation)
{
    struct json *root = json_object_new();
    struct json *messages = json_put(root, "messages", json_array_new());

    json_put_string(root, "model", model);
    json_put_bool(root, "stream", true);
    put_system(root, conversation);
    for (size_t i = 0; i < conversation->count; i++)
        if (conversation->messages[i].role != MESSAGE_SYSTEM)
            json_push(messages, chat_message(&conversation->messages[i], make_image));
    return root;
}

/*
 * Models since Claude 4.6 think adaptively, and return their thinking only as a summary, if asked
 * for it. Models from 3.7 to 4.6 take a budget of tokens. Other models do not think. (Source: the
 * Messages API's pages on adaptive and extended thinking.)
 */
static void think(struct json *request, enum thinking form)
{
    struct json *thinking;

    json_remove(request, "thinking");
    json_put_number(request, "max_tokens",
                    form == THINKING_ADAPTIVE ? MAX_ADAPTIVE_TOKENS : MAX_REPLY_TOKENS);
    if (form == THINKING_NONE)
        return;
    thinking = json_put(request, "thinking", json_object_new());
    json_put_string(thinking, "type", form == THINKING_ADAPTIVE ? "adaptive" : "enabled");
    if (form == THINKING_ADAPTIVE)
        json_put_string(thinking, "display", "summarized");
    else
        json_put_number(thinking, "budget_tokens", BUDGET_TOKENS);
}

/* Each report holds the counts so far, which only grow while a message streams. */
static void take_usage(struct answer *answer, const struct json *usage)
{
    static const char *const prompt_parts[] = {"input_tokens", "cache_creation_input_tokens",
                                               "cache_read_input_tokens"};
    int64_t prompt = 0;

    if (json_type(usage) != JSON_OBJECT)
        return;
    for (size_t i = 0; i < COUNT(prompt_parts); i++)
        prompt += answer_count(usage, prompt_parts[i]);
    answer->has_tokens = true;
    if (prompt > 0) {
        answer->prompt_tokens = prompt;
        answer->cached_tokens = answer_count(usage, "cache_read_input_tokens");
    }
    answer->reply_tokens = answer_count(usage, "output_tokens");
}

/*
 * Read any event, or the document. One function suffices, because the content of each kind of event
 * is in other members: message_start has message.usage, content_block_delta has delta.text or
 * delta.thinking, message_delta has delta.stop_reason and usage, and message_stop ends the stream.
 * A block of thinking has `thinking` in place of `text`.
 */
static enum status read_part(struct answer *answer, const struct json *part, struct error *err)
{
    static const struct answer_stop bad[] = {
        {"max_tokens", "the reply was cut off at the model's limit of tokens"},
        {"model_context_window_exceeded", "the conversation is longer than the model can read"},
        {"refusal", "the model declined to reply"},
        {NULL, NULL},
    };
    const struct json *delta = json_get(part, "delta");
    const struct json *content = json_get(part, "content");

    for (const struct json *block = json_first(content); block; block = json_next(block)) {
        answer_add_text(answer, json_get_string(block, "text", NULL));
        answer_add_thought(answer, json_get_string(block, "thinking", NULL));
    }
    answer_add_text(answer, json_get_string(delta, "text", NULL));
    answer_add_thought(answer, json_get_string(delta, "thinking", NULL));
    take_usage(answer, json_get(json_get(part, "message"), "usage"));
    take_usage(answer, json_get(part, "usage"));
    answer->is_last = strcmp(json_get_string(part, "type", ""), "message_stop") == 0;
    return answer_stop(answer, json_get_string(delta ? delta : part, "stop_reason", NULL), bad,
                       err);
}

const struct chat_protocol anthropic_protocol = {
    .ops = &anthropic_provider,
    .endpoint =
        {
            .default_url = "https://api.anthropic.com",
            .url_env = "ANTHROPIC_BASE_URL",
            .key_env = "ANTHROPIC_API_KEY",
            .path = "/v1/messages",
            .key_header = "x-api-key: ",
        },
    .header = "anthropic-version: 2023-06-01",
    .answer = {.read = read_part},
    .request = request,
    .think = think,
};

static enum status open_chat(struct loop *loop, const char *model, struct provider **provider,
                             struct error *err)
{
    return chat_open(&anthropic_protocol, loop, model, provider, err);
}

const struct provider_ops anthropic_provider = {
    .name = "anthropic",
    .open = open_chat,
    .send = chat_send,
    .cancel = chat_cancel,
    .close = chat_close,
};
