#include "core/session/state/event.h"

#include <string.h>

#include "core/base/utf8.h"
#include "core/session/state/event_rows.h"

enum { FORMAT_VERSION = 1 };

struct event event_make(enum event_type type, const void *data)
{
    struct event event = {.type = type, .body = record_encode(event_rows[type].fields, data)};

    if (type == EVENT_SESSION_OPENED || type == EVENT_SUITE_OPENED)
        json_put_number(event.body, "kforge", FORMAT_VERSION);
    return event;
}

enum status event_decode(const struct event *event, const char *place, union event_data *data,
                         struct error *err)
{
    struct json_ref at = json_ref_root(event->body, place);
    union event_data read = {0};

    if (json_get_number(event->body, "kforge", FORMAT_VERSION) > FORMAT_VERSION)
        return error_set(err, STATUS_UNAVAILABLE,
                         "%s: was written by a newer version of kforge: install that version",
                         place);
    for (const char *const *key = event_rows[event->type].required; *key; key++)
        if (!json_get(event->body, *key))
            return json_ref_error(&at, err, "%s: missing", *key);
    if (record_decode(event_rows[event->type].fields, &read, &at, err))
        return STATUS_INVALID;
    *data = read;
    return STATUS_OK;
}

const char *event_text(const struct event *event)
{
    for (const struct field *field = event_rows[event->type].fields; field->key; field++)
        if (field->codec == &event_text_codec)
            return json_get_string(event->body, field->key, NULL);
    return NULL;
}

void event_release(struct event *event)
{
    json_free(event->body);
    *event = (struct event){0};
}

const char *event_name(enum event_type type)
{
    return event_rows[type].name;
}

/* A copy of the value; invalid UTF-8 in a text becomes U+FFFD. */
static struct json *clean_copy(const struct json *value)
{
    const char *text = json_string(value, NULL);
    struct strbuf clean = {0};
    struct json *copy;
    uint32_t code;

    if (!text)
        return json_dup(value);
    for (size_t left = strlen(text), taken; left > 0; text += taken, left -= taken) {
        taken = utf8_decode(text, left, &code);
        utf8_encode(&clean, code);
    }
    copy = json_string_new(strbuf_cstr(&clean));
    strbuf_release(&clean);
    return copy;
}

void event_stamp(struct event *event, uint64_t seq, const char *time)
{
    struct json *body = json_object_new();

    json_put_number(body, "seq", (double)seq);
    json_put_string(body, "at", time);
    json_put_string(body, "type", event_name(event->type));
    for (const struct json *m = json_first(event->body); m; m = json_next(m))
        if (!json_get(body, json_key(m)))
            json_put(body, json_key(m), clean_copy(m));
    json_free(event->body);
    event->body = body;
    event->seq = seq;
}

const char *event_time(const struct event *event)
{
    return json_get_string(event->body, "at", "");
}

static enum status read_type(const struct json_ref *at, enum event_type *type, struct error *err)
{
    const char *name = NULL;
    enum status st = json_read_string(at, &name, err);

    if (st)
        return st;
    for (size_t i = EVENT_NONE + 1; i < event_row_count; i++) {
        if (strcmp(event_rows[i].name, name) == 0) {
            *type = (enum event_type)i;
            return STATUS_OK;
        }
    }
    return json_ref_error(at, err, "unknown type of event \"%.60s\"", name);
}

/* The members that every event has. */
static enum status read_head(struct event *event, const struct json_ref *root, struct error *err)
{
    struct json_ref seq = json_ref_member(root, "seq"), at = json_ref_member(root, "at"),
                    type = json_ref_member(root, "type");
    const char *stamp = NULL;
    int64_t number = 0;

    if (json_expect(root, JSON_OBJECT, err) || json_read_integer(&seq, &number, err) ||
        json_read_string(&at, &stamp, err) || read_type(&type, &event->type, err))
        return STATUS_INVALID;
    if (number < 1)
        return json_ref_error(&seq, err, "expected a number from 1 on, found %lld",
                              (long long)number);
    if (strlen(stamp) >= CLOCK_STAMP_SIZE)
        return json_ref_error(&at, err, "expected a time, found \"%.60s\"", stamp);
    event->seq = (uint64_t)number;
    return STATUS_OK;
}

enum status event_parse(struct event *event, const char *line, const char *place, struct error *err)
{
    struct error inner = {0};
    struct event read = {.body = json_parse(line, strlen(line), &inner)};
    struct json_ref root = json_ref_root(read.body, place);

    if (!read.body)
        return error_set(err, inner.code, "%s: %s", place, inner.text);
    if (read_head(&read, &root, err)) {
        event_release(&read);
        return STATUS_INVALID;
    }
    *event = read;
    return STATUS_OK;
}
