#include <string.h>
#include <wctype.h>

#include "core/base/utf8.h"
#include "core/template/jinja_function.h"
#include "core/template/jinja_number.h"
#include "core/template/jinja_print.h"

/* The filters of Jinja that prompts use, each with Jinja's names of its parameters. */

static const struct jinja_parameter only_value[] = {{.name = "value"}, {0}};

/* The value as str() gives it, in the heap. */
static enum status to_text(struct jinja_heap *heap, struct jinja_value value,
                           struct jinja_text *out, struct error *err)
{
    struct jinja_sink sink = {0};

    if (value.type == JINJA_STRING) {
        *out = value.text;
        return STATUS_OK;
    }
    jinja_print(value, &sink);
    return jinja_sink_take(&sink, &heap->arena, out, err);
}

static enum status expect_integer(const struct jinja_function *function, size_t index,
                                  struct jinja_value value, struct error *err)
{
    if (jinja_is_integer(value))
        return STATUS_OK;
    return error_set(err, STATUS_INVALID, "%s: \"%s\" is %s, not int", function->name,
                     function->parameters[index].name, jinja_type_name(value));
}

/* Move the sink's text into a string value. */
static enum status take(struct jinja_heap *heap, struct jinja_sink *sink, struct jinja_value *out,
                        struct error *err)
{
    struct jinja_text text;
    enum status st = jinja_sink_take(sink, &heap->arena, &text, err);

    if (!st)
        *out = jinja_string(text);
    return st;
}

static const struct jinja_parameter default_parameters[] = {
    {.name = "value"},
    {"default_value", {JINJA_STRING, {.text = {"", 0}}}},
    {"boolean", {JINJA_BOOL, {.truth = false}}},
    {0},
};

static enum status apply_default(struct jinja_heap *heap, const struct jinja_function *function,
                                 const struct jinja_value *arguments, struct jinja_value *out,
                                 struct error *err)
{
    bool replace = arguments[0].type == JINJA_UNDEFINED;
    bool unless_true = false;
    enum status st = STATUS_OK;

    (void)heap, (void)function;
    if (!replace)
        st = jinja_truth(arguments[2], &unless_true, err);
    if (!st && unless_true) {
        st = jinja_truth(arguments[0], &replace, err);
        replace = !replace;
    }
    if (!st)
        *out = arguments[replace ? 1 : 0];
    return st;
}

static const struct jinja_parameter join_parameters[] = {
    {.name = "value"},
    {"d", {JINJA_STRING, {.text = {"", 0}}}},
    {"attribute", {.type = JINJA_NONE}},
    {0},
};

/* One part of an attribute's path: digits are an index, as in "0.name". */
static struct jinja_value path_key(struct jinja_text part)
{
    int64_t index = 0;

    for (size_t i = 0; i < part.len; i++) {
        if (part.bytes[i] < '0' || part.bytes[i] > '9' || i > 9)
            return jinja_string(part);
        index = index * 10 + (part.bytes[i] - '0');
    }
    return part.len ? jinja_int(index) : jinja_string(part);
}

/* item.a.b for the path "a.b". */
static enum status follow(struct jinja_heap *heap, struct jinja_value path,
                          struct jinja_value *item, struct error *err)
{
    struct jinja_text rest = path.type == JINJA_STRING ? path.text : (struct jinja_text){0};
    bool found = true;

    if (path.type != JINJA_STRING)
        found = jinja_subscript(heap, *item, path, item);
    while (found && rest.len) {
        const char *dot = memchr(rest.bytes, '.', rest.len);
        struct jinja_text part = {rest.bytes, dot ? (size_t)(dot - rest.bytes) : rest.len};
        size_t used = part.len + (dot != NULL);

        found = jinja_subscript(heap, *item, path_key(part), item);
        rest = (struct jinja_text){rest.bytes + used, rest.len - used};
    }
    if (found)
        return STATUS_OK;
    return error_set(err, STATUS_NOT_FOUND, "join: an element has no attribute \"%.*s\"",
                     (int)path.text.len, path.text.bytes);
}

