#ifndef TUI_CODE_LEXER_STATES_H
#define TUI_CODE_LEXER_STATES_H

#include "core/base/strbuf.h"
#include "tui/code/lexer.h"

/*
 * The lexer's state at the start of each line of a text that is replaced by
 * its next version again and again.  What was read of one version is not read
 * again in the next: reading begins at the first line that is different, and
 * ends behind the last one as soon as the states agree.
 */
struct lexer_states {
    const struct lexer_language *language;
    struct strbuf text; /* a copy of the version that the states are of */
    unsigned *items;    /* by line, and behind the last one */
    size_t count, capacity;
};

/* Turn to a text; return how many of its lines were read. */
size_t lexer_states_update(struct lexer_states *states, const struct lexer_language *language,
                           const char *text, size_t len);

/* At the start of a line, which counts from 1; 0 of lines that are not there. */
unsigned lexer_states_at(const struct lexer_states *states, size_t number);

/* Free everything; all zeros afterwards. */
void lexer_states_release(struct lexer_states *states);

#endif
