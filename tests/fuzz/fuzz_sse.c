#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/llm/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum status record(void *data, const struct sse_event *event, struct error *err)
{
    struct strbuf *events = data;

    (void)err;
    strbuf_add(events, event->type, strlen(event->type) + 1);
    strbuf_add(events, event->data, event->len + 1);
    return STATUS_OK;
}

/* Read the events of a stream in pieces of `step` bytes. */
static struct strbuf read_events(const char *stream, size_t len, size_t step)
{
    struct strbuf events = {0};
    struct sse sse = {.call = record, .data = &events};
    enum status st = STATUS_OK;

    for (size_t at = 0; at < len && !st; at += step)
        st = sse_feed(&sse, stream + at, len - at < step ? len - at : step, NULL);
    sse_release(&sse);
    return events;
}

/* The first byte is the size of the pieces; the events must not depend on it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *stream = (const char *)data + 1;

    if (size < 2)
        return 0;

    struct strbuf whole = read_events(stream, size - 1, size);
    struct strbuf pieces = read_events(stream, size - 1, data[0] + 1U);

    if (whole.len != pieces.len ||
        memcmp(strbuf_cstr(&whole), strbuf_cstr(&pieces), whole.len) != 0)
        abort();
    strbuf_release(&whole);
    strbuf_release(&pieces);
    return 0;
}
