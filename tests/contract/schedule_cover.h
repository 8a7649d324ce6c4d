#ifndef TESTS_CONTRACT_SCHEDULE_COVER_H
#define TESTS_CONTRACT_SCHEDULE_COVER_H

#include "core/agent/builtin/plan/schedule.h"
#include "core/model/problem.h"

/*
 * The settings that a test has tried: a family of kernels, and the values of all knobs that affect
 * it. A compiler takes nearly all of such a test's time, so each setting is tried on one graph.
 */
struct schedule_cover {
    char **items;
    size_t count, capacity;
};

/*
 * Enter the settings of the problem's kernels under the schedule; return true if one was not tried
 * before. Fails the test if the problem has no kernels in the language.
 */
bool schedule_cover_add(struct schedule_cover *cover, const struct problem *problem,
                        const char *language, const struct schedule *schedule);

void schedule_cover_release(struct schedule_cover *cover);

#endif