static enum status apply_join(struct jinja_heap *heap, const struct jinja_function *function,
                              const struct jinja_value *arguments, struct jinja_value *out,
                              struct error *err)
{
    const struct jinja_list *list;
    struct jinja_sink sink = {0};
    enum status st = jinja_elements(heap, arguments[0], &list, err);

    (void)function;
    for (size_t i = 0; !st && i < list->count; i++) {
        struct jinja_value item = list->items[i];

        if (arguments[2].type != JINJA_NONE)
            st = follow(heap, arguments[2], &item, err);
        if (!st)
            st = jinja_require(item, err);
        if (i)
            jinja_print(arguments[1], &sink);
        jinja_print(item, &sink);
    }
    if (!st)
        return take(heap, &sink, out, err);
    strbuf_release(&sink.text);
    return st;
}

static const struct jinja_parameter indent_parameters[] = {
    {.name = "s"},
    {"width", {JINJA_INT, {.integer = 4}}},
    {"first", {JINJA_BOOL, {.truth = false}}},
    {"blank", {JINJA_BOOL, {.truth = false}}},
    {0},
};

/* Cut the first line off the front of `rest`, and the break behind it; false without a break. */
static bool next_line(struct jinja_text *rest, struct jinja_text *line)
{
    *line = (struct jinja_text){rest->bytes, 0};
    while (rest->len) {
        uint32_t code;
        struct jinja_text character = jinja_text_next(rest, &code);

        if (code == '\r' && rest->len && *rest->bytes == '\n')
            jinja_text_next(rest, &code);
        if (jinja_is_newline(code))
            return true;
        line->len += character.len;
    }
    return false;
}

static void indent_lines(struct jinja_text text, struct jinja_text margin, bool blank,
                         struct jinja_sink *out)
{
    struct jinja_text line;
    bool more = next_line(&text, &line);

    jinja_sink_add(out, line);
    while (more && !out->full) {
        more = next_line(&text, &line);
        jinja_sink_adds(out, "\n");
        if (line.len || blank)
            jinja_sink_add(out, margin);
        jinja_sink_add(out, line);
    }
}

/* The indentation: a string as it is, a number as so many spaces. */
static enum status margin_of(struct jinja_heap *heap, const struct jinja_function *function,
                             struct jinja_value width, struct jinja_text *out, struct error *err)
{
    struct jinja_sink spaces = {0};

    if (width.type == JINJA_STRING) {
        *out = width.text;
        return STATUS_OK;
    }

    enum status st = expect_integer(function, 1, width, err);

    if (st)
        return st;
    int64_t count = jinja_to_integer(width);

    jinja_sink_repeat(&spaces, jinja_text_of(" "), count > 0 ? (size_t)count : 0);
    return jinja_sink_take(&spaces, &heap->arena, out, err);
}

static enum status apply_indent(struct jinja_heap *heap, const struct jinja_function *function,
                                const struct jinja_value *arguments, struct jinja_value *out,
                                struct error *err)
{
    struct jinja_sink sink = {0};
    struct jinja_text margin;
    struct jinja_text text = arguments[0].text;
    bool first;
    bool blank;

    if (arguments[0].type != JINJA_STRING)
        return error_set(err, STATUS_INVALID, "%s cannot be indented",
                         jinja_type_name(arguments[0]));

    enum status st = margin_of(heap, function, arguments[1], &margin, err);

    if (!st)
        st = jinja_truth(arguments[2], &first, err);
    if (!st)
        st = jinja_truth(arguments[3], &blank, err);
    if (st)
        return st;
    if (text.len && text.bytes[text.len - 1] == '\r') /* one break with the end of the last line */
        text.len--;
    if (first)
        jinja_sink_add(&sink, margin);
    indent_lines(text, margin, blank, &sink);
    return take(heap, &sink, out, err);
}

static const struct jinja_parameter trim_parameters[] = {
    {.name = "value"},
    {"chars", {.type = JINJA_NONE}},
    {0},
};

