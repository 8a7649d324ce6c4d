#ifndef CORE_JUDGE_BASELINE_H
#define CORE_JUDGE_BASELINE_H

#include "core/judge/stats.h"

/*
 * Something that candidates are compared with, timed again at every
 * evaluation so that its time follows the machine's; the last few times
 * count.
 */

enum { BASELINE_SAMPLES = 15, BASELINE_FIRST = 5 };

struct baseline {
    const char *name;
    double samples[BASELINE_SAMPLES]; /* a ring */
    size_t count;                     /* ever taken */
};

void baseline_add(struct baseline *baseline, double us);

/* How many to take now: more at the first time than later. */
unsigned baseline_wanted(const struct baseline *baseline);

struct estimate baseline_estimate(const struct baseline *baseline);

/*
 * The candidate's speedup over the baseline: the ratio of the medians, with
 * the widest interval that both intervals allow.
 */
struct comparison baseline_compare(const struct baseline *baseline, const struct estimate *own);

#endif
