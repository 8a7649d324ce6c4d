#ifndef CORE_SUITE_SUITE_PROGRESS_H
#define CORE_SUITE_SUITE_PROGRESS_H

#include "core/suite/suite_board.h"

/* How far the suite is. */
struct suite_progress {
    size_t tasks, in_state[BOARD_STATES];
    bool has_left; /* the time left is known */
    double
        left_s; /* without the tasks that wait for the engineer, which take no time of a device */
};

/*
 * The time left, from the tasks that have ended: each that waits takes the mean time of its arm,
 * each that runs what is left of it, and a device goes on with as many at once as now.  Unknown
 * while an arm with work left has no task that ended, and while nothing runs.  `now_us` is as
 * clock_read_stamp().
 */
struct suite_progress suite_progress_read(const struct suite_follow *follow, int64_t now_us);

#endif
