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

/* "\u000a" */
static void print_code(uint32_t code, struct jinja_sink *out)
{
    char digits[16];

    snprintf(digits, sizeof(digits), "\\u%04x", (unsigned)code);
    jinja_sink_adds(out, digits);
}

static void print_int(int64_t integer, struct jinja_sink *out)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRId64, integer);
    jinja_sink_adds(out, text);
}

/*
 * Print the fewest digits that read back as the same number, with an exponent where Python prints
 * one.
 */
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

static void print_number(struct jinja_value number, struct jinja_sink *out)
{
    if (number.type == JINJA_FLOAT)
        print_float(number.real, out);
    else
        print_int(jinja_to_integer(number), out);
}

void jinja_print(struct jinja_render *r, struct jinja_value value, struct jinja_sink *out)
{
    if (value.type == JINJA_STRING)
        jinja_sink_add(out, value.text);
    else if (value.type == JINJA_BOOL)
        jinja_sink_adds(out, value.truth ? "True" : "False");
    else if (value.type == JINJA_NONE)
        jinja_sink_adds(out, "None");
    else if (jinja_is_number(value))
        print_number(value, out);
    else if (value.type > JINJA_STRING)
        jinja_fail(r, "%s cannot be printed: use the filter join or tojson",
                   jinja_type_name(value));
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
        print_code(0xD800 + ((code - 0x10000) >> 10), out);
        print_code(0xDC00 + (code & 0x3FF), out);
    } else if (code < ' ' || code > '~' || strchr("<>&'", (int)code)) {
        print_code(code, out);
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

static int by_key(const void *left, const void *right)
{
    return jinja_text_compare(((const struct jinja_pair *)left)->key,
                              ((const struct jinja_pair *)right)->key);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the values, which jinja_enter() limits */

static void write_dict(const struct jinja_dict *dict, struct jinja_sink *out)
{
    struct jinja_pair *pairs = mem_alloc_zeroed(dict->count + 1, sizeof(*pairs));

    memcpy(pairs, dict->pairs, dict->count * sizeof(*pairs));
    qsort(pairs, dict->count, sizeof(*pairs), by_key);
    jinja_sink_adds(out, "{");
    for (size_t i = 0; i < dict->count && !out->full; i++) {
        jinja_sink_adds(out, i ? ", " : "");
        write_string(pairs[i].key, out);
        jinja_sink_adds(out, ": ");
        jinja_print_json(pairs[i].value, out);
    }
    jinja_sink_adds(out, "}");
    free(pairs);
}

static void write_list(const struct jinja_list *list, struct jinja_sink *out)
{
    jinja_sink_adds(out, "[");
    for (size_t i = 0; i < list->count && !out->full; i++) {
        jinja_sink_adds(out, i ? ", " : "");
        jinja_print_json(list->items[i], out);
    }
    jinja_sink_adds(out, "]");
}

void jinja_print_json(struct jinja_value value, struct jinja_sink *out)
{
    if (value.type == JINJA_STRING)
        write_string(value.text, out);
    else if (value.type == JINJA_LIST)
        write_list(value.list, out);
    else if (value.type == JINJA_DICT)
        write_dict(value.dict, out);
    else if (value.type == JINJA_BOOL)
        jinja_sink_adds(out, value.truth ? "true" : "false");
    else if (jinja_is_number(value))
        print_number(value, out);
    else
        jinja_sink_adds(out, "null");
}

/* NOLINTEND(misc-no-recursion) */
