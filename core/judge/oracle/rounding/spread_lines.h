#ifndef CORE_JUDGE_ORACLE_ROUNDING_SPREAD_LINES_H
#define CORE_JUDGE_ORACLE_ROUNDING_SPREAD_LINES_H

#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/walk.h"

/*
 * The line that begins at element `start` of the first operand, with its variances and the names of
 * its lists. `room` is memory for three times its length.
 */
struct spread_line spread_line_gather(const struct oracle_spread *spread,
                                      const struct walk_lines *lines, size_t start, double *room);

#endif
