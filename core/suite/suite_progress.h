#ifndef CORE_SUITE_SUITE_PROGRESS_H
#define CORE_SUITE_SUITE_PROGRESS_H

#include "core/suite/suite_board.h"

/* The progress of a suite. */
struct suite_progress {
    size_t tasks, in_state[BOARD_STATES];
    bool has_left; /* true if the time left is known */
    double left_s; /* does not count tasks that wait for the engineer, because they use no device */
};

/*
 * Estimate the time left from the tasks that have ended: a waiting task takes the mean time of its
 * arm, a running task the rest of that time, and each device runs as many tasks at once as it does
 * now.  An arm without an ended task has the mean time until its tasks failed or asked the
 * engineer. The time is unknown while nothing runs, and while an arm with tasks left has none of
 * these. `now_us` is from clock_read_stamp().
 */
struct suite_progress suite_progress_read(const struct suite_follow *follow, int64_t now_us);

#endif
