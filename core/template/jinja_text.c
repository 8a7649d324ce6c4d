#include "core/template/jinja_text.h"

#include <string.h>

#include "core/base/utf8.h"

struct jinja_text jinja_text_of(const char *text)
{
    return (struct jinja_text){text, strlen(text)};
}

bool jinja_text_is(struct jinja_text text, const char *word)
{
    return jinja_text_compare(text, jinja_text_of(word)) == 0;
}

int jinja_text_compare(struct jinja_text a, struct jinja_text b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common ? memcmp(a.bytes, b.bytes, common) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

struct jinja_text jinja_text_next(struct jinja_text *rest, uint32_t *code)
{
    struct jinja_text one = {rest->bytes, utf8_decode(rest->bytes, rest->len, code)};

    rest->bytes += one.len;
    rest->len -= one.len;
    return one;
}

size_t jinja_text_length(struct jinja_text text)
{
    size_t length = 0;
    uint32_t code;

    for (; text.len; length++)
        jinja_text_next(&text, &code);
    return length;
}

static bool is_among(uint32_t code, const struct jinja_text *chars)
{
    if (!chars)
        return jinja_is_space(code);
    for (struct jinja_text rest = *chars; rest.len;) {
        uint32_t one;

        jinja_text_next(&rest, &one);
        if (one == code)
            return true;
    }
    return false;
}

struct jinja_text jinja_text_trim_end(struct jinja_text text, const struct jinja_text *chars)
{
    while (text.len) {
        size_t start = text.len - 1;
        uint32_t code;

        while (start > 0 && ((unsigned char)text.bytes[start] & 0xC0) == 0x80)
            start--;
        utf8_decode(text.bytes + start, text.len - start, &code);
        if (!is_among(code, chars))
            break;
        text.len = start;
    }
    return text;
}

struct jinja_text jinja_text_trim(struct jinja_text text, const struct jinja_text *chars)
{
    struct jinja_text rest = text;

    while (rest.len) {
        uint32_t code;

        jinja_text_next(&rest, &code);
        if (!is_among(code, chars))
            break;
        text = rest;
    }
    return jinja_text_trim_end(text, chars);
}

bool jinja_is_newline(uint32_t code)
{
    return (code >= '\n' && code <= '\r') || (code >= 0x1C && code <= 0x1E) || code == 0x85 ||
           code == 0x2028 || code == 0x2029;
}

bool jinja_is_space(uint32_t code)
{
    return jinja_is_newline(code) || code == '\t' || code == ' ' || code == 0x1F || code == 0xA0 ||
           code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x202F ||
           code == 0x205F || code == 0x3000;
}

void jinja_sink_add(struct jinja_sink *sink, struct jinja_text text)
{
    if (sink->full || text.len > JINJA_TEXT_MAX - sink->text.len)
        sink->full = true;
    else if (text.len)
        strbuf_add(&sink->text, text.bytes, text.len);
}

void jinja_sink_adds(struct jinja_sink *sink, const char *text)
{
    jinja_sink_add(sink, jinja_text_of(text));
}

void jinja_sink_repeat(struct jinja_sink *sink, struct jinja_text text, size_t count)
{
    for (size_t i = 0; text.len && i < count && !sink->full; i++)
        jinja_sink_add(sink, text);
}

enum status jinja_sink_take(struct jinja_sink *sink, struct arena *arena, struct jinja_text *out,
                            struct error *err)
{
    enum status st = STATUS_OK;

    if (sink->full)
        st = error_set(err, STATUS_INVALID, "more than %d MiB of text", JINJA_TEXT_MAX >> 20);
    else
        *out = (struct jinja_text){arena_copy(arena, strbuf_cstr(&sink->text), sink->text.len),
                                   sink->text.len};
    strbuf_release(&sink->text);
    *sink = (struct jinja_sink){0};
    return st;
}
