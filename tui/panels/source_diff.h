#ifndef TUI_PANELS_SOURCE_DIFF_H
#define TUI_PANELS_SOURCE_DIFF_H

#include "core/session/store/diff.h"
#include "tui/widgets/widget_text.h"

/*
 * The difference of two sources as lines to be shown: in one column, or side by side with matching
 * lines opposite each other. In changed lines, the words that differ have another background.
 */

/* As `context`: show all lines. */
#define SOURCE_DIFF_ALL ((size_t)-1)

struct source_diff {
    const char *old_text, *new_text;   /* the lines borrow them */
    const struct lexer_language *code; /* NULL: plain text */
    /* states of the lexer on the old code; kept between comparisons */
    struct lexer_states *old_states;
    struct lexer_states *new_states;
    const struct diff *lines; /* the difference of their lines; NULL if it is computed */
    size_t context;           /* unchanged lines to show around a change */
};

/* Append the difference in one column. */
void source_diff_unified(const struct source_diff *sources, struct widget_text *text);

/* Append the difference side by side: the same number of lines to both sides. */
void source_diff_split(const struct source_diff *sources, struct widget_text *old_side,
                       struct widget_text *new_side);

#endif
