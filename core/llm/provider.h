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
 * The contract of a provider: it sends a conversation to a language model and
 * streams the reply.  The model may be behind an HTTP API, a command, a person
 * or a recording.  A provider knows nothing about kernels.
 *
 * Everything runs in the caller's event loop, and nothing blocks: send()
 * returns at once, and the loop calls the listener later, never from inside
 * send() or cancel().
 */

enum message_role { MESSAGE_SYSTEM, MESSAGE_USER, MESSAGE_ASSISTANT };

/* send() borrows messages and conversation for the call. */
struct message {
    enum message_role role;
    const char *text; /* UTF-8 */
    const struct image *images;
    size_t image_count;
};

struct conversation {
    const struct message *messages;
    size_t count;
    size_t number; /* replies that the session has had so far; a recording picks its reply by it */
};

/*
 * Append the messages as one text, for models that know no roles.  Images are
 * written to files in `folder`, and the text names the files.
 */
enum status conversation_write(const struct conversation *conversation, const char *folder,
                               struct strbuf *out, struct error *err) MUST_CHECK;

/* The cost of a reply.  Without `has_tokens` the counts are unknown, which is not zero. */
struct usage {
    bool has_tokens;
    int64_t prompt_tokens;
    int64_t cached_tokens; /* the part of prompt_tokens that the server read from its cache */
    int64_t reply_tokens;  /* including the tokens of the model's reasoning */
    int64_t latency_us;    /* from send() to the last byte, retries included */
    int64_t first_text_us; /* from send() to the first text */
};

/* Receives the reply.  done() or failed() ends the exchange, and no function is called after it. */
struct provider_listener {
    /* The next piece of the reply, in whole code points. */
    void (*text)(void *data, const char *text, size_t len);
    /*
     * The next piece of the model's reasoning, which is no part of the reply.  It must not cancel
     * the exchange.  NULL: not wanted.
     */
    void (*thought)(void *data, const char *text, size_t len);
    /* A line for the engineer, such as "429 from host, retry in 2.1 s". */
    void (*notice)(void *data, const char *line);
    /* The reply is complete. */
    void (*done)(void *data, const struct usage *usage);
    void (*failed)(void *data, const struct error *err);
    void *data;
};

struct provider;

struct provider_ops {
    const char *name; /* as in `--agent openai:gpt-5`, before the colon */

    /* `model` is the text after the colon; it may be empty.  Fails when a key or an address is
     * missing. */
    enum status (*open)(struct loop *loop, const char *model, struct provider **provider,
                        struct error *err);

    /* Begin an exchange.  Fails while another one runs. */
    enum status (*send)(struct provider *provider, const struct conversation *conversation,
                        const struct provider_listener *listener, struct error *err);

    /* End the running exchange, if there is one, without calling the listener. */
    void (*cancel)(struct provider *provider);

    /*
     * Supply the reply to the running exchange, for a provider whose replies a person carries
     * over (`manual`).  STATUS_INVALID if it is not waiting for one.  NULL for all others.
     */
    enum status (*answer)(struct provider *provider, const char *text, struct error *err);

    /* Cancel, and free the provider; NULL does nothing. */
    void (*close)(struct provider *provider);
};

/* Every provider begins with this struct. */
struct provider {
    const struct provider_ops *ops;
};

#endif
