#ifndef CORE_LLM_SSE_H
#define CORE_LLM_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Server-sent events out of a stream of bytes that arrives in pieces, by the
 * rules of the WHATWG HTML standard, section 9.2.6 "Interpreting an event
 * stream".  Where the pieces are cut makes no difference.  Comments, which
 * servers send to keep a connection alive, tell nothing and are dropped, and
 * so are `id` and `retry`: nobody here reconnects to a stream.  An event that
 * the stream does not finish with an empty line never happened.
 */

/* Both strings are borrowed for the call. */
struct sse_event {
    const char *type; /* "message" where the stream names none */
    const char *data;
    size_t len; /* of `data`, which is terminated and may hold NUL bytes */
};

/* A failure ends the feeding and is handed through to who feeds. */
typedef enum status sse_event_fn(void *data, const struct sse_event *event, struct error *err);

/* All zeros but for the first two is a stream of which nothing has come yet. */
struct sse {
    sse_event_fn *call;
    void *data;
    struct strbuf line;       /* so far, without its end */
    struct strbuf event_type; /* of the event under way */
    struct strbuf event_data; /* each line followed by a newline */
    bool is_after_cr;         /* a newline now belongs to the line before */
    bool is_past_first_line;  /* where a byte order mark may stand */
};

/* The other side decides how long an event is: past this feeding fails. */
enum { SSE_MAX_EVENT_BYTES = 1 << 20 };

/* Read the next bytes of the stream, and call for each event that they complete. */
enum status sse_feed(struct sse *sse, const char *bytes, size_t len, struct error *err) MUST_CHECK;

void sse_release(struct sse *sse);

#endif
