#include "tui/code/lexer.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "core/base/text.h"

const struct lexer_language *lexer_language(const char *name)
{
    for (const struct lexer_language *language = lexer_languages; language->name; language++)
        if (strcmp(language->name, name) == 0)
            return language;
    return lexer_languages;
}

/* Like strcmp(), for a text without a final zero. */
static int compare_word(const char *word, const char *text, size_t len)
{
    int order = strncmp(word, text, len);

    return order ? order : (unsigned char)word[len];
}

static bool is_listed(const struct lexer_words *list, const char *text, size_t len)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = compare_word(list->words[middle], text, len);

        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool has_prefix(const struct lexer_words *list, const char *text, size_t len)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t prefix = strlen(list->words[i]);

        if (prefix <= len && memcmp(list->words[i], text, prefix) == 0)
            return true;
    }
    return false;
}

/* The length of the word without the width of a vector: 2, 3, 4, 8 or 16. */
static size_t scalar_length(const char *text, size_t len)
{
    if (len > 2 && memcmp(text + len - 2, "16", 2) == 0)
        return len - 2;
    return len > 1 && strchr("2348", text[len - 1]) ? len - 1 : len;
}

static bool is_in(const struct lexer_words *list, const char *text, size_t len)
{
    if (list->flags & LEXER_PREFIXES)
        return has_prefix(list, text, len);
    return is_listed(list, text, len) ||
           ((list->flags & LEXER_VECTORS) && is_listed(list, text, scalar_length(text, len)));
}

static enum role word_role(const struct lexer_language *language, const char *text, size_t len)
{
    for (size_t i = 0; i < LEXER_WORD_LISTS && language->words[i]; i++)
        if (is_in(language->words[i], text, len))
            return language->words[i]->role;
    return ROLE_TEXT;
}

/* A name may have letters of any script (C17 6.4.2.1), which have several bytes in UTF-8. */
static size_t word_length(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && (text_is_of_name(text[i]) || (unsigned char)text[i] >= 0x80))
        i++;
    return i;
}

/* Preprocessing numbers (C17 6.4.8): digits, letters, dots, and a sign after e, E, p or P. */
static size_t number_length(const char *text, size_t len)
{
    size_t i = 1;

    while (i < len && (text_is_of_name(text[i]) || text[i] == '.' ||
                       (strchr("+-", text[i]) && strchr("eEpP", text[i - 1]))))
        i++;
    return i;
}

static bool begins(const char *text, size_t len, const char *with)
{
    size_t wanted = strlen(with);

    return len >= wanted && memcmp(text, with, wanted) == 0;
}

static bool is_first(const struct lexer *reader)
{
    size_t i = 0;

    while (i < reader->at && isspace((unsigned char)reader->text[i]))
        i++;
    return i == reader->at;
}

/*
 * The span that opens here, with the role `only_role` or, if that is 0, with any role; NULL if
 * none.
 */
static const struct lexer_span *opening(const struct lexer *reader, unsigned only_role)
{
    const struct lexer_span *spans = reader->language->spans;
    const char *text = reader->text + reader->at;

    if (!strchr(reader->language->openers, *text) || !*text)
        return NULL;
    for (size_t i = 0; i < LEXER_SPANS && spans[i].open; i++)
        if (begins(text, reader->len - reader->at, spans[i].open) &&
            (!only_role || spans[i].role == only_role) &&
            (!(spans[i].flags & LEXER_FIRST) || is_first(reader)))
            return &spans[i];
    return NULL;
}

/*
 * Find the end of the span in this line: behind its closing mark, at a comment inside it, or at the
 * end of the line. `*is_closed` says whether the mark was found.
 */
static size_t closing(const struct lexer *reader, const struct lexer_span *span, size_t from,
                      bool *is_closed)
{
    struct lexer at = *reader;

    *is_closed = false;
    for (at.at = from; at.at < at.len; at.at++) {
        const char *text = at.text + at.at;

        if (span->close && begins(text, at.len - at.at, span->close)) {
            *is_closed = true;
            return at.at + strlen(span->close);
        }
        if ((span->flags & LEXER_COMMENTS) && opening(&at, ROLE_COMMENT))
            return at.at;
        at.at += (span->flags & LEXER_ESCAPES) && *text == '\\';
    }
    return reader->len;
}

