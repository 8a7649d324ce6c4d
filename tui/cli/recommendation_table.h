#ifndef TUI_CLI_RECOMMENDATION_TABLE_H
#define TUI_CLI_RECOMMENDATION_TABLE_H

#include "core/session/recorded/review.h"

/* Append a row for each recommendation that passes the filter (promised and gained speedup, tags,
 * change), and the totals. */
void recommendation_table_write(const struct review *review, const struct review_filter *filter,
                                struct strbuf *out);

#endif
