#include "core/template/jinja_print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/template/jinja_number.h"
#include "core/template/jinja_tree.h"

/* NOLINTBEGIN(misc-no-recursion): as deep as the values, which the evaluator limits */

static void add_character(struct jinja_sink *out, char character)
{
    jinja_sink_add(out, (struct jinja_text){&character, 1});
}

/* A backslash, the letter, and the code with so many hexadecimal digits. */
static void add_escape(struct jinja_sink *out, char letter, int digits, uint32_t code)
{
    char text[16];

    snprintf(text, sizeof(text), "\\%c%0*x", letter, digits, (unsigned)code);
    jinja_sink_adds(out, text);
}

/* The letter of a short escape for the code: `pairs` are characters and their letters. */
static char short_escape(const char *pairs, uint32_t code)
{
    for (; *pairs; pairs += 2)
        if ((uint32_t)*pairs == code)
            return pairs[1];
    return '\0';
}

static void add_short_escape(struct jinja_sink *out, char letter)
{
    add_character(out, '\\');
    add_character(out, letter);
}

/* The characters of Unicode's category Cf (format), first and last of each range. */
static const uint32_t format_ranges[][2] = {
    {0x00AD, 0x00AD},   {0x0600, 0x0605},   {0x061C, 0x061C},   {0x06DD, 0x06DD},
    {0x070F, 0x070F},   {0x0890, 0x0891},   {0x08E2, 0x08E2},   {0x180E, 0x180E},
    {0x200B, 0x200F},   {0x202A, 0x202E},   {0x2060, 0x2064},   {0x2066, 0x206F},
    {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
    {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0001, 0xE007F},
};

/* str.isprintable(), as far as the C library knows the same Unicode as Python. */
static bool is_printable(uint32_t code)
{
    bool private_use = (code >= 0xE000 && code <= 0xF8FF) || code >= 0xF0000;

    if (!iswprint((wint_t)code) || private_use || (jinja_is_space(code) && code != ' '))
        return false;
    for (size_t i = 0; i < COUNT(format_ranges); i++)
        if (code >= format_ranges[i][0] && code <= format_ranges[i][1])
            return false;
    return true;
}

static void repr_character(struct jinja_text character, uint32_t code, char quote,
                           struct jinja_sink *out)
{
    char letter = short_escape("\tt\nn\rr\\\\", code);

    if (code == (uint32_t)quote)
        letter = quote;
    if (letter)
        add_short_escape(out, letter);
    else if (is_printable(code))
        jinja_sink_add(out, character);
    else if (code < 0x100)
        add_escape(out, 'x', 2, code);
    else if (code < 0x10000)
        add_escape(out, 'u', 4, code);
    else
        add_escape(out, 'U', 8, code);
}

static void repr_string(struct jinja_text text, struct jinja_sink *out)
{
    bool apostrophes = text.len && memchr(text.bytes, '\'', text.len);
    bool quotes = text.len && memchr(text.bytes, '"', text.len);
    char quote = (char)(apostrophes && !quotes ? '"' : '\'');
    const struct jinja_text mark = {&quote, 1};

    jinja_sink_add(out, mark);
    while (text.len) {
        uint32_t code;
        struct jinja_text character = jinja_text_next(&text, &code);

        repr_character(character, code, quote, out);
    }
    jinja_sink_add(out, mark);
}

static void repr(struct jinja_value value, struct jinja_sink *out);

static void repr_list(const struct jinja_list *list, const char *open, const char *close,
                      struct jinja_sink *out)
{
    jinja_sink_adds(out, open);
    for (size_t i = 0; i < list->count && !out->full; i++) {
        jinja_sink_adds(out, i ? ", " : "");
        repr(list->items[i], out);
    }
    jinja_sink_adds(out, close);
}

static void repr_view(struct jinja_value value, struct jinja_sink *out)
{
    jinja_sink_adds(out, value.view);
    repr_list(value.list, "([", "])", out);
}

static void repr_dict(const struct jinja_dict *dict, struct jinja_sink *out)
{
    jinja_sink_adds(out, "{");
    for (size_t i = 0; i < dict->count && !out->full; i++) {
        jinja_sink_adds(out, i ? ", " : "");
        repr(dict->pairs[i].key, out);
        jinja_sink_adds(out, ": ");
        repr(dict->pairs[i].value, out);
    }
    jinja_sink_adds(out, "}");
}

static void repr_loop(const struct jinja_loop *loop, struct jinja_sink *out)
{
    jinja_sink_adds(out, "<LoopContext ");
    jinja_write_int((int64_t)loop->index + 1, out);
    jinja_sink_adds(out, "/");
    jinja_write_int((int64_t)loop->items->count, out);
    jinja_sink_adds(out, ">");
}

static void repr_macro(const struct jinja_macro *macro, struct jinja_sink *out)
{
    jinja_sink_adds(out, "<Macro ");
    if (macro->definition->name)
        repr_string(jinja_text_of(macro->definition->name), out);
    else
        jinja_sink_adds(out, "anonymous");
    jinja_sink_adds(out, ">");
}

static void repr(struct jinja_value value, struct jinja_sink *out)
{
    switch (value.type) {
    case JINJA_ABSENT:
    case JINJA_UNDEFINED:
        jinja_sink_adds(out, "Undefined");
        break;
    case JINJA_NONE:
        jinja_sink_adds(out, "None");
        break;
    case JINJA_BOOL:
        jinja_sink_adds(out, value.truth ? "True" : "False");
        break;
    case JINJA_INT:
        jinja_write_int(value.integer, out);
        break;
    case JINJA_FLOAT:
        jinja_write_float(value.real, out);
        break;
    case JINJA_STRING:
        repr_string(value.text, out);
        break;
    case JINJA_LIST:
        repr_list(value.list, "[", "]", out);
        break;
    case JINJA_TUPLE:
        repr_list(value.list, "(", value.list->count == 1 ? ",)" : ")", out);
        break;
    case JINJA_VIEW:
        repr_view(value, out);
        break;
    case JINJA_RANGE:
        jinja_sink_adds(out, value.view);
        break;
    case JINJA_DICT:
        repr_dict(value.dict, out);
        break;
    case JINJA_LOOP:
        repr_loop(value.loop, out);
        break;
    case JINJA_MACRO:
        repr_macro(value.macro, out);
        break;
    case JINJA_FUNCTION:
        jinja_sink_adds(out, "<class '");
        jinja_sink_adds(out, value.function->name);
        jinja_sink_adds(out, "'>");
    }
}

void jinja_print(struct jinja_value value, struct jinja_sink *out)
{
    if (value.type == JINJA_STRING)
        jinja_sink_add(out, value.text);
    else if (value.type != JINJA_UNDEFINED)
        repr(value, out);
}

static void write_character(uint32_t code, struct jinja_sink *out)
{
    char letter = short_escape("\bb\ff\nn\rr\tt\"\"\\\\", code);

    if (letter) {
        add_short_escape(out, letter);
    } else if (code > 0xFFFF) {
        add_escape(out, 'u', 4, 0xD800 + ((code - 0x10000) >> 10));
        add_escape(out, 'u', 4, 0xDC00 + (code & 0x3FF));
    } else if (code < ' ' || code > '~' || strchr("<>&'", (int)code)) {
        add_escape(out, 'u', 4, code);
    } else {
        add_character(out, (char)code);
    }
}

static void write_string(struct jinja_text text, struct jinja_sink *out)
{
    jinja_sink_adds(out, "\"");
    while (text.len && !out->full) {
        uint32_t code;

        jinja_text_next(&text, &code);
        write_character(code, out);
    }
    jinja_sink_adds(out, "\"");
}

/* A document being written. */
struct json_writer {
    struct jinja_sink *out;
    const struct jinja_text *indent;
    size_t depth;
    struct error *err;
};

static enum status write_value(struct json_writer *w, struct jinja_value value);

static void write_line(struct json_writer *w)
{
    if (!w->indent)
        return;
    jinja_sink_adds(w->out, "\n");
    jinja_sink_repeat(w->out, *w->indent, w->depth);
}

static void write_open(struct json_writer *w, const char *bracket)
{
    jinja_sink_adds(w->out, bracket);
    w->depth++;
    write_line(w);
}

static void write_comma(struct json_writer *w)
{
    jinja_sink_adds(w->out, w->indent ? "," : ", ");
    write_line(w);
}

static void write_close(struct json_writer *w, const char *bracket)
{
    w->depth--;
    write_line(w);
    jinja_sink_adds(w->out, bracket);
}

static enum status write_list(struct json_writer *w, const struct jinja_list *list)
{
    enum status st = STATUS_OK;

    if (!list->count) {
        jinja_sink_adds(w->out, "[]");
        return STATUS_OK;
    }
    write_open(w, "[");
    for (size_t i = 0; i < list->count && !st && !w->out->full; i++) {
        if (i)
            write_comma(w);
        st = write_value(w, list->items[i]);
    }
    write_close(w, "]");
    return st;
}

static enum status write_key(struct json_writer *w, struct jinja_value key)
{
    if (key.type == JINJA_STRING) {
        write_string(key.text, w->out);
        return STATUS_OK;
    }
    jinja_sink_adds(w->out, "\"");

    enum status st = write_value(w, key);

    jinja_sink_adds(w->out, "\"");
    return st;
}

static int by_key(const void *left, const void *right)
{
    struct jinja_value a = ((const struct jinja_pair *)left)->key;
    struct jinja_value b = ((const struct jinja_pair *)right)->key;

    if (a.type == JINJA_STRING)
        return jinja_text_compare(a.text, b.text);
    return (jinja_to_float(a) > jinja_to_float(b)) - (jinja_to_float(a) < jinja_to_float(b));
}

/* The pairs in the order of their keys, for the caller to free; NULL if those have no order. */
static struct jinja_pair *sorted_pairs(const struct jinja_dict *dict)
{
    struct jinja_value first = dict->pairs[0].key;

    for (size_t i = 1; i < dict->count; i++) {
        struct jinja_value key = dict->pairs[i].key;

        if (key.type == JINJA_STRING ? first.type != JINJA_STRING
                                     : !jinja_is_number(key) || !jinja_is_number(first))
            return NULL;
    }

    struct jinja_pair *pairs = mem_alloc_zeroed(dict->count, sizeof(*pairs));

    memcpy(pairs, dict->pairs, dict->count * sizeof(*pairs));
    if (dict->count > 1)
        qsort(pairs, dict->count, sizeof(*pairs), by_key);
    return pairs;
}

static enum status write_pairs(struct json_writer *w, const struct jinja_pair *pairs, size_t count)
{
    enum status st = STATUS_OK;

    write_open(w, "{");
    for (size_t i = 0; i < count && !st && !w->out->full; i++) {
        if (i)
            write_comma(w);
        st = write_key(w, pairs[i].key);
        jinja_sink_adds(w->out, ": ");
        if (!st)
            st = write_value(w, pairs[i].value);
    }
    write_close(w, "}");
    return st;
}

static enum status write_dict(struct json_writer *w, const struct jinja_dict *dict)
{
    if (!dict->count) {
        jinja_sink_adds(w->out, "{}");
        return STATUS_OK;
    }

    struct jinja_pair *pairs = sorted_pairs(dict);

    if (!pairs)
        return error_set(w->err, STATUS_INVALID, "the keys of the dict have no order");

    enum status st = write_pairs(w, pairs, dict->count);

    free(pairs);
    return st;
}

static void write_float(double real, struct jinja_sink *out)
{
    if (isfinite(real))
        jinja_write_float(real, out);
    else
        jinja_sink_adds(out, isnan(real) ? "NaN" : real < 0 ? "-Infinity" : "Infinity");
}

static enum status write_value(struct json_writer *w, struct jinja_value value)
{
    switch (value.type) {
    case JINJA_NONE:
        jinja_sink_adds(w->out, "null");
        return STATUS_OK;
    case JINJA_BOOL:
        jinja_sink_adds(w->out, value.truth ? "true" : "false");
        return STATUS_OK;
    case JINJA_INT:
        jinja_write_int(value.integer, w->out);
        return STATUS_OK;
    case JINJA_FLOAT:
        write_float(value.real, w->out);
        return STATUS_OK;
    case JINJA_STRING:
        write_string(value.text, w->out);
        return STATUS_OK;
    case JINJA_LIST:
    case JINJA_TUPLE:
        return write_list(w, value.list);
    case JINJA_DICT:
        return write_dict(w, value.dict);
    case JINJA_ABSENT:
    case JINJA_UNDEFINED:
    case JINJA_VIEW:
    case JINJA_RANGE:
    case JINJA_LOOP:
    case JINJA_MACRO:
    case JINJA_FUNCTION:
    default:
        return error_set(w->err, STATUS_INVALID, "%s has no JSON form", jinja_type_name(value));
    }
}

/* NOLINTEND(misc-no-recursion) */

enum status jinja_print_json(struct jinja_value value, const struct jinja_text *indent,
                             struct jinja_sink *out, struct error *err)
{
    struct json_writer w = {.out = out, .indent = indent, .err = err};

    return write_value(&w, value);
}
