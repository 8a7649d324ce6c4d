#ifndef TUI_PANELS_CANDIDATE_FILTER_H
#define TUI_PANELS_CANDIDATE_FILTER_H

#include "tui/panels/candidate_table.h"

/*
 * The filter of the candidates; FORMATS.md has its grammar under "Filters of candidates". A filter
 * has conditions on columns ("speedup>1.5 registers<64"), words for results ("failed"), and other
 * words, which are searched in the row. A text that has only other words is searched as a whole.
 */

enum filter_comparison { FILTER_BELOW, FILTER_AT_MOST, FILTER_ABOVE, FILTER_AT_LEAST };

enum filter_state { FILTER_FAILED, FILTER_CORRECT, FILTER_KEPT, FILTER_UNDONE, FILTER_STATES };

enum filter_kind { FILTER_COLUMN, FILTER_STATE, FILTER_WORD };

struct filter_condition {
    enum filter_kind kind;
    /* FILTER_COLUMN: index of the column (candidate_table_name()) that is compared with `value` */
    unsigned column;
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
    /* the error in the text; "" if there is none. A text with an error hides no row */
    char trouble[96];
};

/* Parse a text, unless it was the last one. */
void candidate_filter_parse(struct candidate_filter *filter, const char *text);

/* True if a condition is about a column whose values are only in verdicts. */
bool candidate_filter_needs_measures(const struct candidate_filter *filter);

/*
 * True if the attempt with this index meets all conditions. Words are searched in `text`, the
 * attempt's row. An unknown number meets no condition.
 */
bool candidate_filter_passes(const struct candidate_filter *filter,
                             const struct candidate_table *table, const struct session *session,
                             size_t attempt, const struct strbuf *text);

#endif
