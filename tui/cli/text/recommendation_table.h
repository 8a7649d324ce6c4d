#ifndef TUI_CLI_TEXT_RECOMMENDATION_TABLE_H
#define TUI_CLI_TEXT_RECOMMENDATION_TABLE_H

#include "core/session/recorded/review.h"

/*
 * Append a line for each of the rows (marks, promised and gained speedup, tags, change), and the
 * totals.
 */
void recommendation_table_write(const struct review *review, const struct review_rows *rows,
                                struct strbuf *out);

#endif
