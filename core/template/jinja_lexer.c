#include "core/template/jinja_lexer.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/vec.h"

struct token_list {
    struct jinja_token *items;
    size_t count, capacity;
};

struct lexer {
    const char *name;
    const char *at, *end;
    int line;
    bool line_start; /* the last character read ended a line */
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

static struct jinja_text between(const char *at, const char *end)
{
    return (struct jinja_text){at, (size_t)(end - at)};
}

/* Move to `to`, and count the lines in between. */
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
    while (at < end && jinja_is_space(*at))
        at++;
    return at;
}

/*
 * The end of the mark that closes a tag at `at`, or NULL: "-%}" takes the
 * white space after it, "%}" one line break, "+%}" nothing.
 */
static const char *match_end(const char *at, const char *end, const char *mark)
{
    bool is_print = *mark == '}';

    if (starts_with(at, end, mark))
        return at + 2 + (!is_print && starts_with(at + 2, end, "\n"));
    if (at == end || !starts_with(at + 1, end, mark))
        return NULL;
    return *at == '-' ? skip_space(at + 3, end) : *at == '+' && !is_print ? at + 3 : NULL;
}

static char sign_at(const char *at, const char *end)
{
    return (char)(at < end && (*at == '-' || *at == '+') ? *at : '\0');
}

/* Push the text before the tag at `tag`, without the white space that the tag removes. */
static void push_text_before(struct lexer *lx, const char *tag)
{
    struct jinja_text text = between(lx->at, tag);
    const char *newline = text.len ? memrchr(text.bytes, '\n', text.len) : NULL;
    const char *line = newline ? newline + 1 : text.bytes;
    char sign = sign_at(tag + 2, lx->end);

    if (sign == '-')
        text = jinja_text_trim_end(text);
    else if (!sign && tag[1] != '{' && (newline || lx->line_start) && skip_space(line, tag) == tag)
        text.len = (size_t)(line - text.bytes);
    if (text.len)
        push(lx, TOKEN_TEXT, text);
}

/* The end of "{% raw" or "{% endraw" at `at`, before the mark that closes it, or NULL. */
static const char *match_word(const char *at, const char *end, const char *word)
{
    if (!starts_with(at, end, "{%"))
        return NULL;
    at = skip_space(at + 2 + (sign_at(at + 2, end) != '\0'), end);
    return starts_with(at, end, word) ? skip_space(at + strlen(word), end) : NULL;
}

/* The end of "{% raw %}" at `at`, or NULL.  The tag keeps the line break after it. */
static const char *match_raw(const char *at, const char *end)
{
    const char *mark = match_word(at, end, "raw");

    if (!mark)
        return NULL;
    return starts_with(mark, end, "%}") ? mark + 2 : match_end(mark, end, "%}");
}

/* From after "{% raw %}" to after "{% endraw %}". */
static enum status lex_raw(struct lexer *lx)
{
    for (const char *p = lx->at; p < lx->end; p++) {
        const char *mark = match_word(p, lx->end, "endraw");
        const char *after = mark ? match_end(mark, lx->end, "%}") : NULL;

        if (after) {
            push_text_before(lx, p);
            advance(lx, after);
            return STATUS_OK;
        }
    }
    return fail(lx, "a raw block has no {% endraw %}", jinja_text_of(""));
}

/* From after "{#" to after "#}". */
static enum status lex_comment(struct lexer *lx)
{
    for (const char *p = lx->at; p < lx->end; p++) {
        const char *after = match_end(p, lx->end, "#}");

        if (after) {
            advance(lx, after);
            return STATUS_OK;
        }
    }
    return fail(lx, "a comment has no #}", jinja_text_of(""));
}

static bool is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

