#ifndef TUI_CODE_LEXER_H
#define TUI_CODE_LEXER_H

#include "tui/term/canvas.h"

/*
 * Syntax colours, one line at a time. The lexer distinguishes words, numbers, strings, comments and
 * directives. It is the same for all languages; a table describes each language
 * (tui/code/lexer_languages.c).
 *
 * A line depends on the lines above it only by one number, the state at its start. The states of a
 * text are computed once, without looking up words (tui/code/lexer_states.h). After that, only the
 * lines on the screen are read.
 */

/* A piece of text between an opening and a closing mark: a comment, a string, a directive. */
struct lexer_span {
    const char *open, *close; /* `close` NULL: the end of the line closes it */
    enum role role;
    unsigned flags; /* LEXER_ESCAPES to LEXER_COMMENTS */
};

enum {
    LEXER_ESCAPES = 1,   /* a backslash escapes the next character */
    LEXER_LONG = 2,      /* it may extend over several lines */
    LEXER_CONTINUES = 4, /* a backslash at the end of the line continues it in the next */
    LEXER_FIRST = 8,     /* it opens only where no other text of the line is before it */
    LEXER_COMMENTS = 16, /* it may contain comments */
};

/* Words of one role, sorted by strcmp(). */
struct lexer_words {
    enum role role;
    unsigned flags; /* LEXER_VECTORS, LEXER_PREFIXES */
    const char *const *words;
    size_t count;
};

enum {
    LEXER_VECTORS = 1,  /* each word also with the width of a vector: float4 */
    LEXER_PREFIXES = 2, /* the words are prefixes: every word that begins with one has the role */
};

/* A character that gives its role to the word after it: %tid, .reg, @decorator. */
struct lexer_sigil {
    char character;
    enum role role;
};

enum { LEXER_SPANS = 8, LEXER_WORD_LISTS = 8, LEXER_SIGILS = 4 };

struct lexer_language {
    const char *name;    /* the name of the syntax in core/model/language.c */
    const char *openers; /* the first characters of the opening marks of all spans */
    struct lexer_span spans[LEXER_SPANS]; /* if two open at the same place, the first counts */
    const struct lexer_words *words[LEXER_WORD_LISTS];
    struct lexer_sigil sigils[LEXER_SIGILS];
};

/* The last row has no name. */
extern const struct lexer_language lexer_languages[];

/* The row of a language; the row of C if the name is unknown, since most languages resemble C. */
const struct lexer_language *lexer_language(const char *name);

/* A line without its newline, read up to `at`.  `state` is 0 at the start of a text. */
struct lexer {
    const struct lexer_language *language;
    unsigned state;
    const char *text;
    size_t len, at;
};

struct lexer_token {
    size_t len;
    enum role role;
};

/* Read the next token; false at the end of the line. */
bool lexer_read(struct lexer *reader, struct lexer_token *token);

/* The state at the start of the line after `line`, which has no newline. */
unsigned lexer_next_line(const struct lexer_language *language, unsigned state, const char *line,
                         size_t len);

/* Write the rest of the line with the pen, in the colours of its tokens. */
void lexer_put_line(struct pen *pen, struct lexer *line);

#endif
