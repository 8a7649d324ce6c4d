#include "core/llm/answer.h"

#include <string.h>

#include "core/base/json.h"
#include "core/base/utf8.h"

const char *answer_error_text(const struct json *part)
{
    const struct json *error = json_get(part, "error");

    if (json_type(error) == JSON_OBJECT)
        return json_get_string(error, "message", "an error without a message");
    return json_string(error, NULL);
}

static enum status read_part(struct answer *answer, const char *text, size_t len, struct error *err)
{
    struct json *part = json_parse(text, len, err);
    enum status st = part ? STATUS_OK : STATUS_INVALID;

    if (part && answer_error_text(part))
        st = error_set(err, STATUS_INVALID, "%s", answer_error_text(part));
    else if (part)
        st = answer->format->read(answer, part, err);
    json_free(part);
    return st;
}

static enum status take_event(void *data, const struct sse_event *event, struct error *err)
{
    struct answer *answer = data;
    const char *last = answer->format->last_data;

    if (answer->is_last || event->len == 0)
        return STATUS_OK;
    if (!last || strcmp(event->data, last) != 0)
        return read_part(answer, event->data, event->len, err);
    answer->is_whole = true;
    answer->is_last = true;
    return STATUS_OK;
}

/* Some servers send white space before the document, to keep the connection alive. */
static size_t space_length(const char *bytes, size_t len)
{
    size_t n = 0;

    while (n < len && strchr(" \t\r\n", bytes[n]))
        n++;
    return n;
}

enum status answer_feed(struct answer *answer, const char *bytes, size_t len, struct error *err)
{
    size_t skipped = answer->sse.call ? 0 : space_length(bytes, len);

    bytes += skipped;
    len -= skipped;
    if (len == 0)
        return STATUS_OK;
    if (!answer->sse.call) {
        answer->sse = (struct sse){.call = take_event, .data = answer};
        answer->is_document = *bytes == '{'; /* no event stream begins with a brace */
    }
    if (!answer->is_document)
        return sse_feed(&answer->sse, bytes, len, err);
    strbuf_add(&answer->document, bytes, len);
    return STATUS_OK;
}

enum status answer_finish(struct answer *answer, struct error *err)
{
    if (answer->is_document) {
        enum status st = read_part(answer, answer->document.data, answer->document.len, err);

        if (st)
            return st;
    }
    if (answer->sse.call && !answer->is_document && !answer->sse.has_field)
        return error_set(err, STATUS_INVALID,
                         "the reply is neither a stream of events nor JSON: check the address");
    if (!answer->is_whole)
        return error_set(err, STATUS_IO, "the reply ends before it is complete");
    if (!answer->has_text)
        return error_set(err, STATUS_INVALID,
                         "the reply is empty: try again, or choose another model");
    return STATUS_OK;
}

/*
 * Take the whole code points of `text`; at the end, also the bytes that are not a whole code point.
 */
static struct strbuf take(struct strbuf *text, bool is_end)
{
    struct strbuf all = *text, whole = {0};
    size_t taken = utf8_add_whole(&whole, all.data, all.len, is_end);

    *text = (struct strbuf){0};
    if (taken < all.len)
        strbuf_add(text, all.data + taken, all.len - taken);
    strbuf_release(&all);
    return whole;
}

struct strbuf answer_take_text(struct answer *answer)
{
    return take(&answer->text, answer->is_whole);
}

struct strbuf answer_take_thought(struct answer *answer)
{
    return take(&answer->thought, answer->is_whole);
}

void answer_release(struct answer *answer)
{
    sse_release(&answer->sse);
    strbuf_release(&answer->document);
    strbuf_release(&answer->text);
    strbuf_release(&answer->thought);
    *answer = (struct answer){.format = answer->format};
}

void answer_add_text(struct answer *answer, const char *text)
{
    if (!text || !*text)
        return;
    strbuf_adds(&answer->text, text);
    answer->has_text = true;
}

void answer_add_thought(struct answer *answer, const char *text)
{
    if (text)
        strbuf_adds(&answer->thought, text);
}

enum status answer_stop(struct answer *answer, const char *reason, const struct answer_stop *bad,
                        struct error *err)
{
    if (!reason)
        return STATUS_OK;
    for (; bad->reason; bad++)
        if (strcmp(bad->reason, reason) == 0)
            return error_set(err, STATUS_INVALID, "%s", bad->text);
    answer->is_whole = true;
    return STATUS_OK;
}

int64_t answer_count(const struct json *usage, const char *key)
{
    double count = json_get_number(usage, key, 0);

    return count > 0 && count < 1e15 ? (int64_t)count : 0;
}
