#ifndef CORE_JUDGE_STATS_BASELINE_H
#define CORE_JUDGE_STATS_BASELINE_H

#include "core/judge/stats/stats.h"

/*
 * Something that candidates are compared with.  It is timed again while
 * candidates are judged, so that its time follows the machine's, but in a
 * small share of the time that they take: what takes long is timed less often.
 * The last few times count.
 */

enum { BASELINE_SAMPLES = 15, BASELINE_FIRST = 5 };

struct baseline {
    const char *name;
    double samples[BASELINE_SAMPLES]; /* a ring */
    size_t count;                     /* ever taken */
    double cost_us;                   /* of taking one, on the wall clock */
    double credit_us;                 /* may be spent on taking more */
    bool is_broken;                   /* it does not run: it is not compared with */
};

/* Candidates have been judged for `elapsed_us` more. */
void baseline_allow(struct baseline *baseline, double elapsed_us);

/* Whether to take one now; several times in a row at the first time. */
bool baseline_is_due(const struct baseline *baseline);

/* A time was taken, and taking it cost `cost_us`. */
void baseline_add(struct baseline *baseline, double us, double cost_us);

/* The median of the times that count, in microseconds, with its interval. */
struct estimate baseline_estimate(const struct baseline *baseline);

/*
 * The candidate's speedup over the baseline: the ratio of the medians, with
 * the widest interval that both intervals allow.
 */
struct comparison baseline_compare(const struct baseline *baseline, const struct estimate *own);

#endif
