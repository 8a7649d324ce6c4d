#include "core/template/jinja_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "core/base/array.h"
#include "core/base/utf8.h"
#include "core/template/jinja_print.h"

static bool is_given(struct jinja_value argument)
{
    return argument.type != JINJA_ABSENT && argument.type != JINJA_NONE;
}

/* The value as text; a string is returned unchanged. */
static struct jinja_text text_of(struct jinja_render *r, struct jinja_value value)
{
    struct jinja_sink sink = {0};

    if (value.type == JINJA_STRING)
        return value.text;
    jinja_print(r, value, &sink);
    value = jinja_take(r, &sink);
    return value.type == JINJA_STRING ? value.text : (struct jinja_text){0};
}

static int64_t integer_of(struct jinja_render *r, struct jinja_value argument, int64_t fallback)
{
    if (!is_given(argument))
        return fallback;
    if (jinja_is_integer(argument))
        return jinja_to_integer(argument);
    jinja_fail(r, "expected an int as argument, found %s", jinja_type_name(argument));
    return fallback;
}

/* The elements of the value; an empty list, with an error, if the value cannot have elements. */
static const struct jinja_list *elements_of(struct jinja_render *r, struct jinja_value value)
{
    const struct jinja_list *list = jinja_elements(&r->arena, value);

    if (!list)
        jinja_fail(r, "%s has no elements", jinja_type_name(value));
    return list ? list : jinja_list_new(&r->arena, 0);
}

static struct jinja_value apply_default(struct jinja_render *r, const struct jinja_value *arguments)
{
    bool replace = arguments[0].type == JINJA_UNDEFINED ||
                   (jinja_truth(arguments[2]) && !jinja_truth(arguments[0]));

    (void)r;
    if (!replace)
        return arguments[0];
    return arguments[1].type == JINJA_ABSENT ? jinja_string(jinja_text_of("")) : arguments[1];
}

static struct jinja_value element(struct jinja_render *r, struct jinja_value value, bool last)
{
    const struct jinja_list *list = elements_of(r, value);

    if (!list->count)
        return jinja_undefined(r, "no element in an empty sequence");
    return list->items[last ? list->count - 1 : 0];
}

static struct jinja_value apply_first(struct jinja_render *r, const struct jinja_value *arguments)
{
    return element(r, arguments[0], false);
}

static struct jinja_value apply_last(struct jinja_render *r, const struct jinja_value *arguments)
{
    return element(r, arguments[0], true);
}

static void indent_lines(struct jinja_text text, int64_t width, struct jinja_sink *out)
{
    const char *newline;

    while (!out->full && text.len && (newline = memchr(text.bytes, '\n', text.len))) {
        size_t len = (size_t)(newline + 1 - text.bytes);

        jinja_sink_add(out, (struct jinja_text){text.bytes, len});
        text = (struct jinja_text){text.bytes + len, text.len - len};
        for (int64_t i = 0; text.len && *text.bytes != '\n' && i < width && !out->full; i++)
            jinja_sink_adds(out, " ");
    }
    jinja_sink_add(out, text);
}

static struct jinja_value apply_indent(struct jinja_render *r, const struct jinja_value *arguments)
{
    struct jinja_sink sink = {0};

    if (arguments[0].type != JINJA_STRING)
        return jinja_fail(r, "%s cannot be indented", jinja_type_name(arguments[0]));
    indent_lines(arguments[0].text, integer_of(r, arguments[1], 4), &sink);
    return jinja_take(r, &sink);
}

static struct jinja_value apply_join(struct jinja_render *r, const struct jinja_value *arguments)
{
    const struct jinja_list *list = elements_of(r, arguments[0]);
    struct jinja_text separator = text_of(r, arguments[1]);
    struct jinja_sink sink = {0};

    for (size_t i = 0; i < list->count && !jinja_failed(r); i++) {
        jinja_require(r, list->items[i]);
        if (i)
            jinja_sink_add(&sink, separator);
        jinja_print(r, list->items[i], &sink);
    }
    return jinja_take(r, &sink);
}

static struct jinja_value apply_length(struct jinja_render *r, const struct jinja_value *arguments)
{
    if (arguments[0].type == JINJA_STRING)
        return jinja_int((int64_t)jinja_text_length(arguments[0].text));
    return jinja_int((int64_t)elements_of(r, arguments[0])->count);
}

