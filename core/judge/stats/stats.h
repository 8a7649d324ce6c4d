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
 * The factor, at least 1, by which other programs slowed a program down: the median of its usual
 * times over a low quantile of its quick times, which are those of the runs that were disturbed
 * least. Both arrays have `count` times and are sorted in place.
 */
double stats_slowdown(double *usual, double *quick, size_t count);

/*
 * What emptied caches add to times on a busy machine is known only as a bound, `refill_us`, and
 * more samples do not narrow it. It is about the same time for the programs of a problem, because
 * they fetch the same data. So a ratio is computed for none, half and all of it (REFILLS). The one
 * for half is the estimate, and the interval encloses those of all three (Manski, "Partial
 * Identification of Probability Distributions", 2003, chapter 1).
 */
enum { REFILLS = 3, REFILL_HALF = 1 };

/* A time less part `refill` of the bound, but at least a third of the time. */
double stats_refilled(double us, double refill_us, unsigned refill);

/* Enclose the intervals of all parts, around the median of REFILL_HALF. */
struct estimate stats_enclose(const struct estimate parts[REFILLS]);

/*
 * The speedup of `own` over `other`: the median of the ratios of samples that were taken in turn,
 * with its interval by stats_ratio(). Both arrays have `count` samples. Fills the speedup of
 * `comparison` only.
 */
void stats_speedup(const double *own, const double *other, size_t count, double refill_us,
                   struct comparison *comparison);

/* The speedup of ratios that are known for each part; sorts them. Fills the speedup only. */
void stats_speedup_of(double *const parts[REFILLS], size_t count, struct comparison *comparison);

/* Set the time of `comparison` to `own` times its speedup, with the speedup's interval. */
void stats_scale_time(const struct estimate *own, struct comparison *comparison);

#endif
