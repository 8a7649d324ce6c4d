#include "core/template/jinja_lex.h"

#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"

enum { BRACKETS_MAX = 256 };

struct token_list {
    struct jinja_token *items;
    size_t count, capacity;
};

struct lexer {
    const char *name;
    const char *at, *end;
    int line;
    bool line_start; /* what was read last ended a line */
    char closing[BRACKETS_MAX];
    size_t open; /* brackets, of which `closing` has the counterparts */
    struct token_list tokens;
    struct arena *arena;
    struct error *err;
};

static enum status fail(struct lexer *lx, const char *message, struct jinja_text what)
{
    return error_set(lx->err, STATUS_INVALID, "%s:%d: %s%.*s", lx->name, lx->line, message,
                     (int)what.len, what.bytes);
}

static void push(struct lexer *lx, enum jinja_token_kind kind, struct jinja_text text)
{
    vec_push(&lx->tokens, ((struct jinja_token){kind, lx->line, text}));
}

static struct jinja_text rest(const struct lexer *lx)
{
    return (struct jinja_text){lx->at, (size_t)(lx->end - lx->at)};
}

/* Go on to `to`, counting the lines between. */
static void advance(struct lexer *lx, const char *to)
{
    for (const char *p = lx->at; p < to; p++)
        lx->line += *p == '\n';
    if (to > lx->at)
        lx->line_start = to[-1] == '\n';
    lx->at = to;
}

static bool starts_with(const char *at, const char *end, const char *word)
{
    size_t len = strlen(word);

    return (size_t)(end - at) >= len && memcmp(at, word, len) == 0;
}

static const char *skip_space(const char *at, const char *end)
{
    struct jinja_text text = {at, (size_t)(end - at)};

    while (text.len) {
        struct jinja_text before = text;
        uint32_t code;

        jinja_text_next(&text, &code);
        if (!jinja_is_space(code))
            return before.bytes;
    }
    return end;
}

/*
 * Where the tag's end that may stand at `at` ends, NULL if none does: "+%}"
 * as it is, "-%}" with the white space behind it, "%}" with a line break.
 */
static const char *match_end(const char *at, const char *end, const char *mark)
{
    if (starts_with(at, end, mark))
        return at + 2 + starts_with(at + 2, end, "\n");
    if (at == end || !starts_with(at + 1, end, mark))
        return NULL;
    return *at == '-' ? skip_space(at + 3, end) : *at == '+' ? at + 3 : NULL;
}

/* "}}" trims no line break and knows no "+". */
static const char *match_print_end(const char *at, const char *end)
{
    if (starts_with(at, end, "}}"))
        return at + 2;
    return starts_with(at, end, "-}}") ? skip_space(at + 3, end) : NULL;
}

/* The text in front of a tag, without the white space that the tag takes away. */
static struct jinja_text trimmed(const struct lexer *lx, struct jinja_text text, char sign,
                                 bool is_print)
{
    const char *line = text.len ? memrchr(text.bytes, '\n', text.len) : NULL;
    size_t kept = line ? (size_t)(line + 1 - text.bytes) : 0;

    if (sign == '-')
        return jinja_text_trim_end(text, NULL);
    if (sign == '+' || is_print || (!line && !lx->line_start))
        return text;
    if (skip_space(text.bytes + kept, text.bytes + text.len) == text.bytes + text.len)
        text.len = kept;
    return text;
}

static char sign_at(const char *at, const char *end)
{
    return (char)(at < end && (*at == '-' || *at == '+') ? *at : '\0');
}

static void push_text(struct lexer *lx, struct jinja_text text)
{
    if (text.len)
        push(lx, TOKEN_TEXT, text);
}

/* Where "{% raw %}" at `at` ends, NULL if something else stands there. */
static const char *match_raw(const char *at, const char *end)
{
    at = skip_space(at + 2 + (sign_at(at + 2, end) != '\0'), end);
    if (!starts_with(at, end, "raw"))
        return NULL;
    at = skip_space(at + 3, end);
    if (starts_with(at, end, "-%}"))
        return skip_space(at + 3, end);
    return starts_with(at, end, "%}") ? at + 2 : NULL;
}

