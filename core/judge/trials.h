#ifndef CORE_JUDGE_TRIALS_H
#define CORE_JUDGE_TRIALS_H

#include "core/judge/evaluation.h"

/*
 * The trials of a candidate: untimed runs, of which every output element is verified, on all data
 * that the expectations have.
 */

/*
 * Build the candidate and run it on every expectation, but at most a few whose sizes alone are of
 * interest and need another program. The main case comes last and stays loaded.
 */
evaluation_step trials_verify;

#endif