static enum status apply_trim(struct jinja_heap *heap, const struct jinja_function *function,
                              const struct jinja_value *arguments, struct jinja_value *out,
                              struct error *err)
{
    struct jinja_text text;
    const struct jinja_text *chars = arguments[1].type == JINJA_STRING ? &arguments[1].text : NULL;
    enum status st = to_text(heap, arguments[0], &text, err);

    (void)function;
    if (!chars && arguments[1].type != JINJA_NONE)
        return error_set(err, STATUS_INVALID, "trim: \"chars\" is %s, not str",
                         jinja_type_name(arguments[1]));
    if (!st)
        *out = jinja_string(jinja_text_trim(text, chars));
    return st;
}

static const struct jinja_parameter case_parameters[] = {{.name = "s"}, {0}};

enum { CASE_LOWER, CASE_UPPER };

/* One character for one: those that would become two, like the German sharp s, stay. */
static enum status apply_case(struct jinja_heap *heap, const struct jinja_function *function,
                              const struct jinja_value *arguments, struct jinja_value *out,
                              struct error *err)
{
    struct jinja_sink sink = {0};
    struct jinja_text text;
    enum status st = to_text(heap, arguments[0], &text, err);

    while (!st && text.len) {
        uint32_t code;
        struct jinja_text character = jinja_text_next(&text, &code);
        wint_t other =
            function->detail == CASE_UPPER ? towupper((wint_t)code) : towlower((wint_t)code);

        if (other == code)
            jinja_sink_add(&sink, character);
        else
            utf8_encode(&sink.text, other);
    }
    return st ? st : take(heap, &sink, out, err);
}

static const struct jinja_parameter replace_parameters[] = {
    {.name = "s"}, {.name = "old"}, {.name = "new"}, {"count", {.type = JINJA_NONE}}, {0},
};

/* Where `old` is next; an empty one is in front of each character, and at the end. */
static const char *find_old(struct jinja_text rest, struct jinja_text old)
{
    return old.len ? memmem(rest.bytes, rest.len, old.bytes, old.len) : rest.bytes;
}

static void replace(struct jinja_text text, const struct jinja_text change[2], size_t count,
                    struct jinja_sink *out)
{
    struct jinja_text old = change[0];
    const char *found = "";

    for (; count > 0 && !out->full && (found = find_old(text, old)); count--) {
        struct jinja_text before = {text.bytes, (size_t)(found - text.bytes)};
        struct jinja_text rest = {found + old.len, text.len - before.len - old.len};

        jinja_sink_add(out, before);
        jinja_sink_add(out, change[1]);
        text = rest;
        if (old.len)
            continue;
        if (!rest.len)
            break;

        uint32_t code;

        jinja_sink_add(out, jinja_text_next(&text, &code));
    }
    jinja_sink_add(out, text);
}

static enum status apply_replace(struct jinja_heap *heap, const struct jinja_function *function,
                                 const struct jinja_value *arguments, struct jinja_value *out,
                                 struct error *err)
{
    struct jinja_sink sink = {0};
    struct jinja_text texts[3];
    struct jinja_value count = arguments[3];
    enum status st = STATUS_OK;

    for (size_t i = 0; i < 3 && !st; i++)
        st = to_text(heap, arguments[i], &texts[i], err);
    if (!st && count.type != JINJA_NONE)
        st = expect_integer(function, 3, count, err);
    if (st)
        return st;
    if (count.type == JINJA_NONE || jinja_to_integer(count) < 0)
        count = jinja_int(INT64_MAX);
    replace(texts[0], &texts[1], (size_t)jinja_to_integer(count), &sink);
    return take(heap, &sink, out, err);
}

static enum status apply_length(struct jinja_heap *heap, const struct jinja_function *function,
                                const struct jinja_value *arguments, struct jinja_value *out,
                                struct error *err)
{
    struct jinja_value value = arguments[0];
    const struct jinja_list *list;

    (void)function;
    if (value.type == JINJA_STRING) {
        *out = jinja_int((int64_t)jinja_text_length(value.text));
        return STATUS_OK;
    }
    if (value.type == JINJA_LOOP) {
        *out = jinja_int((int64_t)value.loop->items->count);
        return STATUS_OK;
    }

    enum status st = jinja_elements(heap, value, &list, err);

