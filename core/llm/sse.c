#include "core/llm/sse.h"

#include <string.h>

#include "core/base/array.h"

static void clear(struct strbuf *sb)
{
    sb->len = 0;
}

static bool is_named(const char *name, size_t len, const char *wanted)
{
    return len == strlen(wanted) && memcmp(name, wanted, len) == 0;
}

/* The names of all fields; that of a comment is empty. */
static bool is_field(const char *name, size_t len)
{
    static const char *const names[] = {"", "data", "event", "id", "retry"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (is_named(name, len, names[i]))
            return true;
    return false;
}

static void take_field(struct sse *sse, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len);
    size_t name_len = colon ? (size_t)(colon - line) : len;
    const char *value = colon ? colon + 1 : line + len;

    if (value < line + len && *value == ' ')
        value++;
    sse->has_field = sse->has_field || is_field(line, name_len);
    if (is_named(line, name_len, "data")) {
        strbuf_add(&sse->event_data, value, (size_t)(line + len - value));
        strbuf_adds(&sse->event_data, "\n");
    } else if (is_named(line, name_len, "event")) {
        clear(&sse->event_type);
        strbuf_add(&sse->event_type, value, (size_t)(line + len - value));
    }
}

/* An empty line ends the event: call the callback, unless the event has no data. */
static enum status dispatch(struct sse *sse, struct error *err)
{
    struct sse_event event = {.type = "message"};
    enum status st = STATUS_OK;

    if (sse->event_data.len > 0) {
        sse->event_data.data[--sse->event_data.len] = '\0';
        event.data = sse->event_data.data;
        event.len = sse->event_data.len;
        if (sse->event_type.len > 0)
            event.type = strbuf_cstr(&sse->event_type);
        st = sse->call(sse->data, &event, err);
    }
    clear(&sse->event_data);
    clear(&sse->event_type);
    return st;
}

static enum status end_line(struct sse *sse, struct error *err)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    const char *line = strbuf_cstr(&sse->line);
    size_t len = sse->line.len;

    if (!sse->is_past_first_line && len >= 3 && memcmp(line, byte_order_mark, 3) == 0) {
        line += 3;
        len -= 3;
    }
    sse->is_past_first_line = true;
    clear(&sse->line);
    if (len == 0)
        return dispatch(sse, err);
    take_field(sse, line, len);
    return STATUS_OK;
}

/* A line ends with LF, CR or CR LF. */
static enum status take_byte(struct sse *sse, char byte, struct error *err)
{
    bool is_rest_of_end = sse->is_after_cr && byte == '\n';

    sse->is_after_cr = byte == '\r';
    if (is_rest_of_end)
        return STATUS_OK;
    if (byte == '\n' || byte == '\r')
        return end_line(sse, err);
    if (sse->line.len + sse->event_data.len >= SSE_MAX_EVENT_BYTES)
        return error_set(err, STATUS_INVALID, "the stream holds an event of over %d bytes",
                         SSE_MAX_EVENT_BYTES);
    strbuf_add(&sse->line, &byte, 1);
    return STATUS_OK;
}

enum status sse_feed(struct sse *sse, const char *bytes, size_t len, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; i < len && !st; i++)
        st = take_byte(sse, bytes[i], err);
    return st;
}

void sse_release(struct sse *sse)
{
    strbuf_release(&sse->line);
    strbuf_release(&sse->event_type);
    strbuf_release(&sse->event_data);
}
