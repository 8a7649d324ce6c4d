#ifndef CORE_JUDGE_STATS_STATS_H
#define CORE_JUDGE_STATS_STATS_H

#include "core/model/verdict.h"

/* Medians of samples with their intervals. No distribution is assumed. */

/* With fewer samples, no pair of ranks encloses the median with 95 %. */
enum { STATS_LEAST = 6 };

/*
 * The median with its 95 % interval by order statistics: the ranks between
 * which the median of any distribution lies with that probability (binomial;
 * David and Nagaraja, "Order Statistics", 3rd ed., section 7.1).  `samples`
 * is sorted in place; with fewer than STATS_LEAST the interval is the whole range.
 */
struct estimate stats_median(double *samples, size_t count);

/* Sort numbers, the smallest first; there is no NaN among them. */
void stats_sort(double *numbers, size_t count);

/*
 * The value below which `share` (0 to 1) of the sorted samples lie, interpolated; 0 without
 * samples.
 */
double stats_quantile(const double *sorted, size_t count, double share);

/*
 * Half of the interval's width divided by the median: 0.01 is "within 1 %". Infinity without
 * samples.
 */
double stats_relative_width(const struct estimate *estimate);

/*
 * The median of positive ratios with its interval. With two to five of them the interval is wider
 * than their range, as if their logarithms were normal: the median times or over exp(k * range), by
 * Lord, "The use of range in place of standard deviation in the t-test", Biometrika 34 (1947). A
 * single one has the interval from 0 to infinity.
 */
struct estimate stats_ratio(double *ratios, size_t count);

/*
 * The speedup of `own` over `other`: the median of the ratios of samples that were taken in turn,
 * with its interval by stats_ratio(). Both arrays have `count` samples.
 */
struct estimate stats_speedup(const double *own, const double *other, size_t count);

/* Set the speedup of `comparison`. */
void stats_set_speedup(const struct estimate *speedup, struct comparison *comparison);

/* Set the time of `comparison` to `own` times its speedup, with the speedup's interval. */
void stats_scale_time(const struct estimate *own, struct comparison *comparison);

#endif
