#ifndef CORE_SESSION_RECORDED_REVIEW_REPORT_H
#define CORE_SESSION_RECORDED_REVIEW_REPORT_H

#include "core/session/recorded/review.h"

/*
 * Writes recommendations as text, for other programs and for readers. `rows` gives the
 * recommendations and their order.
 */

/* Append one line of JSON for each recommendation (FORMATS.md, "kforge review --json"). */
void review_report_json(const struct review *review, const struct review_rows *rows,
                        struct strbuf *out);

/* Append a Markdown document: totals, a table, and a section for each. */
void review_report_markdown(const struct review *review, const struct review_rows *rows,
                            struct strbuf *out);

/*
 * Write them to a file: Markdown if its name ends with ".md", lines of JSON if with ".json" or
 * ".jsonl"; STATUS_INVALID if the name has another ending or the file exists.
 */
enum status review_report_save(const struct review *review, const struct review_rows *rows,
                               const char *path, struct error *err) MUST_CHECK;

#endif
