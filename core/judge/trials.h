#ifndef CORE_JUDGE_TRIALS_H
#define CORE_JUDGE_TRIALS_H

#include "core/judge/evaluation.h"

/*
 * The trials of a candidate: untimed runs on the data of all expectations, in which every output
 * element is verified.
 */

/*
 * Announce to a compiler outside of the executor what the trials of a choice will build. False if
 * it takes no more.
 */
bool trials_foresee(const struct evaluation *evaluation, size_t choice);

/*
 * Load the case that is verified first. This needs no expected outputs, so on a GPU it is done
 * while they are computed.
 */
evaluation_step trials_begin;

/*
 * Build the candidate, unless trials_begin() did, and run it on every expectation. Of the brief
 * cases, which only try further sizes, only a few are run if they need another program. The main
 * case comes last and stays loaded.
 */
evaluation_step trials_verify;

#endif
