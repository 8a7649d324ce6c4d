#ifndef TUI_PANELS_CANDIDATE_FILTER_H
#define TUI_PANELS_CANDIDATE_FILTER_H

#include "tui/panels/candidate_table.h"

/*
 * The filter of the candidates, in the grammar that FORMATS.md has under "Filters of candidates":
 * conditions on columns, "speedup>1.5 registers<64", words for results, "failed", and other words,
 * which are looked for in the row.  A text without conditions and words for results is looked for
 * as a whole.
 */

enum filter_comparison { FILTER_BELOW, FILTER_AT_MOST, FILTER_ABOVE, FILTER_AT_LEAST };

enum filter_state { FILTER_FAILED, FILTER_CORRECT, FILTER_KEPT, FILTER_UNDONE, FILTER_STATES };

enum filter_kind { FILTER_COLUMN, FILTER_STATE, FILTER_WORD };

struct filter_condition {
    enum filter_kind kind;
    unsigned column; /* FILTER_COLUMN: of candidate_table_name(), compared with `value` */
    enum filter_comparison comparison;
    double value;
    enum filter_state state; /* FILTER_STATE */
    struct pattern word;     /* FILTER_WORD */
};

enum { FILTER_CONDITIONS = 8 };

struct candidate_filter {
    char text[PATTERN_SIZE]; /* the text that was parsed last */
    struct filter_condition conditions[FILTER_CONDITIONS];
    size_t count;
    char trouble[96]; /* the error in the text, which then hides no row; "" if there is none */
};

/* Parse a text, unless it was the last one. */
void candidate_filter_parse(struct candidate_filter *filter, const char *text);

/* True if a condition is on a column that only verdicts know. */
bool candidate_filter_needs_measures(const struct candidate_filter *filter);

/*
 * True if the attempt with this index meets all conditions; words are looked for in `text`, its
 * row.  An unknown number meets no condition.
 */
bool candidate_filter_passes(const struct candidate_filter *filter,
                             const struct candidate_table *table, const struct session *session,
                             size_t attempt, const struct strbuf *text);

#endif
