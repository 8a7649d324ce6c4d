#include <ctype.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/codegen/wide_kernels.h"

struct word {
    const char *text;
    size_t len;
};

/* The ends of the two operands in a call of min() or max(). */
struct call {
    const char *comma, *close;
};

/* A text that is being changed. */
struct widening {
    const char *at, *end;
    const char *const *macros;
    struct {
        struct word *items;
        size_t count, capacity;
    } indices; /* the variables that become long */
    struct {
        struct call *items;
        size_t count, capacity;
    } calls; /* that are not complete */
};

static struct word word_at(const char *at, const char *end)
{
    struct word word = {.text = at};

    while (at + word.len < end && text_is_of_name(at[word.len]))
        word.len++;
    return word;
}

static bool is_word(const struct word *word, const char *text)
{
    return word->len == strlen(text) && memcmp(word->text, text, word->len) == 0;
}

static bool is_among(const struct word *word, const char *const *names)
{
    while (*names && !is_word(word, *names))
        names++;
    return *names;
}

/* Numbers of work-items and work-groups in all dialects. They are unsigned or 64-bit. */
static const char *const positions[] = {
    "get_global_id", "get_group_id", "get_global_size", "get_num_groups", "get_local_id",
    "blockIdx",      "gridDim",      "threadIdx",       "item_at",        NULL};

static bool is_index(const struct widening *w, const struct word *word)
{
    for (size_t i = 0; i < w->indices.count; i++)
        if (w->indices.items[i].len == word->len &&
            memcmp(w->indices.items[i].text, word->text, word->len) == 0)
            return true;
    return is_among(word, positions) || is_among(word, w->macros);
}

/* True if `int` declares variables here; it may also be a cast or a pointer's type. */
static bool is_declaration(const struct widening *w, const struct word *word)
{
    const char *next = word->text + word->len;

    return is_word(word, "int") && next + 1 < w->end && *next == ' ' &&
           (isalpha((unsigned char)next[1]) || next[1] == '_');
}

/* The end of a declarator, a comma, semicolon or bracket outside of the brackets in it. */
static const char *skip_declarator(const char *at, const char *end)
{
    int depth = 0;

    for (; at < end; at++) {
        if (*at == '(' || *at == '[')
            depth++;
        if (depth == 0 && strchr(",;)", *at))
            break;
        if (*at == ')' || *at == ']')
            depth--;
    }
    return at;
}

/* Collect the variables of a declaration whose first name is at `at`. */
static void add_declared(struct widening *w, const char *at)
{
    for (;;) {
        struct word name = word_at(at, w->end);
        const char *next = name.text + name.len;

        while (next < w->end && *next == ' ')
            next++;
        if (name.len == 0 || next == w->end || !strchr("=,;[)", *next))
            return;
        vec_push(&w->indices, name);
        at = skip_declarator(next, w->end);
        if (at == w->end || *at != ',')
            return;
        at += strspn(at, ", \n");
    }
}

static void find_indices(struct widening *w)
{
    for (const char *at = w->at; at < w->end;) {
        struct word word = word_at(at, w->end);

        if (is_declaration(w, &word))
            add_declared(w, word.text + word.len + 1);
        at += word.len ? word.len : 1;
    }
}

/* True for the words of expressions of integers besides variables: types, numbers and functions. */
static bool is_of_integers(const struct word *word)
{
    static const char *const words[] = {"int", "uint", "long", "size_t", "min", "max", NULL};

    return is_among(word, words) || strspn(word->text, "0123456789") >= word->len;
}

/*
 * True if a text computes with indices and numbers alone. Arrays may have elements of any type, and
 * what is between their brackets does not matter.
 */
static bool computes_indices(const struct widening *w, const char *at, const char *end)
{
    bool has_index = false;
    int depth = 0;

    while (at < end) {
        struct word word = word_at(at, end);
        bool is_array = word.len && at + word.len < end && at[word.len] == '[';

        if (word.len && depth == 0 && !is_array && is_index(w, &word))
            has_index = true;
        else if (*at == '.' || (word.len && depth == 0 && !is_array && !is_of_integers(&word)))
            return false;
        depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
        at += word.len ? word.len : 1;
        if (word.len && *at == '.' && is_among(&word, positions))
            at += 1 + word_at(at + 1, end).len;
    }
    return has_index;
}

/*
 * Begin a call of min() or max(). An index and a number would be of different types, so both get
 * one.
 */
static void begin_call(struct widening *w, const struct word *word, struct strbuf *out)
{
    const char *first = word->text + word->len + 1, *comma = skip_declarator(first, w->end);
    const char *second = comma + (comma < w->end), *close = skip_declarator(second, w->end);
    struct call call = {comma, close};

    strbuf_add(out, word->text, word->len + 1);
    w->at = first;
    if (!computes_indices(w, first, comma) && !computes_indices(w, second, close))
        return;
    strbuf_adds(out, "(long)(");
    vec_push(&w->calls, call);
}