/*
 * Each character becomes one character. A character whose other case has two stays as it is, such
 * as the German sharp s.
 */
static struct jinja_value change_case(struct jinja_render *r, struct jinja_value value,
                                      wint_t (*change)(wint_t))
{
    struct jinja_text text = text_of(r, value);
    struct jinja_sink sink = {0};

    while (text.len) {
        uint32_t code;
        struct jinja_text character = jinja_text_next(&text, &code);
        wint_t other = change((wint_t)code);

        if (other == code)
            jinja_sink_add(&sink, character);
        else
            utf8_encode(&sink.text, other);
    }
    return jinja_take(r, &sink);
}

static struct jinja_value apply_lower(struct jinja_render *r, const struct jinja_value *arguments)
{
    return change_case(r, arguments[0], towlower);
}

static struct jinja_value apply_upper(struct jinja_render *r, const struct jinja_value *arguments)
{
    return change_case(r, arguments[0], towupper);
}

static struct jinja_value apply_replace(struct jinja_render *r, const struct jinja_value *arguments)
{
    struct jinja_text text = text_of(r, arguments[0]);
    struct jinja_text old = text_of(r, arguments[1]);
    struct jinja_text new = text_of(r, arguments[2]);
    struct jinja_sink sink = {0};
    const char *found;

    if (!old.len)
        return jinja_fail(r, "replace needs a text to look for, found an empty one");
    while (text.len && !sink.full && (found = memmem(text.bytes, text.len, old.bytes, old.len))) {
        size_t before = (size_t)(found - text.bytes);

        jinja_sink_add(&sink, (struct jinja_text){text.bytes, before});
        jinja_sink_add(&sink, new);
        text = (struct jinja_text){found + old.len, text.len - before - old.len};
    }
    jinja_sink_add(&sink, text);
    return jinja_take(r, &sink);
}

/* Round by printing the number in decimal, which is exact; multiplying by a power of ten is not. */
static double round_decimals(double real, int digits)
{
    char text[700]; /* 309 digits before the point, 323 after it */

    snprintf(text, sizeof(text), "%.*f", digits, real);
    return strtod(text, NULL);
}

static struct jinja_value apply_round(struct jinja_render *r, const struct jinja_value *arguments)
{
    struct jinja_value value = arguments[0];
    int64_t digits = integer_of(r, arguments[1], 0);

    if (!jinja_is_number(value))
        return jinja_fail(r, "%s cannot be rounded", jinja_type_name(value));
    if (digits < 0 || digits > 323)
        return jinja_fail(r, "round takes 0 to 323 digits, not %lld", (long long)digits);
    return value.type == JINJA_FLOAT ? jinja_float(round_decimals(value.real, (int)digits))
                                     : jinja_int(jinja_to_integer(value));
}

static struct jinja_value apply_tojson(struct jinja_render *r, const struct jinja_value *arguments)
{
    struct jinja_sink sink = {0};

    jinja_print_json(arguments[0], &sink);
    return jinja_take(r, &sink);
}

static struct jinja_value apply_trim(struct jinja_render *r, const struct jinja_value *arguments)
{
    return jinja_string(jinja_text_trim(text_of(r, arguments[0])));
}

static const struct jinja_filter filters[] = {
    {"default", apply_default, 0, 2, true}, {"first", apply_first, 0, 0, false},
    {"indent", apply_indent, 0, 1, false},  {"join", apply_join, 0, 1, false},
    {"last", apply_last, 0, 0, false},      {"length", apply_length, 0, 0, false},
    {"lower", apply_lower, 0, 0, false},    {"replace", apply_replace, 2, 2, false},
    {"round", apply_round, 0, 1, false},    {"tojson", apply_tojson, 0, 0, false},
    {"trim", apply_trim, 0, 0, false},      {"upper", apply_upper, 0, 0, false},
};

const struct jinja_filter *jinja_filter_find(struct jinja_text name)
{
    for (size_t i = 0; i < COUNT(filters); i++)
        if (jinja_text_is(name, filters[i].name))
            return &filters[i];
    return NULL;
}

void jinja_filter_list(struct strbuf *out)
{
    for (size_t i = 0; i < COUNT(filters); i++)
        strbuf_add_item(out, filters[i].name);
}
