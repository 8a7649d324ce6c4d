#ifndef CORE_JUDGE_STATS_RELATIVE_TIMES_H
#define CORE_JUDGE_STATS_RELATIVE_TIMES_H

#include "core/base/digest.h"
#include "core/model/candidate.h"

/*
 * The times of the most recently judged candidates on one scale: each was timed in turn with a
 * candidate that was already on the scale. The unit is the time of the first candidate. Only ratios
 * enter a time on the scale, so it stays right when the machine becomes slower or faster.
 */

enum { RELATIVE_TIMES_MAX = 64 };

struct relative_times {
    struct relative_time {
        char candidate[DIGEST_HEX_SIZE];
        double time;
    } items[RELATIVE_TIMES_MAX]; /* ring buffer */
    size_t count;                /* ever added */
};

/* The time of a candidate; 0 if it is NULL or not on the scale. */
double relative_times_find(const struct relative_times *times, const struct candidate *candidate);

/* Add a candidate, or replace its time. */
void relative_times_add(struct relative_times *times, const struct candidate *candidate,
                        double time);

#endif
