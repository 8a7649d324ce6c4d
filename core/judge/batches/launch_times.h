#ifndef CORE_JUDGE_BATCHES_LAUNCH_TIMES_H
#define CORE_JUDGE_BATCHES_LAUNCH_TIMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The times of a candidate's launches, by the rounds of its timing. A GPU times a launch by an
 * event after it, which takes one or two microseconds. So runs that count have no such events, as
 * PyTorch's baselines have none, and others time the launches.
 */
struct launch_times {
    size_t launches;
    bool are_aside;    /* runs that do not count time the launches */
    double *last_us;   /* the times of the last run; owned */
    double *rounds_us; /* mean times, row by round; the caller's */
    size_t runs;       /* of the round, that timed the launches */
};

/* `cores`: those of the host that the device uses; 0 for a GPU. */
void launch_times_begin(struct launch_times *times, size_t launches, size_t cores,
                        double *rounds_us);
void launch_times_release(struct launch_times *times);

/* Add the last run to the means of a round. */
void launch_times_note(struct launch_times *times, size_t round);

/*
 * Called when warm-up runs have timed the launches, or else no run has, because a program that is
 * so slow has none. True if one shall do so now, which is in the first round: the other rounds get
 * its times.
 */
bool launch_times_are_due(const struct launch_times *times, size_t round);

#endif
