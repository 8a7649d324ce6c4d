#include "core/template/jinja_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

static void print_character(char character, struct jinja_sink *out)
{
    jinja_sink_add(out, (struct jinja_text){&character, 1});
}

static void print_backslash(char letter, struct jinja_sink *out)
{
    print_character('\\', out);
    print_character(letter, out);
}

/* "\x0a" with the letter `x`, "\u000a" with `u`. */
static void print_code(char letter, uint32_t code, struct jinja_sink *out)
{
    char digits[12];

    snprintf(digits, sizeof(digits), letter == 'x' ? "%02x" : "%04x", (unsigned)code);
    print_backslash(letter, out);
    jinja_sink_adds(out, digits);
}

static void print_int(int64_t integer, struct jinja_sink *out)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, integer);
    jinja_sink_adds(out, text);
}

/* The fewest digits that read back as the same number, with an exponent where Python has one. */
static void print_float(double real, struct jinja_sink *out)
{
    char text[40];
    int digits = 0;

    if (isnan(real))
        real = NAN; /* without the sign that arithmetic may give it */
    do
        snprintf(text, sizeof(text), "%.*e", digits, real);
    while (digits++ < 17 && strtod(text, NULL) != real);
    if (isfinite(real)) {
        int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
        int decimals = digits - 1 - exponent;

        if (exponent >= -4 && exponent < 16)
            snprintf(text, sizeof(text), "%.*f", decimals > 0 ? decimals : 1, real);
    }
    jinja_sink_adds(out, text);
}

static void print_quoted_character(struct jinja_text character, uint32_t code, char quote,
                                   struct jinja_sink *out)
{
    if (code == (uint32_t)quote || code == '\\')
        print_backslash((char)code, out);
    else if (code == '\n' || code == '\r' || code == '\t')
        print_backslash((char)(code == '\n' ? 'n' : code == '\r' ? 'r' : 't'), out);
    else if (code < ' ' || code == 0x7F)
        print_code('x', code, out);
    else
        jinja_sink_add(out, character);
}