static bool is_word(const char *at, const char *end)
{
    return is_digit(at, end) ||
           (at < end && (*at == '_' || (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z')));
}

static const char *skip_digits(const char *at, const char *end)
{
    while (is_digit(at, end))
        at++;
    return at;
}

/* Lex a number: digits, with an optional fraction and exponent. */
static void lex_number(struct lexer *lx)
{
    const char *after = skip_digits(lx->at, lx->end);

    if (starts_with(after, lx->end, ".") && is_digit(after + 1, lx->end))
        after = skip_digits(after + 1, lx->end);
    if (after < lx->end && (*after == 'e' || *after == 'E')) {
        const char *exponent = after + 1 + (sign_at(after + 1, lx->end) != '\0');

        if (is_digit(exponent, lx->end))
            after = skip_digits(exponent, lx->end);
    }
    push(lx, TOKEN_NUMBER, between(lx->at, after));
    advance(lx, after);
}

static void lex_name(struct lexer *lx)
{
    const char *after = lx->at;

    while (is_word(after, lx->end))
        after++;
    push(lx, TOKEN_NAME, between(lx->at, after));
    advance(lx, after);
}

static enum status lex_string(struct lexer *lx)
{
    static const char letters[] = "\\'\"nrt", meanings[] = "\\'\"\n\r\t";
    const char *p = lx->at + 1;
    char *text = arena_alloc(lx->arena, (size_t)(lx->end - lx->at), 1);
    size_t len = 0;

    for (; p < lx->end && *p != *lx->at; p++) {
        const char *letter = NULL;

        if (*p == '\\' && p + 1 < lx->end) {
            letter = memchr(letters, *++p, sizeof(letters) - 1);
            if (!letter)
                return fail(lx,
                            "unknown escape: write \\\\ for a backslash; known are \\n \\r \\t "
                            "\\' \\\" besides, not \\",
                            between(p, p + 1));
        }
        text[len++] = (char)(letter ? meanings[letter - letters] : *p);
    }
    if (p == lx->end)
        return fail(lx, "a string has no closing quote", jinja_text_of(""));
    push(lx, TOKEN_STRING, (struct jinja_text){text, len});
    advance(lx, p + 1);
    return STATUS_OK;
}

static enum status lex_operator(struct lexer *lx)
{
    static const char *const symbols[] = {"**", "//", "==", "!=", ">=", "<=", "+", "-", "/",
                                          "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                          ">",  "<",  "=",  ".",  ":",  "|",  ","};

    for (size_t i = 0; i < COUNT(symbols); i++) {
        if (starts_with(lx->at, lx->end, symbols[i])) {
            push(lx, TOKEN_OPERATOR, jinja_text_of(symbols[i]));
            advance(lx, lx->at + strlen(symbols[i]));
            return STATUS_OK;
        }
    }

    struct jinja_text rest = between(lx->at, lx->end);
    uint32_t code;

    return fail(lx, "unexpected character ", jinja_text_next(&rest, &code));
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

/* From after "{{" or "{%" to after its counterpart; the parser reports a tag that has no end. */
static enum status lex_tag(struct lexer *lx, bool is_print)
{
    enum status st = STATUS_OK;

    for (advance(lx, skip_space(lx->at, lx->end)); !st && lx->at < lx->end;
         advance(lx, skip_space(lx->at, lx->end))) {
        const char *after = match_end(lx->at, lx->end, is_print ? "}}" : "%}");

        if (after) {
            push(lx, is_print ? TOKEN_PRINT_END : TOKEN_BLOCK_END, (struct jinja_text){0});
            advance(lx, after);
            return STATUS_OK;
        }
        st = lex_one(lx);
    }
    return st;
}

static const char *find_tag(const char *at, const char *end)
{
    for (; at + 1 < end; at++)
        if (*at == '{' && at[1] && strchr("#%{", at[1]))
            return at;
    return NULL;
}

/* Lex the text up to the next tag, and the tag. */
static enum status lex_piece(struct lexer *lx)
{
    const char *tag = find_tag(lx->at, lx->end);

    if (!tag) {
        push(lx, TOKEN_TEXT, between(lx->at, lx->end));
        advance(lx, lx->end);
        return STATUS_OK;
    }

    const char *raw = match_raw(tag, lx->end);

    push_text_before(lx, tag);
    advance(lx, raw ? raw : tag + 2 + (sign_at(tag + 2, lx->end) != '\0'));
    if (raw)
        return lex_raw(lx);
    if (tag[1] == '#')
        return lex_comment(lx);
    push(lx, tag[1] == '{' ? TOKEN_PRINT_BEGIN : TOKEN_BLOCK_BEGIN, (struct jinja_text){0});
    return lex_tag(lx, tag[1] == '{');
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

    if (text.len && memchr(text.bytes, '\0', text.len))
        st = fail(&lx, "a template holds a zero byte", jinja_text_of(""));
    while (!st && lx.at < lx.end)
        st = lex_piece(&lx);
    push(&lx, TOKEN_END, (struct jinja_text){0});
    if (!st) {
        struct jinja_token *copy = arena_alloc(arena, lx.tokens.count, sizeof(*copy));

        memcpy(copy, lx.tokens.items, lx.tokens.count * sizeof(*copy));
        *tokens = copy;
    }
    vec_release(&lx.tokens);
    return st;
}