/* Where "{% endraw %}" at `at` ends, NULL if something else stands there. */
static const char *match_endraw(const char *at, const char *end)
{
    if (!starts_with(at, end, "{%"))
        return NULL;
    at = skip_space(at + 2 + (sign_at(at + 2, end) != '\0'), end);
    if (!starts_with(at, end, "endraw"))
        return NULL;
    return match_end(skip_space(at + 6, end), end, "%}");
}

/* From behind "{% raw %}" to behind "{% endraw %}". */
static enum status lex_raw(struct lexer *lx)
{
    for (const char *p = lx->at; p < lx->end; p++) {
        const char *after = *p == '{' ? match_endraw(p, lx->end) : NULL;

        if (after) {
            struct jinja_text text = {lx->at, (size_t)(p - lx->at)};

            push_text(lx, trimmed(lx, text, sign_at(p + 2, lx->end), false));
            advance(lx, after);
            return STATUS_OK;
        }
    }
    return fail(lx, "a raw block has no endraw", jinja_text_of(""));
}

/* From behind "{#" to behind "#}". */
static enum status lex_comment(struct lexer *lx)
{
    for (const char *p = lx->at; p < lx->end; p++) {
        const char *after = match_end(p, lx->end, "#}");

        if (after) {
            advance(lx, after);
            return STATUS_OK;
        }
    }
    return fail(lx, "a comment has no end", jinja_text_of(""));
}

static bool is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

