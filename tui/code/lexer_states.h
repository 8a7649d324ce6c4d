#ifndef TUI_CODE_LEXER_STATES_H
#define TUI_CODE_LEXER_STATES_H

#include "core/base/strbuf.h"
#include "tui/code/lexer.h"

/*
 * The lexer's state at the start of each line of a text that changes, such as a reply that streams
 * in. Only changed lines are read again: reading begins at the first line that differs. After the
 * last line that differs, it ends as soon as a state equals the old one.
 */
struct lexer_states {
    const struct lexer_language *language;
    struct strbuf text; /* a copy of the text that the states belong to */
    unsigned *items;    /* one for each line, and one for the end of the text */
    size_t count, capacity;
};

/* Replace the text; return how many of its lines had to be read. */
size_t lexer_states_update(struct lexer_states *states, const struct lexer_language *language,
                           const char *text, size_t len);

/* The state at the start of a line, counted from 1; 0 if there is no such line. */
unsigned lexer_states_at(const struct lexer_states *states, size_t number);

/* Free everything; all zeros afterwards. */
void lexer_states_release(struct lexer_states *states);

#endif
