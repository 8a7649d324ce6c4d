#ifndef CORE_BASE_FORMATS_CSV_H
#define CORE_BASE_FORMATS_CSV_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads tables in CSV (RFC 4180), a row at a time. A field in quotes may contain commas and line
 * breaks.
 */

struct csv_row {
    struct {
        char **items; /* owned */
        size_t count, capacity;
    } fields;
};

/* Read the row at `*text` and advance to the next one; false at the end of the text. */
bool csv_next(const char **text, struct csv_row *row);

/* The index of the field with this text, or the number of fields when there is none. */
size_t csv_find(const struct csv_row *row, const char *name);

/* The field's text, empty when the row is shorter. Borrowed from the row. */
const char *csv_field(const struct csv_row *row, size_t index);

/* Free the fields; all zeros afterwards. */
void csv_row_release(struct csv_row *row);

#endif