static bool is_word(const char *at, const char *end)
{
    return is_digit(at, end) ||
           (at < end && (*at == '_' || (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                         (unsigned char)*at >= 0x80));
}

/* Digits, between two of which an underscore may stand. */
static const char *skip_digits(const char *at, const char *end)
{
    while (is_digit(at, end))
        at += starts_with(at + 1, end, "_") && is_digit(at + 2, end) ? 2 : 1;
    return at;
}

/* Where the float at `at` ends, NULL if it is none: digits with a fraction, an exponent or both. */
static const char *match_float(const char *at, const char *end)
{
    const char *p = skip_digits(at, end);
    bool is_float = false;

    if (starts_with(p, end, ".") && is_digit(p + 1, end)) {
        p = skip_digits(p + 1, end);
        is_float = true;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *exponent = p + 1 + (sign_at(p + 1, end) != '\0');

        if (is_digit(exponent, end)) {
            p = skip_digits(exponent, end);
            is_float = true;
        }
    }
    return is_float ? p : NULL;
}

static void lex_number(struct lexer *lx)
{
    const char *start = lx->at;
    bool after_dot = start[-1] == '.'; /* in `x.0.1` the parts are indices */
    const char *after = after_dot ? NULL : match_float(start, lx->end);
    enum jinja_token_kind kind = after ? TOKEN_FLOAT : TOKEN_INTEGER;

    if (!after)
        after = skip_digits(start, lx->end);
    push(lx, kind, (struct jinja_text){start, (size_t)(after - start)});
    advance(lx, after);
}

static void lex_name(struct lexer *lx)
{
    const char *start = lx->at;
    const char *after = start;

    while (is_word(after, lx->end))
        after++;
    push(lx, TOKEN_NAME, (struct jinja_text){start, (size_t)(after - start)});
    advance(lx, after);
}

/* Digits of `base` at `*at`, at most `most`; false if there are fewer than `least`. */
static bool read_code(const char **at, const char *end, int base, const int digits[2],
                      uint32_t *code)
{
    int count = 0;

    *code = 0;
    for (; count < digits[1] && *at < end; count++, ++*at) {
        const char *alphabet = "0123456789abcdef";
        char lower = (char)(**at >= 'A' && **at <= 'F' ? **at + 32 : **at);
        const char *digit = memchr(alphabet, lower, (size_t)base);

        if (!digit)
            break;
        *code = *code * (uint32_t)base + (uint32_t)(digit - alphabet);
    }
    return count >= digits[0];
}

/* Escapes that give a character's number. */
static bool unescape_code(const char **at, const char *end, struct strbuf *out)
{
    static const struct numeric {
        char letter;
        int base;
        int digits[2]; /* at least and at most */
    } numeric[] = {{'x', 16, {2, 2}}, {'u', 16, {4, 4}}, {'U', 16, {8, 8}}, {'\0', 8, {1, 3}}};
    const struct numeric *form = numeric;
    uint32_t code;

    while (form->letter && form->letter != **at)
        form++;
    if (form->letter)
        ++*at;
    if (!read_code(at, end, form->base, form->digits, &code) || code > 0x10FFFF ||
        (code >= 0xD800 && code <= 0xDFFF))
        return false;
    utf8_encode(out, code);
    return true;
}

/* One escape, from behind its backslash; false if it is malformed.  Unknown ones stay. */
static bool unescape(const char **at, const char *end, struct strbuf *out)
{
    const char *letters = "\\'\"abfnrtv";
    const char *meanings = "\\'\"\a\b\f\n\r\t\v";
    const char *known = strchr(letters, **at);

    if (strchr("01234567xuU", **at))
        return unescape_code(at, end, out);
    if (**at == 'N') /* by name: would need Unicode's whole list */
        return false;
    if (known) {
        strbuf_add(out, &meanings[known - letters], 1);
    } else if (**at != '\n') {
        strbuf_adds(out, "\\");
        strbuf_add(out, *at, 1);
    }
    ++*at;
    return true;
}

static enum status push_string(struct lexer *lx, struct jinja_text quoted)
{
    struct strbuf text = {0};
    bool valid = true;
    const char *end = quoted.bytes + quoted.len;

    for (const char *p = quoted.bytes; p < end && valid;) {
        if (*p != '\\') {
            strbuf_add(&text, p++, 1);
            continue;
        }
        p++;
        valid = unescape(&p, end, &text);
    }
    if (valid)
        push(lx, TOKEN_STRING,
             (struct jinja_text){arena_copy(lx->arena, strbuf_cstr(&text), text.len), text.len});
    strbuf_release(&text);
    return valid ? STATUS_OK : fail(lx, "malformed escape in ", quoted);
}

static enum status lex_string(struct lexer *lx)
{
    const char *start = lx->at + 1;
    const char *p = start;

    while (p < lx->end && *p != *lx->at)
        p += *p == '\\' ? 2 : 1;
    if (p >= lx->end)
        return fail(lx, "a string has no end", jinja_text_of(""));

    enum status st = push_string(lx, (struct jinja_text){start, (size_t)(p - start)});

    if (!st)
        advance(lx, p + 1);
    return st;
}

/* Keep the account of brackets: a tag does not end inside of one. */
static enum status balance(struct lexer *lx, struct jinja_text symbol)
{
    const char *opening = "([{";
    const char *closing = ")]}";
    const char *opens = strchr(opening, *symbol.bytes);

    if (opens) {
        if (lx->open == BRACKETS_MAX)
            return fail(lx, "brackets nested too deeply", jinja_text_of(""));
        lx->closing[lx->open++] = closing[opens - opening];
    } else if (strchr(closing, *symbol.bytes)) {
        if (lx->open == 0 || lx->closing[--lx->open] != *symbol.bytes)
            return fail(lx, "unexpected ", symbol);
    }
    return STATUS_OK;
}

static enum status lex_operator(struct lexer *lx)
{
    static const char *const symbols[] = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                          "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                          ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};

    for (size_t i = 0; i < COUNT(symbols); i++) {
        if (starts_with(lx->at, lx->end, symbols[i])) {
            struct jinja_text symbol = {lx->at, strlen(symbols[i])};
            enum status st = balance(lx, symbol);

            push(lx, TOKEN_OPERATOR, symbol);
            advance(lx, lx->at + symbol.len);
            return st;
        }
    }

    struct jinja_text all = rest(lx);
    uint32_t code;

    return fail(lx, "unexpected character ", jinja_text_next(&all, &code));
}

static enum status lex_one(struct lexer *lx)
{
    if (is_digit(lx->at, lx->end))
        lex_number(lx);
    else if (is_word(lx->at, lx->end))
        lex_name(lx);
    else if (*lx->at == '\'' || *lx->at == '"')
        return lex_string(lx);
    else
        return lex_operator(lx);
    return STATUS_OK;
}

/* From behind "{{" or "{%" to behind its counterpart, or to the end, which the parser reports. */
static enum status lex_tag(struct lexer *lx, bool is_print)
{
    enum status st = STATUS_OK;

    lx->open = 0;
    while (!st && lx->at < lx->end) {
        const char *after = NULL;

        if (!lx->open)
            after = is_print ? match_print_end(lx->at, lx->end) : match_end(lx->at, lx->end, "%}");
        if (after) {
            push(lx, is_print ? TOKEN_PRINT_END : TOKEN_BLOCK_END, (struct jinja_text){0});
            advance(lx, after);
            return STATUS_OK;
        }
        after = skip_space(lx->at, lx->end);
        if (after > lx->at)
            advance(lx, after);
        else
            st = lex_one(lx);
    }
    return st;
}

static const char *find_tag(const char *at, const char *end)
{
    for (; at < end; at++)
        if (*at == '{' && at + 1 < end && strchr("#%{", at[1]))
            return at;
    return end;
}

/* The text up to the next tag, and the tag. */
static enum status lex_piece(struct lexer *lx)
{
    const char *tag = find_tag(lx->at, lx->end);
    struct jinja_text text = {lx->at, (size_t)(tag - lx->at)};

    if (tag == lx->end) {
        push_text(lx, text);
        advance(lx, tag);
        return STATUS_OK;
    }

    char kind = tag[1];
    char sign = sign_at(tag + 2, lx->end);
    const char *raw = kind == '%' ? match_raw(tag, lx->end) : NULL;

    push_text(lx, trimmed(lx, text, sign, kind == '{'));
    advance(lx, raw ? raw : tag + 2 + (sign != '\0'));
    if (raw)
        return lex_raw(lx);
    if (kind == '#')
        return lex_comment(lx);
    push(lx, kind == '{' ? TOKEN_PRINT_BEGIN : TOKEN_BLOCK_BEGIN, (struct jinja_text){0});
    return lex_tag(lx, kind == '{');
}

/* A copy with every "\r\n" and "\r" as "\n". */
static struct jinja_text with_plain_newlines(struct jinja_text source, struct arena *arena)
{
    char *copy = arena_copy(arena, source.bytes, source.len);
    size_t len = 0;

    for (size_t i = 0; i < source.len; i++) {
        if (source.bytes[i] == '\r' && i + 1 < source.len && source.bytes[i + 1] == '\n')
            continue;
        copy[len++] = (char)(source.bytes[i] == '\r' ? '\n' : source.bytes[i]);
    }
    return (struct jinja_text){copy, len};
}

enum status jinja_lex(struct jinja_text source, const char *name, struct arena *arena,
                      const struct jinja_token **tokens, struct error *err)
{
    struct jinja_text text = with_plain_newlines(source, arena);
    struct lexer lx = {.name = name,
                       .at = text.bytes,
                       .end = text.bytes + text.len,
                       .line = 1,
                       .line_start = true,
                       .arena = arena,
                       .err = err};
    enum status st = STATUS_OK;

    if (strlen(text.bytes) != text.len)
        return fail(&lx, "a NUL byte in the template", jinja_text_of(""));
    while (!st && lx.at < lx.end)
        st = lex_piece(&lx);
    if (!st) {
        push(&lx, TOKEN_END, (struct jinja_text){0});

        struct jinja_token *copy = arena_alloc(arena, lx.tokens.count, sizeof(*copy));

        memcpy(copy, lx.tokens.items, lx.tokens.count * sizeof(*copy));
        *tokens = copy;
    }
    vec_release(&lx.tokens);
    return st;
}
