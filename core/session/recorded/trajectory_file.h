#ifndef CORE_SESSION_RECORDED_TRAJECTORY_FILE_H
#define CORE_SESSION_RECORDED_TRAJECTORY_FILE_H

#include "core/session/recorded/recording.h"
#include "core/session/state/trajectory_chart.h"

/*
 * Write the trajectory of a recording to a file.  The ending of its name chooses the format: .svg
 * is a picture (trajectory_svg.h), .csv a table (trajectory_csv.h), for which `by` is unused.
 */
enum status trajectory_file_write(const struct recording *recording, enum trajectory_by by,
                                  const char *path, struct error *err) MUST_CHECK;

#endif
