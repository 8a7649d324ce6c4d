#ifndef TUI_CLI_TEXT_REPORT_TABLE_H
#define TUI_CLI_TEXT_REPORT_TABLE_H

#include <stdbool.h>

#include "core/base/strbuf.h"

/* A table of texts, printed in columns or as Markdown.  All zeros is empty. */
struct report_table {
    struct {
        char **items; /* row by row; owned */
        size_t count, capacity;
    } cells;
    size_t columns;
};

/* Begin with the titles of the columns, which are separated by bars: "problem|arm". */
void report_table_begin(struct report_table *table, const char *titles);

/* Add the next cell of the current row. */
void report_table_add(struct report_table *table, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Append the table to `out`, and leave it empty. */
void report_table_print(struct report_table *table, bool as_markdown, struct strbuf *out);

#endif
