#ifndef TUI_CODE_LEXER_H
#define TUI_CODE_LEXER_H

#include "tui/term/canvas.h"

/*
 * Syntax colours for the languages that kernels are written in, a line at a
 * time: enough of a lexer to tell words, numbers, strings, comments and
 * directives apart.  One engine reads them all; what differs between them is
 * a table (tui/code/lexer_languages.c).
 *
 * The state at the start of a line is all that a line needs of those before,
 * and finding it looks at no words: a text is looked through once when it
 * comes (tui/code/lexer_states.h), and from then on only the lines that are shown
 * are read.
 */

/* What goes from an opening to a closing mark: a comment, a string, a directive. */
struct lexer_span {
    const char *open, *close; /* `close` NULL: the end of the line */
    enum role role;
    unsigned flags; /* LEXER_ bits */
};

enum {
    LEXER_ESCAPES = 1,   /* a backslash takes the character after it along */
    LEXER_LONG = 2,      /* ends of lines are part of it */
    LEXER_CONTINUES = 4, /* goes on in the next line after a backslash that ends this one */
    LEXER_FIRST = 8,     /* opens as the first thing of a line only */
    LEXER_COMMENTS = 16, /* may hold comments */
};

/* Words that have a role, sorted by strcmp(). */
struct lexer_words {
    enum role role;
    unsigned flags;
    const char *const *words;
    size_t count;
};

enum {
    LEXER_VECTORS = 1,  /* also with a vector's length behind them: float4 */
    LEXER_PREFIXES = 2, /* whatever begins with them */
};

/* A character that begins a word of its own kind: %tid, .reg, @decorator. */
struct lexer_sigil {
    char character;
    enum role role;
};

enum { LEXER_SPANS = 8, LEXER_WORD_LISTS = 8, LEXER_SIGILS = 4 };

struct lexer_language {
    const char *names;   /* as sessions say it, and what else it is called, separated by blanks */
    const char *openers; /* the first characters of its spans */
    struct lexer_span spans[LEXER_SPANS]; /* of two that open here, the first counts */
    const struct lexer_words *words[LEXER_WORD_LISTS];
    struct lexer_sigil sigils[LEXER_SIGILS];
};

/* Ended by one without names. */
extern const struct lexer_language lexer_languages[];

/* The language of that name; of another or NULL: C, which most of them resemble. */
const struct lexer_language *lexer_language(const char *name);

/* A line, and how far it has been read.  `state` is 0 at the start of a file. */
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

/* Read a token; false at the end of the line. */
bool lexer_read(struct lexer *reader, struct lexer_token *token);

/* The state at the start of the next line; lines come without their newline. */
unsigned lexer_next_line(const struct lexer_language *language, unsigned state, const char *line,
                         size_t len);

/* Write with the pen what is left of the line. */
void lexer_put_line(struct pen *pen, struct lexer *line);

#endif
