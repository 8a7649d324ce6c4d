#include "core/template/jinja_filter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "core/base/array.h"
#include "core/base/utf8.h"
#include "core/template/jinja_operator.h"
#include "core/template/jinja_print.h"

static bool is_given(struct jinja_value argument)
{
    return argument.type != JINJA_ABSENT && argument.type != JINJA_NONE;
}

/* The value as text; a string as it is. */
static struct jinja_text text_of(struct jinja_render *r, struct jinja_value value)
{
    struct jinja_sink sink = {0};

    if (value.type == JINJA_STRING)
        return value.text;
    jinja_print(value, &sink);
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

/* The elements of the value; an empty list, and an error, for a value that has none. */
static const struct jinja_list *elements_of(struct jinja_render *r, struct jinja_value value)
{
    const struct jinja_list *list = jinja_elements(&r->arena, value);

    if (!list)
        jinja_fail(r, "%s has no elements", jinja_type_name(value));
    return list ? list : jinja_list_new(&r->arena, 0);
}

/* item.a.b for the attribute "a.b"; the item itself without an attribute. */
static struct jinja_value attribute_of(struct jinja_render *r, struct jinja_value item,
                                       struct jinja_value attribute)
{
    struct jinja_text rest = is_given(attribute) ? text_of(r, attribute) : (struct jinja_text){0};

    while (rest.len) {
        const char *dot = memchr(rest.bytes, '.', rest.len);
        struct jinja_text part = {rest.bytes, dot ? (size_t)(dot - rest.bytes) : rest.len};
        size_t used = part.len + (dot != NULL);

        if (!jinja_subscript(&r->arena, item, jinja_string(part), &item))
            return jinja_fail(r, "an element has no attribute \"%.*s\"", (int)part.len, part.bytes);
        rest = (struct jinja_text){rest.bytes + used, rest.len - used};
    }
    return item;
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

static void indent_lines(struct jinja_text text, struct jinja_text margin, bool blank,
                         struct jinja_sink *out)
{
    const char *newline;

    while (!out->full && text.len && (newline = memchr(text.bytes, '\n', text.len))) {
        size_t len = (size_t)(newline + 1 - text.bytes);

        jinja_sink_add(out, (struct jinja_text){text.bytes, len});
        text = (struct jinja_text){text.bytes + len, text.len - len};
        if (blank || (text.len && *text.bytes != '\n'))
            jinja_sink_add(out, margin);
    }
    jinja_sink_add(out, text);
}

static struct jinja_value apply_indent(struct jinja_render *r, const struct jinja_value *arguments)
{
    struct jinja_sink spaces = {0}, sink = {0};
    struct jinja_value margin = arguments[1];

    if (arguments[0].type != JINJA_STRING)
        return jinja_fail(r, "%s cannot be indented", jinja_type_name(arguments[0]));
    if (margin.type != JINJA_STRING) {
        int64_t width = integer_of(r, margin, 4);

        jinja_sink_repeat(&spaces, jinja_text_of(" "), width > 0 ? (size_t)width : 0);
        margin = jinja_take(r, &spaces);
    }
    if (margin.type != JINJA_STRING)
        return margin;
    if (jinja_truth(arguments[2]))
        jinja_sink_add(&sink, margin.text);
    indent_lines(arguments[0].text, margin.text, jinja_truth(arguments[3]), &sink);
    return jinja_take(r, &sink);
}

static struct jinja_value apply_items(struct jinja_render *r, const struct jinja_value *arguments)
{
    const struct jinja_dict *dict = arguments[0].dict;

    if (arguments[0].type != JINJA_DICT)
        return jinja_fail(r, "%s has no items, only a dict has", jinja_type_name(arguments[0]));

    struct jinja_list *list = jinja_list_new(&r->arena, dict->count);

    for (size_t i = 0; i < dict->count; i++) {
        struct jinja_list *pair = jinja_list_new(&r->arena, 2);

        pair->items[0] = jinja_string(dict->pairs[i].key);
        pair->items[1] = dict->pairs[i].value;
        list->items[i] = (struct jinja_value){JINJA_TUPLE, {.list = pair}};
    }
    return jinja_list_value(list);
}

static struct jinja_value apply_join(struct jinja_render *r, const struct jinja_value *arguments)
{
    const struct jinja_list *list = elements_of(r, arguments[0]);
    struct jinja_text separator = text_of(r, arguments[1]);
    struct jinja_sink sink = {0};

    for (size_t i = 0; i < list->count && !jinja_failed(r); i++) {
        struct jinja_value item = attribute_of(r, list->items[i], arguments[2]);

        jinja_require(r, item);
        if (i)
            jinja_sink_add(&sink, separator);
        jinja_print(item, &sink);
    }
    return jinja_take(r, &sink);
}

static struct jinja_value apply_length(struct jinja_render *r, const struct jinja_value *arguments)
{
    if (arguments[0].type == JINJA_STRING)
        return jinja_int((int64_t)jinja_text_length(arguments[0].text));
    return jinja_int((int64_t)elements_of(r, arguments[0])->count);
}

static struct jinja_value apply_list(struct jinja_render *r, const struct jinja_value *arguments)
{
    return jinja_list_value(elements_of(r, arguments[0]));
}

/* One character for one: a character whose other case has two, like the German sharp s, stays. */
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
    int64_t count = integer_of(r, arguments[3], INT64_MAX);
    struct jinja_sink sink = {0};
    const char *found;

