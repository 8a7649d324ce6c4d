#ifndef CORE_LLM_CHAT_H
#define CORE_LLM_CHAT_H

#include "core/base/status.h"
#include "core/llm/answer.h"
#include "core/llm/endpoint.h"
#include "core/llm/provider.h"

struct json;
struct loop;

/*
 * A provider over HTTP, with one exchange at a time. Each protocol is a const table (openai.c,
 * anthropic.c); this module does everything that they share.
 *
 * A failed request is repeated if that may help and the listener has received no text yet. No API
 * reports which models read images: if a server refuses a request with images, the chat sends the
 * text again without them and tells the listener. In the same way it finds the form of thinking
 * that a model takes: it begins with the last of enum thinking, tries the one before after each
 * refusal, and keeps the first that is not refused.
 */

/* Forms of thinking: none, with a budget of tokens, as much as the model chooses. */
enum thinking { THINKING_NONE, THINKING_BUDGET, THINKING_ADAPTIVE };

struct chat_protocol {
    const struct provider_ops *ops;
    struct endpoint_spec endpoint;
    const char *header; /* one more HTTP header, or NULL */
    struct answer_format answer;

    /* The body of the request; the caller frees it. */
    struct json *(*request)(const char *model, const struct conversation *conversation);

    /*
     * Set the form of thinking in a request, replacing an earlier one; NULL: the protocol has none.
     */
    void (*think)(struct json *request, enum thinking form);
};

/* The operations of a provider over `protocol`, with the meaning that provider.h gives them. */
enum status chat_open(const struct chat_protocol *protocol, struct loop *loop, const char *model,
                      struct provider **provider, struct error *err);
enum status chat_send(struct provider *provider, const struct conversation *conversation,
                      const struct provider_listener *listener, struct error *err);
void chat_cancel(struct provider *provider);
void chat_close(struct provider *provider);

/*
 * The message as {"role": ..., "content": ...}, which is the same in all
 * protocols.  The content is a string; with images it is a list of parts.
 * `image` makes one part from an image's media type and its bytes in base64.
 */
struct json *chat_message(const struct message *message,
                          struct json *(*image)(const char *type, const char *base64));

#endif
