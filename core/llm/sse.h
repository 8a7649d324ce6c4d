#ifndef CORE_LLM_SSE_H
#define CORE_LLM_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * Parses server-sent events from a stream of bytes that arrives in pieces, by
 * the WHATWG HTML standard, section 9.2.6 "Interpreting an event stream".  The
 * result does not depend on how the stream is cut.  Comments, which servers
 * send to keep a connection alive, are dropped; so are `id` and `retry`,
 * because kforge never reconnects to a stream.  An event without the empty
 * line that ends it is dropped, too.
 */

/* The callback borrows both strings for the call. */
struct sse_event {
    const char *type; /* "message" if the stream names no type */
    const char *data;
    size_t len; /* length of `data`, which is terminated and may contain NUL bytes */
};

/* Called for each event.  A failure ends sse_feed(), which returns it. */
typedef enum status sse_event_fn(void *data, const struct sse_event *event, struct error *err);

/* The state of the parser. With only `call` and `data` set, nothing has arrived yet. */
struct sse {
    sse_event_fn *call;
    void *data;
    struct strbuf line;       /* the current line so far */
    struct strbuf event_type; /* type of the current event */
    struct strbuf event_data; /* data of the current event, each line followed by a newline */
    bool is_after_cr;         /* a newline now is the second half of CR LF */
    bool is_past_first_line;  /* the first line may begin with a byte order mark */
    bool has_field;           /* a line was a field or a comment, as in no other kind of text */
};

/* sse_feed() fails at a longer event: the length comes from the network. */
enum { SSE_MAX_EVENT_BYTES = 1 << 20 };

/* Parse the next bytes of the stream, and call `call` for each event that they complete. */
enum status sse_feed(struct sse *sse, const char *bytes, size_t len, struct error *err) MUST_CHECK;

/* Free the buffers. */
void sse_release(struct sse *sse);

#endif
