#ifndef CORE_LLM_ANSWER_H
#define CORE_LLM_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/llm/sse.h"

struct json;
struct answer;

/*
 * Reads the text of a reply out of the HTTP body that a model's server sends.
 *
 * The body is a stream of events, or one JSON document from a server that does not stream; the
 * first byte distinguishes the two. A "part" is the data of one event, or the document. Each
 * protocol has an `answer_format`, which reads a part.
 *
 * Text is passed on in whole code points only, because the bytes of a code point may arrive in two
 * parts. Bytes that are not UTF-8 become U+FFFD.
 */
struct answer_format {
    const char *last_data; /* the data of an event that ends the stream, or NULL */

    /* Take text, tokens and the end from `part`, with the functions for formats below. */
    enum status (*read)(struct answer *answer, const struct json *part, struct error *err);
};

/* The state of an answer. With only `format` set, nothing has arrived yet. */
struct answer {
    const struct answer_format *format;
    struct sse sse;
    struct strbuf document;
    struct strbuf text;    /* not yet taken */
    struct strbuf thought; /* the model's reasoning, not yet taken */
    bool is_document;
    bool has_text;
    bool is_whole; /* the server has marked the text as complete */
    bool is_last;  /* the server has marked the end of all data, usage included */
    bool has_tokens;
    int64_t prompt_tokens;
    int64_t cached_tokens; /* the part of prompt_tokens that the server read from its cache */
    int64_t reply_tokens;
};

/* Read the next bytes of the response's body. */
enum status answer_feed(struct answer *answer, const char *bytes, size_t len,
                        struct error *err) MUST_CHECK;

/* Call this at the end of the body: it fails unless the answer is complete and has text. */
enum status answer_finish(struct answer *answer, struct error *err) MUST_CHECK;

/* Take the text that has arrived since the last call; it may be empty. The caller releases it. */
struct strbuf answer_take_text(struct answer *answer);

/* Take the new part of the model's reasoning in the same way. */
struct strbuf answer_take_thought(struct answer *answer);

/* Free everything but the format. */
void answer_release(struct answer *answer);

/* The functions for formats. */

/* Append `text` to the reply; NULL appends nothing. */
void answer_add_text(struct answer *answer, const char *text);

/* Append `text` to the model's reasoning, which is no part of the reply; NULL appends nothing. */
void answer_add_thought(struct answer *answer, const char *text);

/* A reason to stop that makes the reply useless. */
struct answer_stop {
    const char *reason; /* as the server writes it; NULL ends a table */
    const char *text;   /* the text for the engineer */
};

/*
 * Note that the model stopped for `reason`; NULL means that it continues. Fails for a reason in
 * `bad`.
 */
enum status answer_stop(struct answer *answer, const char *reason, const struct answer_stop *bad,
                        struct error *err) MUST_CHECK;

/* The number of tokens at `key` of `usage`, or 0. */
int64_t answer_count(const struct json *usage, const char *key);

/* The text of the error that `part` reports, in any of the shapes that servers use; or NULL. */
const char *answer_error_text(const struct json *part);

#endif