    if (!st)
        *out = jinja_int((int64_t)list->count);
    return st;
}

static enum status apply_list(struct jinja_heap *heap, const struct jinja_function *function,
                              const struct jinja_value *arguments, struct jinja_value *out,
                              struct error *err)
{
    const struct jinja_list *list;
    enum status st = jinja_elements(heap, arguments[0], &list, err);

    (void)function;
    if (!st)
        *out = (struct jinja_value){JINJA_LIST, {.list = list}};
    return st;
}

enum { END_FIRST, END_LAST };

static enum status apply_end(struct jinja_heap *heap, const struct jinja_function *function,
                             const struct jinja_value *arguments, struct jinja_value *out,
                             struct error *err)
{
    const struct jinja_list *list;
    enum status st = jinja_elements(heap, arguments[0], &list, err);

    if (st)
        return st;
    if (list->count)
        *out = list->items[function->detail == END_FIRST ? 0 : list->count - 1];
    else
        *out =
            (struct jinja_value){JINJA_UNDEFINED, {.missing = "no element in an empty sequence"}};
    return STATUS_OK;
}

static const struct jinja_parameter round_parameters[] = {
    {.name = "value"},
    {"precision", {JINJA_INT, {.integer = 0}}},
    {"method", {JINJA_STRING, {.text = {"common", 6}}}},
    {0},
};

static enum status apply_round(struct jinja_heap *heap, const struct jinja_function *function,
                               const struct jinja_value *arguments, struct jinja_value *out,
                               struct error *err)
{
    static const char *const methods[] = {
        [ROUND_COMMON] = "common", [ROUND_CEIL] = "ceil", [ROUND_FLOOR] = "floor"};
    enum status st = expect_integer(function, 1, arguments[1], err);

    (void)heap;
    if (st)
        return st;
    for (enum jinja_rounding how = ROUND_COMMON; how <= ROUND_FLOOR; how++)
        if (arguments[2].type == JINJA_STRING && jinja_text_is(arguments[2].text, methods[how]))
            return jinja_round(arguments[0], jinja_to_integer(arguments[1]), how, out, err);
    return error_set(err, STATUS_INVALID, "round: \"method\" is not common, ceil or floor");
}

static const struct jinja_parameter tojson_parameters[] = {
    {.name = "value"},
    {"indent", {.type = JINJA_NONE}},
    {0},
};

static enum status apply_tojson(struct jinja_heap *heap, const struct jinja_function *function,
                                const struct jinja_value *arguments, struct jinja_value *out,
                                struct error *err)
{
    struct jinja_sink sink = {0};
    struct jinja_text indent = {0};
    bool indented = arguments[1].type != JINJA_NONE;
    enum status st = STATUS_OK;

    if (indented)
        st = margin_of(heap, function, arguments[1], &indent, err);
    if (!st)
        st = jinja_print_json(arguments[0], indented ? &indent : NULL, &sink, err);
    if (!st)
        return take(heap, &sink, out, err);
    strbuf_release(&sink.text);
    return st;
}

const struct jinja_function jinja_filters[] = {
    {"count", only_value, apply_length, .detail = 0},
    {"d", default_parameters, apply_default, .takes_undefined = true},
    {"default", default_parameters, apply_default, .takes_undefined = true},
    {"first", only_value, apply_end, .detail = END_FIRST},
    {"indent", indent_parameters, apply_indent, .detail = 0},
    {"join", join_parameters, apply_join, .detail = 0},
    {"last", only_value, apply_end, .detail = END_LAST},
    {"length", only_value, apply_length, .detail = 0},
    {"list", only_value, apply_list, .detail = 0},
    {"lower", case_parameters, apply_case, .detail = CASE_LOWER},
    {"replace", replace_parameters, apply_replace, .detail = 0},
    {"round", round_parameters, apply_round, .detail = 0},
    {"tojson", tojson_parameters, apply_tojson, .detail = 0},
    {"trim", trim_parameters, apply_trim, .detail = 0},
    {"upper", case_parameters, apply_case, .detail = CASE_UPPER},
    {0},
};
