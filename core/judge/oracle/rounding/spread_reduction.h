#ifndef CORE_JUDGE_ORACLE_ROUNDING_SPREAD_REDUCTION_H
#define CORE_JUDGE_ORACLE_ROUNDING_SPREAD_REDUCTION_H

#include "core/judge/oracle/oracle_family.h"

/*
 * The variances of reductions of a line (struct oracle_rule, spread_line).
 *
 * The error of a largest element is that of any element which may be the largest. An index is right
 * if its element may be the largest, so its variance is derived from the distance to the farthest
 * such element.
 */
void spread_reduction_sum(const struct spread_line *line, double *variance);
void spread_reduction_mean(const struct spread_line *line, double *variance);
void spread_reduction_max(const struct spread_line *line, double *variance);
void spread_reduction_min(const struct spread_line *line, double *variance);
void spread_reduction_argmax(const struct spread_line *line, double *variance);
void spread_reduction_argmin(const struct spread_line *line, double *variance);
void spread_reduction_prod(const struct spread_line *line, double *variance);
void spread_reduction_var(const struct spread_line *line, double *variance);
void spread_reduction_logsumexp(const struct spread_line *line, double *variance);

/*
 * The places whose elements times `sign` may be the largest of the line, in order; line->y is the
 * exact place. Returns their count, at least 1.
 */
size_t spread_reduction_places(const struct spread_line *line, double sign, double *places);

#endif
