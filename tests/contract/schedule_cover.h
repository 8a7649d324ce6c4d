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

/* The problem's kernels in a language under a schedule; the test fails if there are none. */
struct schedule_use {
    const struct problem *problem;
    const char *language;
    const struct schedule *schedule;
};

/* The number of settings of these kernels that were not tried before. */
unsigned schedule_cover_new(const struct schedule_cover *cover, const struct schedule_use *use);

/* Enter the settings of these kernels; return true if one was not tried before. */
bool schedule_cover_add(struct schedule_cover *cover, const struct schedule_use *use);

void schedule_cover_release(struct schedule_cover *cover);

#endif
