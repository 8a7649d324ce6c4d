#ifndef TUI_WIDGETS_CODE_H
#define TUI_WIDGETS_CODE_H

#include "tui/term/canvas.h"

/*
 * Syntax colours for the languages that kernels are written in, a line at a
 * time: enough of a lexer to tell words, numbers, strings, comments and
 * directives apart.  One engine reads them all; what differs between them is
 * a table (tui/widgets/code_languages.c).
 *
 * The state at the start of a line is all that a line needs of those before,
 * and finding it looks at no words: a text is looked through once when it
 * comes (tui/widgets/code_states.h), and from then on only the lines that are shown
 * are read.
 */

/* What goes from an opening to a closing mark: a comment, a string, a directive. */
struct code_span {
    const char *open, *close; /* `close` NULL: the end of the line */
    enum role role;
    unsigned flags; /* CODE_ bits */
};

enum {
    CODE_ESCAPES = 1,   /* a backslash takes the character after it along */
    CODE_LONG = 2,      /* ends of lines are part of it */
    CODE_CONTINUES = 4, /* goes on in the next line after a backslash that ends this one */
    CODE_FIRST = 8,     /* opens as the first thing of a line only */
    CODE_COMMENTS = 16, /* may hold comments */
};

/* Words that have a role, sorted by strcmp(). */
struct code_words {
    enum role role;
    unsigned flags;
    const char *const *words;
    size_t count;
};

enum {
    CODE_VECTORS = 1,  /* also with a vector's length behind them: float4 */
    CODE_PREFIXES = 2, /* whatever begins with them */
};

/* A character that begins a word of its own kind: %tid, .reg, @decorator. */
struct code_sigil {
    char character;
    enum role role;
};

enum { CODE_SPANS = 8, CODE_WORD_LISTS = 8, CODE_SIGILS = 4 };

struct code_language {
    const char *names;   /* as sessions say it, and what else it is called, separated by blanks */
    const char *openers; /* the first characters of its spans */
    struct code_span spans[CODE_SPANS]; /* of two that open here, the first counts */
    const struct code_words *words[CODE_WORD_LISTS];
    struct code_sigil sigils[CODE_SIGILS];
};

/* Ended by one without names. */
extern const struct code_language code_languages[];

/* The language of that name; of another or NULL: C, which most of them resemble. */
const struct code_language *code_language(const char *name);

/* A line, and how far it has been read.  `state` is 0 at the start of a file. */
struct code_reader {
    const struct code_language *language;
    unsigned state;
    const char *text;
    size_t len, at;
};

struct code_token {
    size_t len;
    enum role role;
};

/* Read a token; false at the end of the line. */
bool code_read(struct code_reader *reader, struct code_token *token);

/* The state at the start of the next line; lines come without their newline. */
unsigned code_next_line(const struct code_language *language, unsigned state, const char *line,
                        size_t len);

/* Write with the pen what is left of the line. */
void code_put_line(struct pen *pen, struct code_reader *line);

#endif
