#ifndef CORE_JUDGE_ORACLE_ROUNDING_SPREAD_ROWWISE_H
#define CORE_JUDGE_ORACLE_ROUNDING_SPREAD_ROWWISE_H

#include "core/judge/oracle/oracle_family.h"

/* The variances of row-wise operations on a line (struct oracle_rule, spread_line). */
void spread_rowwise_softmax(const struct spread_line *line, double *variance);
void spread_rowwise_log_softmax(const struct spread_line *line, double *variance);
void spread_rowwise_cumsum(const struct spread_line *line, double *variance);
void spread_rowwise_cumprod(const struct spread_line *line, double *variance);
void spread_rowwise_cummax(const struct spread_line *line, double *variance);
void spread_rowwise_logcumsumexp(const struct spread_line *line, double *variance);
void spread_rowwise_argsort(const struct spread_line *line, double *variance);
void spread_rowwise_rms_norm(const struct spread_line *line, double *variance);
void spread_rowwise_layer_norm(const struct spread_line *line, double *variance);

/*
 * Like spread_rowwise_softmax(), for n results y of x, whose variances are given. `variance` may be
 * the memory of `given`.
 */
void spread_rowwise_weights(const double *x, const double *given, const double *y, size_t n,
                            double *variance);

/*
 * The same where errors may exceed the range of an exponential, so that another element is the
 * largest one. This counts each of many such elements by itself, which is too much in 16 bits.
 */
void spread_rowwise_far_weights(const double *x, const double *given, const double *y, size_t n,
                                double *variance);

/*
 * The standard deviation of the error of the sum of exponentials of x, relative to it, where x is
 * exact: `y` are the n results of a softmax, or of a log_softmax, which subtracts the sum's
 * logarithm.
 */
double spread_rowwise_denominator(const double *x, const double *y, size_t n);
double spread_rowwise_log_denominator(const double *x, const double *y, size_t n);

/* The standard deviation of the error of the sum of n shares y, relative to it. */
double spread_rowwise_sum(const double *y, size_t n);

/* The standard deviation of the error of x - shift, where x is exact, and of the exponential. */
double spread_rowwise_argument(double x, double shift);

#endif
