#ifndef CORE_JUDGE_ORACLE_SPREAD_ROWWISE_H
#define CORE_JUDGE_ORACLE_SPREAD_ROWWISE_H

#include "core/judge/oracle/oracle_family.h"

/* The variances of row-wise operations on a line (struct oracle_rule, spread_line). */
void spread_rowwise_softmax(const struct spread_line *line, double *variance);
void spread_rowwise_log_softmax(const struct spread_line *line, double *variance);
void spread_rowwise_cumsum(const struct spread_line *line, double *variance);
void spread_rowwise_cumprod(const struct spread_line *line, double *variance);
void spread_rowwise_rms_norm(const struct spread_line *line, double *variance);
void spread_rowwise_layer_norm(const struct spread_line *line, double *variance);

/*
 * Like spread_rowwise_softmax(), for n results y of x, whose variances are given. `variance` may be
 * the memory of `given`.
 */
void spread_rowwise_weights(const double *x, const double *given, const double *y, size_t n,
                            double *variance);

#endif
