#ifndef TUI_TERM_TABLE_COLUMN_H
#define TUI_TERM_TABLE_COLUMN_H

#include "core/base/strbuf.h"
#include "tui/term/canvas.h"

/*
 * The columns of tables. Columns stay aligned for characters of any width; "%-9.9s" counts bytes
 * and does not do that.
 */

/*
 * Append a name of at most so many columns. A name that is too long loses its middle, marked by
 * "...", because names of one list often differ only at their ends. Below 8 columns it stays whole.
 */
void table_column_cut(const char *name, int columns, struct strbuf *out);

/* Write a name into a column, cut by table_column_cut(), and move the pen behind the column. */
void pen_put_column(struct pen *pen, enum role role, int columns, const char *name);

#endif
