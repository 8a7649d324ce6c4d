#ifndef CORE_JUDGE_JUDGE_PREPARATION_H
#define CORE_JUDGE_JUDGE_PREPARATION_H

#include "core/judge/task/expectations.h"

/* The judge's work between evaluations, which does not depend on a candidate. */
struct judge;

/*
 * Do the work that does not depend on the candidate: measure the roofs if they are due, compile the
 * plain kernels, and start computing expected values in the background. Does nothing without a
 * problem. judge_evaluate() calls it as well.
 */
enum status judge_prepare(struct judge *judge, struct error *err) MUST_CHECK;

/*
 * Begin to compile baselines of a PyTorch problem in the background.  Call it when nothing else is
 * to be done: the first verdict does not need them.  Does nothing before judge_prepare().
 */
enum status judge_compile(struct judge *judge, struct error *err) MUST_CHECK;

/* True while they are compiled.  `*fd` is readable when that is over. */
bool judge_is_compiling(const struct judge *judge, int *fd);

/*
 * Begin a turn in which baselines are compiled, at the same time as other judges work on the
 * device. First wait until no judge times anything there; compiling stops meanwhile.  When
 * judge_is_awaited(), call it again so that others get their turns, and judge_rest() at the end.
 */
enum status judge_share(struct judge *judge, struct error *err) MUST_CHECK;
bool judge_is_awaited(const struct judge *judge);
void judge_rest(struct judge *judge);

/*
 * How many expected values are computed. Returns false if no problem is loaded or the computation
 * has not started.
 */
bool judge_expects(const struct judge *judge, struct expectations_progress *progress);

#endif
