#ifndef CORE_JUDGE_TUNE_H
#define CORE_JUDGE_TUNE_H

#include "core/judge/evaluation.h"

/*
 * The search through a plan's tunables. Each choice is built, compared with the oracle in one trial
 * and timed briefly; the fastest correct one goes on to be judged. If there are more choices than
 * the limits allow, the tried ones lie evenly among all, and are the same every time.
 */

/* Set the evaluation's choice, and list in its verdict what was tried. */
evaluation_step tune_candidate;

/*
 * The choice, of `count`, that is tried as number `turn`. All choices occur once, the first one
 * first, and each beginning of the order is spread over all of them.
 */
size_t tune_choice(size_t count, size_t turn);

#endif
