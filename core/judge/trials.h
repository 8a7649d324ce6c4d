#ifndef CORE_JUDGE_TRIALS_H
#define CORE_JUDGE_TRIALS_H

#include "core/judge/evaluation.h"

/*
 * The trials of a candidate: untimed runs on the data of all expectations, in which every output
 * element is verified.
 */

/*
 * Build the candidate and run it on every expectation. Of the brief cases, which only try further
 * sizes, only a few are run if they need another program. The main case comes last and stays
 * loaded.
 */
evaluation_step trials_verify;

#endif
