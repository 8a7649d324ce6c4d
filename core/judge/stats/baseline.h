#ifndef CORE_JUDGE_STATS_BASELINE_H
#define CORE_JUDGE_STATS_BASELINE_H

#include "core/base/status.h"
#include "core/judge/stats/stats.h"

/*
 * A baseline: a program that candidates are compared with. It is timed again while candidates are
 * judged, so that its time follows the state of the machine, but within a small share of the time
 * that candidates take: a slow baseline is timed less often. Only the last few times count.
 */

enum { BASELINE_SAMPLES = 15, BASELINE_FIRST = 5 };

struct baseline {
    const char *name;
    double samples[BASELINE_SAMPLES]; /* ring buffer */
    size_t count;                     /* number of samples ever taken */
    double cost_us;                   /* wall-clock time of taking one sample */
    double credit_us;                 /* time that may be spent on more samples */
    bool is_broken;                   /* it does not run and is left out */
};

/* Grant the baseline its share of `elapsed_us`, the time that a candidate took. */
void baseline_allow(struct baseline *baseline, double elapsed_us);

/* True if a sample should be taken now. The first time, several are taken in a row. */
bool baseline_is_due(const struct baseline *baseline);

/* Store a sample of `us`. Taking it cost `cost_us`. */
void baseline_add(struct baseline *baseline, double us, double cost_us);

/* The median of the samples that count, in microseconds, with its interval. */
struct estimate baseline_estimate(const struct baseline *baseline);

/*
 * A baseline is judged as a candidate is: STATUS_INVALID, with the reason, if a sample is not
 * finite or if the median is not above `least_us`, the shortest time that anything correct may
 * take, or 0 when that is unknown.
 */
enum status baseline_check(const struct baseline *baseline, double least_us,
                           struct error *why) MUST_CHECK;

/*
 * The candidate's speedup over the baseline: the ratio of the medians, with the widest interval
 * that both intervals allow.
 */
struct comparison baseline_compare(const struct baseline *baseline, const struct estimate *own);

#endif
