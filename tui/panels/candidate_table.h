#ifndef TUI_PANELS_CANDIDATE_TABLE_H
#define TUI_PANELS_CANDIDATE_TABLE_H

#include "core/session/state/trajectory.h"
#include "tui/panels/candidate_measures.h"
#include "tui/term/canvas.h"

/*
 * The candidates of a session as a table: which columns are shown, and in which order the rows are.
 * Speeds and differences are on the session's scale (scale.h). Measures that are only in verdicts
 * are read gradually, a few for each frame.
 */

enum { TABLE_COLUMNS_MAX = 12 };

struct candidate_table {
    unsigned columns[TABLE_COLUMNS_MAX]; /* indices of candidate_table_name() */
    size_t column_count;
    /* index of the preset whose columns are shown, unless the engineer named columns */
    unsigned preset;
    unsigned sort;    /* the column that sorts the rows, from 1; 0: by number */
    bool is_reversed; /* the worst rows are first */
    bool needs_all;   /* read the measures of all rows, because a filter needs them */
    bool is_loading;  /* some of the needed measures have not been read yet */
    char note[96];    /* the error of the last command; "" if there was none */

    struct trajectory trajectory; /* trajectory at the last update */
    struct candidate_measure_cache measures;
    struct {
        struct table_row {
            double key;
            size_t index;
        } * items; /* the rows in their order; empty: by number */
        size_t count, capacity;
    } order;
};

/* The name of a column that the engineer types; NULL after the last column. */
const char *candidate_table_name(unsigned column);

/* Find the column with a name of `len` bytes; false if there is none. */
bool candidate_table_find(const char *name, size_t len, unsigned *column);

/* The value of a column for an attempt, by its index from 0; NaN if it is unknown. */
double candidate_table_value(const struct candidate_table *table, const struct session *session,
                             size_t attempt, unsigned column);

/* True if the values of the column are only in verdicts. */
bool candidate_table_is_measure(unsigned column);

/* Set the first preset. */
void candidate_table_open(struct candidate_table *table);

/*
 * Show the columns that `names` lists, separated by blanks; "": show the next preset. An unknown
 * name changes nothing; the error goes to `note`.
 */
void candidate_table_choose(struct candidate_table *table, const char *names);

/* Sort by the column `name`. "": by the next shown column; after the last column, by number. */
void candidate_table_sort(struct candidate_table *table, const char *name);

/* The attempt of a row, and the row of an attempt, as indices from 0. */
size_t candidate_table_attempt(const struct candidate_table *table, size_t row);
size_t candidate_table_row(const struct candidate_table *table, size_t attempt);

/* The visible rows. Their measures are read first. */
struct table_view {
    size_t top, height;
};

/* Follow the session: read speeds and some of the measures, and sort. */
void candidate_table_update(struct candidate_table *table, const struct view_model *view_model,
                            struct table_view in_view);

/* Draw the headings, or the columns of a row, from left to right as far as they fit. */
void candidate_table_put_headings(const struct candidate_table *table, struct pen *pen);
void candidate_table_put(const struct candidate_table *table, const struct session *session,
                         size_t attempt, struct pen *pen);
void candidate_table_release(struct candidate_table *table);

#endif