/* A string inside a list or a dict. */
static void print_quoted(struct jinja_text text, struct jinja_sink *out)
{
    bool apostrophes = text.len && memchr(text.bytes, '\'', text.len);
    bool quotes = text.len && memchr(text.bytes, '"', text.len);
    char quote = (char)(apostrophes && !quotes ? '"' : '\'');

    print_character(quote, out);
    while (text.len && !out->full) {
        uint32_t code;
        struct jinja_text character = jinja_text_next(&text, &code);

        print_quoted_character(character, code, quote, out);
    }
    print_character(quote, out);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the values, which jinja_enter() limits */

static void print_inside(struct jinja_value value, struct jinja_sink *out)
{
    if (value.type == JINJA_STRING)
        print_quoted(value.text, out);
    else
        jinja_print(value, out);
}

static void print_list(const struct jinja_list *list, struct jinja_sink *out)
{
    for (size_t i = 0; i < list->count && !out->full; i++) {
        jinja_sink_adds(out, i ? ", " : "");
        print_inside(list->items[i], out);
    }
}

static void print_dict(const struct jinja_dict *dict, struct jinja_sink *out)
{
    jinja_sink_adds(out, "{");
    for (size_t i = 0; i < dict->count && !out->full; i++) {
        jinja_sink_adds(out, i ? ", " : "");
        print_quoted(dict->pairs[i].key, out);
        jinja_sink_adds(out, ": ");
        print_inside(dict->pairs[i].value, out);
    }
    jinja_sink_adds(out, "}");
}

void jinja_print(struct jinja_value value, struct jinja_sink *out)
{
    switch (value.type) {
    case JINJA_NONE:
        jinja_sink_adds(out, "None");
        break;
    case JINJA_BOOL:
        jinja_sink_adds(out, value.truth ? "True" : "False");
        break;
    case JINJA_INT:
        print_int(value.integer, out);
        break;
    case JINJA_FLOAT:
        print_float(value.real, out);
        break;
    case JINJA_STRING:
        jinja_sink_add(out, value.text);
        break;
    case JINJA_LIST:
    case JINJA_TUPLE:
        jinja_sink_adds(out, value.type == JINJA_LIST ? "[" : "(");
        print_list(value.list, out);
        jinja_sink_adds(out, value.type == JINJA_LIST ? "]" : value.list->count == 1 ? ",)" : ")");
        break;
    case JINJA_DICT:
        print_dict(value.dict, out);
        break;
    case JINJA_MACRO:
        jinja_sink_adds(out, "<macro>");
        break;
    case JINJA_ABSENT:
    case JINJA_UNDEFINED:
    default:
        break;
    }
}

/* The letter after the backslash in JSON's short escapes, or 0. */
static char short_escape(uint32_t code)
{
    static const char codes[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
    const char *found = code && code < 0x80 ? strchr(codes, (int)code) : NULL;

    return (char)(found ? letters[found - codes] : 0);
}

static void write_character(uint32_t code, struct jinja_sink *out)
{
    if (short_escape(code)) {
        print_backslash(short_escape(code), out);
    } else if (code > 0xFFFF) {
        print_code('u', 0xD800 + ((code - 0x10000) >> 10), out);
        print_code('u', 0xDC00 + (code & 0x3FF), out);
    } else if (code < ' ' || code > '~' || strchr("<>&'", (int)code)) {
        print_code('u', code, out);
    } else {
        print_character((char)code, out);
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

/* A line break and its indentation, or `otherwise` where everything is on one line. */
static void write_break(int indent, size_t depth, const char *otherwise, struct jinja_sink *out)
{
    if (indent < 0) {
        jinja_sink_adds(out, otherwise);
        return;
    }
    jinja_sink_adds(out, "\n");
    jinja_sink_repeat(out, jinja_text_of(" "), (size_t)indent * depth);
}

static int by_key(const void *left, const void *right)
{
    return jinja_text_compare(((const struct jinja_pair *)left)->key,
                              ((const struct jinja_pair *)right)->key);
}

/* A document being written, and how deep in it the writer is. */
struct place {
    struct jinja_sink *out;
    int indent;
    size_t depth;
};

static void write_value(struct place at, struct jinja_value value);

static void write_dict(struct place at, const struct jinja_dict *dict)
{
    struct jinja_pair *pairs = mem_alloc_zeroed(dict->count, sizeof(*pairs));

    memcpy(pairs, dict->pairs, dict->count * sizeof(*pairs));
    qsort(pairs, dict->count, sizeof(*pairs), by_key);
    for (size_t i = 0; i < dict->count && !at.out->full; i++) {
        jinja_sink_adds(at.out, i ? "," : "");
        write_break(at.indent, at.depth, i ? " " : "", at.out);
        write_string(pairs[i].key, at.out);
        jinja_sink_adds(at.out, ": ");
        write_value(at, pairs[i].value);
    }
    free(pairs);
}

static void write_list(struct place at, const struct jinja_list *list)
{
    for (size_t i = 0; i < list->count && !at.out->full; i++) {
        jinja_sink_adds(at.out, i ? "," : "");
        write_break(at.indent, at.depth, i ? " " : "", at.out);
        write_value(at, list->items[i]);
    }
}

static void write_container(struct place at, struct jinja_value value)
{
    bool is_dict = value.type == JINJA_DICT;
    size_t count = is_dict ? value.dict->count : value.list->count;
    struct place inside = {at.out, at.indent, at.depth + 1};

    jinja_sink_adds(at.out, is_dict ? "{" : "[");
    if (count && is_dict)
        write_dict(inside, value.dict);
    else if (count)
        write_list(inside, value.list);
    if (count)
        write_break(at.indent, at.depth, "", at.out);
    jinja_sink_adds(at.out, is_dict ? "}" : "]");
}

static void write_value(struct place at, struct jinja_value value)
{
    if (value.type == JINJA_STRING)
        write_string(value.text, at.out);
    else if (value.type == JINJA_LIST || value.type == JINJA_TUPLE || value.type == JINJA_DICT)
        write_container(at, value);
    else if (value.type == JINJA_BOOL)
        jinja_sink_adds(at.out, value.truth ? "true" : "false");
    else if (jinja_is_number(value))
        jinja_print(value, at.out);
    else
        jinja_sink_adds(at.out, "null");
}

/* NOLINTEND(misc-no-recursion) */

void jinja_print_json(struct jinja_value value, int indent, struct jinja_sink *out)
{
    write_value((struct place){out, indent, 0}, value);
}
