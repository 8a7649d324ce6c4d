#ifndef CORE_BASE_CSV_H
#define CORE_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

/* Tables as text, fields separated by commas (RFC 4180): a field in quotes may hold anything.
 */

struct csv_row {
    struct {
        char **items; /* owned */
        size_t count, capacity;
    } fields;
};

/* Read the row that begins at `*text`, and move on to the next; false at the end. */
bool csv_next(const char **text, struct csv_row *row);

/* The index of the field that is `name`; the number of fields where there is none. */
size_t csv_find(const struct csv_row *row, const char *name);

/* The field, empty where the row is shorter.  Borrowed from the row. */
const char *csv_field(const struct csv_row *row, size_t index);

/* Free the fields; all zeros afterwards. */
void csv_row_release(struct csv_row *row);

#endif
