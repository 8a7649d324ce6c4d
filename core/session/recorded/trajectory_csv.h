#ifndef CORE_SESSION_RECORDED_TRAJECTORY_CSV_H
#define CORE_SESSION_RECORDED_TRAJECTORY_CSV_H

#include "core/base/strbuf.h"
#include "core/session/state/trajectory.h"

/*
 * Append the trajectory as a table in CSV (RFC 4180; FORMATS.md has its columns): a row for each
 * attempt, then a row for each level. A title that a spreadsheet would take for a formula gets an
 * apostrophe in front, because titles come from models.
 */
void trajectory_csv_add(const struct trajectory *trajectory, struct strbuf *out);

#endif
