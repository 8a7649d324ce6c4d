#ifndef CORE_LLM_CHAT_H
#define CORE_LLM_CHAT_H

#include "core/base/status.h"
#include "core/llm/answer.h"
#include "core/llm/endpoint.h"
#include "core/llm/provider.h"

struct json;
struct loop;

/*
 * A provider over HTTP: one exchange at a time, tried again while trying
 * again may help and the listener has no text yet.  What differs between the
 * protocols is in a const table each (openai.c, anthropic.c); this module
 * does the rest.  Which models read images cannot be asked: where a server
 * refuses a request with images, the listener is told so, and the text goes
 * without them.
 */
struct chat_protocol {
    const struct provider_ops *ops;
    struct endpoint_spec endpoint;
    const char *header; /* a further header, or NULL */
    struct answer_format answer;

    /* The request's document; the caller frees it. */
    struct json *(*request)(const char *model, const struct conversation *conversation);
};

/* The operations of a provider that chat_open() made. */
enum status chat_open(const struct chat_protocol *protocol, struct loop *loop, const char *model,
                      struct provider **provider, struct error *err);
enum status chat_send(struct provider *provider, const struct conversation *conversation,
                      const struct provider_listener *listener, struct error *err);
void chat_cancel(struct provider *provider);
void chat_close(struct provider *provider);

/*
 * {"role": ..., "content": ...} as all protocols write it.  The content is a
 * text; with images it is a list of parts, of which `image` makes one from an
 * image, its media type and its bytes in base64.
 */
struct json *chat_message(const struct message *message,
                          struct json *(*image)(const char *type, const char *base64));

#endif