    if (!old.len)
        return jinja_fail(r, "replace needs a text to look for, found an empty one");
    for (; count != 0 && text.len && !sink.full &&
           (found = memmem(text.bytes, text.len, old.bytes, old.len));
         count--) {
        size_t before = (size_t)(found - text.bytes);

        jinja_sink_add(&sink, (struct jinja_text){text.bytes, before});
        jinja_sink_add(&sink, new);
        text = (struct jinja_text){found + old.len, text.len - before - old.len};
    }
    jinja_sink_add(&sink, text);
    return jinja_take(r, &sink);
}

/* Through the decimal text, which rounds correctly: multiplying by a power of ten would not. */
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
    struct jinja_text method =
        is_given(arguments[2]) ? text_of(r, arguments[2]) : jinja_text_of("common");

    if (!jinja_is_number(value))
        return jinja_fail(r, "%s cannot be rounded", jinja_type_name(value));
    if (digits < 0 || digits > 323)
        return jinja_fail(r, "round takes 0 to 323 digits, not %lld", (long long)digits);
    if (jinja_text_is(method, "common"))
        return value.type == JINJA_FLOAT ? jinja_float(round_decimals(value.real, (int)digits))
                                         : jinja_int(jinja_to_integer(value));
    if (!jinja_text_is(method, "ceil") && !jinja_text_is(method, "floor"))
        return jinja_fail(r, "the method of round is \"common\", \"ceil\" or \"floor\"");

    double scale = pow(10, (double)digits);
    double scaled = jinja_to_float(value) * scale;

    return jinja_float((jinja_text_is(method, "ceil") ? ceil(scaled) : floor(scaled)) / scale);
}

/* An element to sort, its key, and its place before sorting, which keeps the sort stable. */
struct sorted {
    struct jinja_value value, key;
    size_t index;
};

struct order {
    struct jinja_render *r;
    bool is_reverse;
};

static int by_order(const void *left, const void *right, void *data)
{
    const struct sorted *a = left, *b = right;
    const struct order *order = data;
    int sign = jinja_order(order->r, a->key, b->key);

    if (sign)
        return order->is_reverse ? -sign : sign;
    return (a->index > b->index) - (a->index < b->index);
}

/* Strings sort without regard to case, as in Jinja. */
static struct jinja_value apply_sort(struct jinja_render *r, const struct jinja_value *arguments)
{
    const struct jinja_list *list = elements_of(r, arguments[0]);
    struct jinja_list *out = jinja_list_new(&r->arena, list->count);
    struct sorted *sorted = arena_alloc(&r->arena, list->count, sizeof(*sorted));
    struct order order = {r, jinja_truth(arguments[1])};

    for (size_t i = 0; i < list->count && !jinja_failed(r); i++) {
        struct jinja_value key = attribute_of(r, list->items[i], arguments[3]);

        if (key.type == JINJA_STRING && !jinja_truth(arguments[2]))
            key = change_case(r, key, towlower);
        sorted[i] = (struct sorted){list->items[i], key, i};
    }
    if (!jinja_failed(r) && list->count)
        qsort_r(sorted, list->count, sizeof(*sorted), by_order, &order);
    for (size_t i = 0; i < list->count; i++)
        out->items[i] = sorted[i].value;
    return jinja_list_value(out);
}

static struct jinja_value apply_tojson(struct jinja_render *r, const struct jinja_value *arguments)
{
    const int most = 64;
    struct jinja_sink sink = {0};
    int64_t indent = integer_of(r, arguments[1], -1);

    jinja_print_json(arguments[0], (int)(indent > most ? most : indent < 0 ? -1 : indent), &sink);
    return jinja_take(r, &sink);
}

static struct jinja_value apply_trim(struct jinja_render *r, const struct jinja_value *arguments)
{
    return jinja_string(jinja_text_trim(text_of(r, arguments[0])));
}

static const struct jinja_filter filters[] = {
    {"count", apply_length, 0, {NULL}, false},
    {"d", apply_default, 0, {"default_value", "boolean"}, true},
    {"default", apply_default, 0, {"default_value", "boolean"}, true},
    {"first", apply_first, 0, {NULL}, false},
    {"indent", apply_indent, 0, {"width", "first", "blank"}, false},
    {"items", apply_items, 0, {NULL}, false},
    {"join", apply_join, 0, {"d", "attribute"}, false},
    {"last", apply_last, 0, {NULL}, false},
    {"length", apply_length, 0, {NULL}, false},
    {"list", apply_list, 0, {NULL}, false},
    {"lower", apply_lower, 0, {NULL}, false},
    {"replace", apply_replace, 2, {"old", "new", "count"}, false},
    {"round", apply_round, 0, {"precision", "method"}, false},
    {"sort", apply_sort, 0, {"reverse", "case_sensitive", "attribute"}, false},
    {"tojson", apply_tojson, 0, {"indent"}, false},
    {"trim", apply_trim, 0, {NULL}, false},
    {"upper", apply_upper, 0, {NULL}, false},
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