/* Begin a vector of places in a row, VECTOR(int4, x) in C; compilers convert no long to its type.
 */
static void begin_vector(struct widening *w, const struct word *word, struct strbuf *out)
{
    const char *type = word->text + word->len + 1, *comma = skip_declarator(type, w->end);
    const char *element = comma + strspn(comma, ", "), *close = skip_declarator(element, w->end);

    strbuf_add(out, word->text, (size_t)(element - word->text));
    w->at = element;
    if (!text_begins(type, "int") || close == w->end || *close != ')')
        return;
    strbuf_adds(out, "(int)(");
    vec_push(&w->calls, ((struct call){NULL, close}));
}

/* Write what is between the operands of the innermost such call, or its end; false elsewhere. */
static bool go_on_with_call(struct widening *w, struct strbuf *out)
{
    const struct call *call = w->calls.count ? &w->calls.items[w->calls.count - 1] : NULL;

    if (!call || (w->at != call->comma && w->at != call->close))
        return false;
    if (w->at == call->comma) {
        strbuf_adds(out, "), (long)(");
        w->at += 1 + strspn(w->at + 1, " \n");
    } else {
        strbuf_adds(out, "))");
        w->calls.count--;
        w->at++;
    }
    return true;
}

/* True for `int` in a cast of an expression of indices; elements are cast by their names. */
static bool is_index_cast(const struct widening *w, const struct word *word)
{
    const char *next = word->text + word->len;
    struct word cast;

    if (!is_word(word, "int") || next + 1 >= w->end || word->text[-1] != '(' || *next != ')')
        return false;
    cast = word_at(next + 1, w->end);
    return next[1] == '(' || is_index(w, &cast);
}

static void widen_word(struct widening *w, struct strbuf *out)
{
    struct word word = word_at(w->at, w->end);
    const char *next = word.text + word.len;
    bool is_called = next < w->end && *next == '(';

    if (is_called && (is_word(&word, "min") || is_word(&word, "max"))) {
        begin_call(w, &word, out);
        return;
    }
    if (is_called && is_word(&word, "VECTOR")) {
        begin_vector(w, &word, out);
        return;
    }
    if (is_declaration(w, &word) || is_index_cast(w, &word)) {
        strbuf_adds(out, "long");
    } else {
        bool is_narrow =
            is_word(&word, "blockIdx") || is_word(&word, "gridDim") || is_among(&word, w->macros);

        strbuf_adds(out, is_narrow ? "(long)" : "");
        strbuf_add(out, word.text, word.len);
    }
    w->at = next;
}

/* A factor of a product becomes a number of 64 bits. */
static void widen_number(struct widening *w, struct strbuf *out)
{
    const char *from = w->at;
    bool is_whole, is_factor = out->len >= 2 && memcmp(out->data + out->len - 2, "* ", 2) == 0;

    while (w->at < w->end && (text_is_of_name(*w->at) || *w->at == '.'))
        w->at++;
    is_factor = is_factor || (w->end - w->at >= 2 && memcmp(w->at, " *", 2) == 0);
    is_whole = strspn(from, "0123456789") >= (size_t)(w->at - from);
    strbuf_add(out, from, (size_t)(w->at - from));
    strbuf_adds(out, is_factor && is_whole ? "L" : "");
}

/* Copy until `stop`, and that too. */
static void copy_to(struct widening *w, char stop, struct strbuf *out)
{
    const char *from = w->at++;

    while (w->at < w->end && *w->at != stop)
        w->at += *w->at == '\\' && w->at + 1 < w->end ? 2 : 1;
    if (w->at < w->end)
        w->at++;
    strbuf_add(out, from, (size_t)(w->at - from));
}

/* Directives and texts stay as they are. */
static void widen(struct widening *w, struct strbuf *out)
{
    while (w->at < w->end)
        if (go_on_with_call(w, out))
            continue;
        else if (*w->at == '#')
            copy_to(w, '\n', out);
        else if (*w->at == '"')
            copy_to(w, '"', out);
        else if (isdigit((unsigned char)*w->at))
            widen_number(w, out);
        else if (text_is_of_name(*w->at))
            widen_word(w, out);
        else
            strbuf_add(out, w->at++, 1);
}

void wide_text(const char *text, size_t len, const char *const *macros, struct strbuf *out)
{
    struct widening w = {.at = text, .end = text + len, .macros = macros};

    find_indices(&w);
    widen(&w, out);
    vec_release(&w.indices);
    vec_release(&w.calls);
}
