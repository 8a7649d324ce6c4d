#ifndef TUI_PANELS_CANDIDATE_TABLE_H
#define TUI_PANELS_CANDIDATE_TABLE_H

#include "core/session/state/trajectory.h"
#include "tui/panels/candidate_measures.h"
#include "tui/term/canvas.h"

/*
 * The candidates of a session as a table: which columns are shown, and in which order the rows are.
 * Speeds, and so all differences, are on the session's scale (scale.h).  Measures that only
 * verdicts know are read a few for each frame.
 */

enum { TABLE_COLUMNS_MAX = 12 };

struct candidate_table {
    unsigned columns[TABLE_COLUMNS_MAX]; /* indices of candidate_table_name() */
    size_t column_count;
    unsigned preset;  /* the columns are those of this preset, unless they were named */
    unsigned sort;    /* the column that sorts the rows, from 1; 0: by number */
    bool is_reversed; /* the worst first */
    bool needs_all;   /* the measures of all rows are read, because a filter asks for them */
    bool is_loading;  /* measures in view, or those of all rows that are needed, are not all read */
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

/* The name of a column, as the engineer types it; NULL after the last one. */
const char *candidate_table_name(unsigned column);

/* Find the column of a name of `len` bytes; false if there is none. */
bool candidate_table_find(const char *name, size_t len, unsigned *column);

/* The value of a column for an attempt, by its index from 0; NaN if it is unknown. */
double candidate_table_value(const struct candidate_table *table, const struct session *session,
                             size_t attempt, unsigned column);

/* True if only verdicts know the column. */
bool candidate_table_is_measure(unsigned column);

/* Set the first preset. */
void candidate_table_open(struct candidate_table *table);

/*
 * Show the columns that are named in `names`, separated by blanks; "": the next preset.  A name
 * that is none is noted, and nothing changes.
 */
void candidate_table_choose(struct candidate_table *table, const char *names);

/* Sort by the column `name`; "": by the next column that is shown, after the last by number. */
void candidate_table_sort(struct candidate_table *table, const char *name);

/* The attempt of a row, and the row of an attempt, as indices from 0. */
size_t candidate_table_attempt(const struct candidate_table *table, size_t row);
size_t candidate_table_row(const struct candidate_table *table, size_t attempt);

/* The rows that are in view: measures for them are read first. */
struct table_view {
    size_t top, height;
};

/* Follow the session: read speeds and some of the measures, and sort. */
void candidate_table_update(struct candidate_table *table, const struct view_model *view_model,
                            struct table_view in_view);

/* Draw the headings, and the columns of a row, behind each other as far as they fit. */
void candidate_table_put_headings(const struct candidate_table *table, struct pen *pen);
void candidate_table_put(const struct candidate_table *table, const struct session *session,
                         size_t attempt, struct pen *pen);
void candidate_table_release(struct candidate_table *table);

#endif
