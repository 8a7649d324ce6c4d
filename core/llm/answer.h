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
 * What a model's server has sent so far in answer to one request, read into
 * text: a stream of events, or one JSON document from a server that does not
 * stream.  Which of the two it is shows in its first byte.  The protocols
 * differ in what a part, an event's data or the document, looks like.
 *
 * Text leaves only in whole code points: the bytes of one may come in two
 * parts.  What is not UTF-8 becomes U+FFFD.
 */
struct answer_format {
    const char *last_data; /* of the event after the last part; NULL: none comes */

    /* Take text, tokens and the end from `part` through the functions below. */
    enum status (*read)(struct answer *answer, const struct json *part, struct error *err);
};

/* All zeros but for the format is an answer of which nothing has come. */
struct answer {
    const struct answer_format *format;
    struct sse sse;
    struct strbuf document;
    struct strbuf text; /* not yet taken */
    bool is_document;
    bool has_text;
    bool is_whole; /* the server has said that the text is complete */
    bool is_last;  /* ... and that nothing more comes, usage included */
    bool has_tokens;
    int64_t prompt_tokens;
    int64_t cached_tokens; /* of those */
    int64_t reply_tokens;
};

/* Read the next bytes of the response's body. */
enum status answer_feed(struct answer *answer, const char *bytes, size_t len,
                        struct error *err) MUST_CHECK;

/* The body is at its end: fails unless there is a whole answer with text in it. */
enum status answer_finish(struct answer *answer, struct error *err) MUST_CHECK;

/* Hand over the text that has come since the last time, perhaps none; the caller releases it. */
struct strbuf answer_take_text(struct answer *answer);

void answer_release(struct answer *answer);

/* For formats. */

/* NULL adds nothing. */
void answer_add_text(struct answer *answer, const char *text);

/* Why a model stopped, where that makes the reply useless. */
struct answer_stop {
    const char *reason; /* as the server writes it; NULL ends a table */
    const char *text;   /* what the engineer reads */
};

/* The model stopped for `reason`; NULL, it has not.  Fails for a reason that `bad` lists. */
enum status answer_stop(struct answer *answer, const char *reason, const struct answer_stop *bad,
                        struct error *err) MUST_CHECK;

/* The count of tokens that `usage` has under `key`, or 0. */
int64_t answer_count(const struct json *usage, const char *key);

/* What a server says went wrong, in the shapes that servers use; NULL: nothing. */
const char *answer_error_text(const struct json *part);

#endif
