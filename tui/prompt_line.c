#include "tui/prompt_line.h"

#include <string.h>

#include "core/base/utf8.h"

void prompt_line_release(struct prompt_line *line)
{
    strbuf_release(&line->text);
    line->at = 0;
}

/* Where the characters before and after a place start. */
static size_t before(const struct prompt_line *line, size_t at)
{
    while (at > 0 && ((unsigned char)line->text.data[--at] & 0xC0) == 0x80)
        ;
    return at;
}

static size_t after(const struct prompt_line *line, size_t at)
{
    uint32_t code;

    return at < line->text.len ? at + utf8_decode(line->text.data + at, line->text.len - at, &code)
                               : at;
}

static size_t word_before(const struct prompt_line *line, size_t at)
{
    while (at > 0 && line->text.data[at - 1] == ' ')
        at--;
    while (at > 0 && line->text.data[at - 1] != ' ')
        at--;
    return at;
}

static void cut(struct prompt_line *line, size_t from, size_t end)
{
    struct strbuf *text = &line->text;

    if (from == end)
        return;
    memmove(text->data + from, text->data + end, text->len - end + 1);
    text->len -= end - from;
    line->at = from;
}

/* Insert bytes that are valid UTF-8. */
static void splice(struct prompt_line *line, const char *bytes, size_t len)
{
    struct strbuf joined = {0};

    strbuf_add(&joined, strbuf_cstr(&line->text), line->at);
    strbuf_add(&joined, bytes, len);
    strbuf_adds(&joined, strbuf_cstr(&line->text) + line->at);
    strbuf_release(&line->text);
    line->text = joined;
    line->at += len;
}

static void insert_code(struct prompt_line *line, uint32_t code)
{
    struct strbuf encoded = {0};

    utf8_encode(&encoded, code);
    splice(line, encoded.data, encoded.len);
    strbuf_release(&encoded);
}

void prompt_line_insert(struct prompt_line *line, const char *text, size_t len)
{
    struct strbuf clean = {0};

    while (len > 0) {
        uint32_t code;
        size_t taken = utf8_decode(text, len, &code);

        utf8_encode(&clean, utf8_is_hazardous(code) ? ' ' : code);
        text += taken;
        len -= taken;
    }
    splice(line, strbuf_cstr(&clean), clean.len);
    strbuf_release(&clean);
}

static enum prompt_line_state control_key(struct prompt_line *line, uint32_t letter)
{
    switch (letter) {
    case 'a':
        line->at = 0;
        break;
    case 'e':
        line->at = line->text.len;
        break;
    case 'k':
        cut(line, line->at, line->text.len);
        break;
    case 'u':
        cut(line, 0, line->at);
        break;
    case 'w':
        cut(line, word_before(line, line->at), line->at);
        break;
    case 'c':
    case 'g':
        return PROMPT_LINE_LEFT;
    default:
        break;
    }
    return PROMPT_LINE_EDITING;
}

static enum prompt_line_state text_key(struct prompt_line *line, struct key key)
{
    if (key.modifiers == KEY_MOD_CTRL)
        return control_key(line, key.code);
    if (!key.modifiers && !utf8_is_hazardous(key.code))
        insert_code(line, key.code);
    return PROMPT_LINE_EDITING;
}

enum prompt_line_state prompt_line_key(struct prompt_line *line, struct key key)
{
    switch ((int)key.input) {
    case INPUT_ENTER:
        return PROMPT_LINE_ENTERED;
    case INPUT_ESCAPE:
        return PROMPT_LINE_LEFT;
    case INPUT_TEXT:
        return text_key(line, key);
    case INPUT_BACKSPACE:
        cut(line, before(line, line->at), line->at);
        break;
    case INPUT_DELETE:
        cut(line, line->at, after(line, line->at));
        break;
    case INPUT_LEFT:
        line->at = before(line, line->at);
        break;
    case INPUT_RIGHT:
        line->at = after(line, line->at);
        break;
    case INPUT_HOME:
        line->at = 0;
        break;
    case INPUT_END:
        line->at = line->text.len;
        break;
    default:
        break;
    }
    return PROMPT_LINE_EDITING;
}

void prompt_line_draw(const struct prompt_line *line, const char *label, struct area area)
{
    struct pen pen = area_pen(area, 0, 0);
    int label_columns, cursor, hidden;
    struct area field;

    pen_puts(&pen, ROLE_STRONG, label);
    label_columns = pen.x;
    field = area_part(area, (struct rect){label_columns, 0, area.rect.w - label_columns, 1});
    cursor = canvas_text_columns(strbuf_cstr(&line->text), line->at);
    hidden = cursor < field.rect.w ? 0 : cursor - field.rect.w + 1;
    pen = area_pen(field, -hidden, 0);
    pen_put(&pen, ROLE_TEXT, strbuf_cstr(&line->text), line->text.len);
    area_set_cursor(field, cursor - hidden, 0);
}