/* The open span; any span if `state` is 0. */
static const struct lexer_span *open_span(const struct lexer *reader)
{
    return &reader->language->spans[reader->state ? reader->state - 1 : 0];
}

/* Read to the end of a span; `mark` is the length of its opening mark, 0 if it is open already. */
static void read_span(struct lexer *reader, const struct lexer_span *span, size_t mark,
                      struct lexer_token *token)
{
    bool is_closed;
    size_t end = closing(reader, span, reader->at + mark, &is_closed);

    *token = (struct lexer_token){end - reader->at, span->role};
    reader->state = is_closed ? 0 : (unsigned)(span - reader->language->spans) + 1;
    reader->at = end;
}

/* Read a comment inside a directive.  The directive stays open if the comment ends in this line. */
static void read_comment_inside(struct lexer *reader, const struct lexer_span *comment,
                                struct lexer_token *token)
{
    unsigned outer = reader->state;

    read_span(reader, comment, strlen(comment->open), token);
    if (!reader->state)
        reader->state = outer;
}

/* Read a token of a span; false if there is plain text here. */
static bool read_spans(struct lexer *reader, struct lexer_token *token)
{
    bool is_inside = reader->state > 0;
    const struct lexer_span *outer = open_span(reader);
    const struct lexer_span *inner = opening(reader, is_inside ? ROLE_COMMENT : 0);

    if (is_inside && (outer->flags & LEXER_COMMENTS) && inner)
        read_comment_inside(reader, inner, token);
    else if (is_inside)
        read_span(reader, outer, 0, token);
    else if (inner)
        read_span(reader, inner, strlen(inner->open), token);
    return is_inside || inner;
}

static const struct lexer_sigil *sigil_of(const struct lexer_language *language, char c)
{
    for (size_t i = 0; i < LEXER_SIGILS && language->sigils[i].character; i++)
        if (language->sigils[i].character == c)
            return &language->sigils[i];
    return NULL;
}

static struct lexer_token plain_token(const struct lexer_language *language, const char *text,
                                      size_t len)
{
    const struct lexer_sigil *sigil = sigil_of(language, text[0]);
    size_t word = word_length(text, len), i = 1;

    if (isdigit((unsigned char)text[0]) ||
        (len > 1 && text[0] == '.' && isdigit((unsigned char)text[1])))
        return (struct lexer_token){number_length(text, len), ROLE_NUMBER};
    if (word)
        return (struct lexer_token){word, word_role(language, text, word)};
    if (sigil && len > 1 && text_is_of_name(text[1]))
        return (struct lexer_token){1 + word_length(text + 1, len - 1), sigil->role};
    while (isspace((unsigned char)text[0]) && i < len && isspace((unsigned char)text[i]))
        i++;
    return (struct lexer_token){i, ROLE_TEXT};
}

bool lexer_read(struct lexer *reader, struct lexer_token *token)
{
    if (reader->at >= reader->len)
        return false;
    if (read_spans(reader, token))
        return true;
    *token = plain_token(reader->language, reader->text + reader->at, reader->len - reader->at);
    reader->at += token->len;
    return true;
}

/* Move to the next character that may open a span, or to the end of the line. */
static void skip_plain(struct lexer *reader, const bool opens[UCHAR_MAX + 1])
{
    while (reader->at < reader->len && !opens[(unsigned char)reader->text[reader->at]])
        reader->at++;
}

unsigned lexer_next_line(const struct lexer_language *language, unsigned state, const char *line,
                         size_t len)
{
    struct lexer reader = {.language = language, .state = state, .text = line, .len = len};
    bool opens[UCHAR_MAX + 1] = {0};
    struct lexer_token token;
    unsigned flags;

    for (const char *c = language->openers; *c; c++)
        opens[(unsigned char)*c] = true;
    while (reader.at < len) {
        if (!reader.state)
            skip_plain(&reader, opens);
        if (reader.at < len)
            reader.at += !read_spans(&reader, &token);
    }
    flags = open_span(&reader)->flags;
    if ((flags & LEXER_LONG) || ((flags & LEXER_CONTINUES) && len && line[len - 1] == '\\'))
        return reader.state;
    return 0;
}

void lexer_put_line(struct pen *pen, struct lexer *line)
{
    struct lexer_token token;

    while (!pen_is_past_edge(pen) && lexer_read(line, &token))
        pen_put(pen, token.role, line->text + line->at - token.len, token.len);
}
