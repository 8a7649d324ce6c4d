#ifndef CORE_JUDGE_TUNE_H
#define CORE_JUDGE_TUNE_H

#include "core/judge/evaluation.h"

/*
 * The search through a plan's tunables: each choice is built, held against
 * the oracle in one trial and timed briefly, and the fastest that is right
 * goes on to be judged.  Where there are more choices than the limits allow,
 * those that are tried lie evenly among all, and are the same every time.
 */

/* Set the evaluation's choice, and list in its verdict what was tried. */
evaluation_step tune_candidate;

/*
 * The choice, of `count`, that is tried as number `turn`: all come once, the first
 * one first, and each beginning of the order is spread over the whole.
 */
size_t tune_choice(size_t count, size_t turn);

#endif
