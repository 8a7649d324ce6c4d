#ifndef CORE_LLM_PROVIDER_H
#define CORE_LLM_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/llm/image.h"

struct loop;

/*
 * Something that continues a conversation: a model behind an HTTP API, a
 * command, a recording.  A provider knows no kernel.
 *
 * Everything runs in the caller's loop and nothing blocks: send() returns at
 * once, and the listener is called from the loop afterwards, never from
 * inside send() or cancel().
 */

enum message_role { MESSAGE_SYSTEM, MESSAGE_USER, MESSAGE_ASSISTANT };

/* Borrowed for the call of send(). */
struct message {
    enum message_role role;
    const char *text; /* UTF-8 */
    const struct image *images;
    size_t image_count;
};

struct conversation {
    const struct message *messages;
    size_t count;
    size_t number; /* how many were answered before it: a recording tells by it what comes next */
};

/*
 * Append the messages as one text, for models that take no roles.  Images are
 * written to files in `folder`, and the text says where.
 */
enum status conversation_write(const struct conversation *conversation, const char *folder,
                               struct strbuf *out, struct error *err) MUST_CHECK;

/* What a reply cost.  A count that the provider did not report is absent, not zero. */
struct usage {
    bool has_tokens;
    int64_t prompt_tokens;
    int64_t cached_tokens; /* those of the prompt's that the server had from before */
    int64_t reply_tokens;  /* with those that a model thinks in */
    int64_t latency_us;    /* from send() to the last byte, retries included */
    int64_t first_text_us; /* from send() to the first text */
};

/* Who is told.  After done() or failed() the exchange is over and nothing more is called. */
struct provider_listener {
    void (*text)(void *data, const char *text,
                 size_t len); /* a piece of the reply, whole code points */
    void (*notice)(void *data,
                   const char *line); /* for the engineer: "429 from host, retry in 2.1 s" */
    void (*done)(void *data, const struct usage *usage); /* the pieces make the whole reply */
    void (*failed)(void *data, const struct error *err);
    void *data;
};

struct provider;

struct provider_ops {
    const char *name; /* as in `--agent openai:gpt-5`, before the colon */

    /* `model` is what follows the colon, perhaps empty.  Fails when a key or an address is missing.
     */
    enum status (*open)(struct loop *loop, const char *model, struct provider **provider,
                        struct error *err);

    /* Begin one exchange.  At most one is under way. */
    enum status (*send)(struct provider *provider, const struct conversation *conversation,
                        const struct provider_listener *listener, struct error *err);

    /* End the exchange under way, if any, without telling the listener. */
    void (*cancel)(struct provider *provider);

    /*
     * Give the reply for the exchange under way, where a person does that.  NULL for all
     * others; STATUS_INVALID where no reply is awaited.
     */
    enum status (*answer)(struct provider *provider, const char *text, struct error *err);

    void (*close)(struct provider *provider); /* NULL does nothing */
};

/* A provider begins with this, so that the free functions below find its operations. */
struct provider {
    const struct provider_ops *ops;
};

enum status provider_send(struct provider *provider, const struct conversation *conversation,
                          const struct provider_listener *listener, struct error *err) MUST_CHECK;
enum status provider_answer(struct provider *provider, const char *text,
                            struct error *err) MUST_CHECK;
void provider_cancel(struct provider *provider);
void provider_close(struct provider *provider);

#endif
