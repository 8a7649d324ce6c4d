#ifndef TUI_PANELS_SOURCE_DIFF_H
#define TUI_PANELS_SOURCE_DIFF_H

#include "tui/widgets/widget_text.h"

/*
 * The difference of two sources as lines to be shown: in one column, or side
 * by side, where what belongs together stands in the same line.  In lines
 * that were changed, the words that differ are marked.
 */

/* Shows every line, however far from a change. */
#define SOURCE_DIFF_ALL ((size_t)-1)

struct source_diff {
    const char *old_text, *new_text;   /* borrowed by the lines too */
    const struct lexer_language *code; /* NULL: it is text */
    struct lexer_states *old_states;   /* kept from one comparison to the next; of code only */
    struct lexer_states *new_states;
    size_t context; /* lines shown around a change */
};

/* Append the difference in one column. */
void source_diff_unified(const struct source_diff *sources, struct widget_text *text);

/* Append the difference side by side: equally many lines to both. */
void source_diff_split(const struct source_diff *sources, struct widget_text *old_side,
                       struct widget_text *new_side);

#endif
