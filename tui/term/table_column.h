#ifndef TUI_TERM_TABLE_COLUMN_H
#define TUI_TERM_TABLE_COLUMN_H

#include "tui/term/canvas.h"

/*
 * The columns of tables. Columns stay aligned for characters of any width; "%-9.9s" counts bytes
 * and does not do that.
 */

/*
 * Write a name into a column, and move the pen behind the column. A name that is too long loses its
 * middle, marked by "...", because names of one list often differ only at their ends.
 */
void pen_put_column(struct pen *pen, enum role role, int columns, const char *name);

#endif
