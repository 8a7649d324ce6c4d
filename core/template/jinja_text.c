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

bool jinja_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct jinja_text jinja_text_trim_end(struct jinja_text text)
{
    while (text.len && jinja_is_space(text.bytes[text.len - 1]))
        text.len--;
    return text;
}

struct jinja_text jinja_text_trim(struct jinja_text text)
{
    while (text.len && jinja_is_space(*text.bytes)) {
        text.bytes++;
        text.len--;
    }
    return jinja_text_trim_end(text);
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
