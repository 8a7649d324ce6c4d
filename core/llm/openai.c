#include "core/llm/openai.h"

#include "core/base/json.h"
#include "core/llm/chat.h"

/* The image as a data URL (RFC 2397). */
static struct json *make_image(const char *type, const char *base64)
{
    struct json *part = json_object_new(), *holder;
    struct strbuf url = {0};

    strbuf_addf(&url, "data:%s;base64,%s", type, base64);
    json_put_string(part, "type", "image_url");
    holder = json_put(part, "image_url", json_object_new());
    json_put_string(holder, "url", strbuf_cstr(&url));
    strbuf_release(&url);
    return part;
}

static struct json *request(const char *model, const struct conversation *conversation)
{
    struct json *root = json_object_new();
    struct json *messages = json_put(root, "messages", json_array_new());
    struct json *options = json_put(root, "stream_options", json_object_new());

    json_put_string(root, "model", model);
    for (size_t i = 0; i < conversation->count; i++)
        json_push(messages, chat_message(&conversation->messages[i], make_image));
    json_put_bool(root, "stream", true);
    json_put_bool(options, "include_usage", true);
    return root;
}

/*
 * A refusal is part of the reply. Servers stream the model's reasoning as `reasoning_content`
 * (vLLM, DeepSeek) or as `reasoning` (OpenRouter, Ollama); a server that sends both sends the same
 * text twice.
 */
static void take_text(struct answer *answer, const struct json *message)
{
    answer_add_text(answer, json_get_string(message, "content", NULL));
    answer_add_text(answer, json_get_string(message, "refusal", NULL));
    answer_add_thought(answer, json_get_string(message, "reasoning_content",
                                               json_get_string(message, "reasoning", NULL)));
}

static void take_usage(struct answer *answer, const struct json *usage)
{
    if (json_type(usage) != JSON_OBJECT)
        return;
    answer->has_tokens = true;
    answer->prompt_tokens = answer_count(usage, "prompt_tokens");
    answer->cached_tokens = answer_count(json_get(usage, "prompt_tokens_details"), "cached_tokens");
    answer->reply_tokens = answer_count(usage, "completion_tokens");
}

/* A chunk of a stream has its text in `delta`, a completion that is not streamed in `message`. */
static enum status read_part(struct answer *answer, const struct json *part, struct error *err)
{
    static const struct answer_stop bad[] = {
        {"length", "the reply was cut off at the model's limit of tokens"},
        {"content_filter", "the server's content filter stopped the reply"},
        {NULL, NULL},
    };
    const struct json *choice = json_first(json_get(part, "choices"));

    take_text(answer, json_get(choice, "delta"));
    take_text(answer, json_get(choice, "message"));
    take_usage(answer, json_get(part, "usage"));
    return answer_stop(answer, json_get_string(choice, "finish_reason", NULL), bad, err);
}

const struct chat_protocol openai_protocol = {
    .ops = &openai_provider,
    .endpoint =
        {
            .default_url = "https://api.openai.com/v1",
            .url_env = "OPENAI_BASE_URL",
            .key_env = "OPENAI_API_KEY",
            .path = "/chat/completions",
            .key_header = "Authorization: Bearer ",
        },
    .answer = {.last_data = "[DONE]", .read = read_part},
    .request = request,
};

static enum status open_chat(struct loop *loop, const char *model, struct provider **provider,
                             struct error *err)
{
    return chat_open(&openai_protocol, loop, model, provider, err);
}

const struct provider_ops openai_provider = {
    .name = "openai",
    .open = open_chat,
    .send = chat_send,
    .cancel = chat_cancel,
    .close = chat_close,
};
