#ifndef CORE_SUITE_REPORT_TASK_ROW_H
#define CORE_SUITE_REPORT_TASK_ROW_H

#include "core/suite/report/suite_verdicts.h"
#include "core/suite/suite_store.h"

/*
 * The row of a task in the report, kept in the suite's folder as tasks/NUMBER.row.json, so that a
 * report on many sessions need not read their journals and verdicts. The file has the size and the
 * time of the journal from which it was computed. If either differs, or the file is missing,
 * damaged or of another version, the row is computed again from the journal.
 */

/*
 * Fill in the results of the task's session, row->session.  A row that had to be computed is kept,
 * if the folder can be written.  STATUS_NOT_FOUND if the session has no journal.
 */
enum status task_row_read(const struct suite_store *store, size_t task,
                          struct suite_verdicts *verdicts, struct report_row *row,
                          struct error *err) MUST_CHECK;

/* Fill in the results only from the file; false if the row has to be computed. */
bool task_row_find(const struct suite_store *store, size_t task, struct report_row *row);

/* Compute and keep the row of a session that has ended, for later reports. */
void task_row_keep(const struct suite_store *store, size_t task, const char *session);

/*
 * Compute and keep the rows of many tasks, by their indices, in as many processes as there are
 * processors.  Returns when all are done; a row that could not be kept is computed again later.
 */
void task_rows_keep(const struct suite_store *store, const size_t *tasks, size_t count);

#endif
