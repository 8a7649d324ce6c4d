#ifndef CORE_JUDGE_JUDGE_PREPARATION_H
#define CORE_JUDGE_JUDGE_PREPARATION_H

#include "core/judge/task/expectations.h"

/* The judge's work between evaluations, which does not depend on a candidate. */
struct judge;
struct json;
struct model_source;

/*
 * Describe the model in a PyTorch file as a problem, and check the problem. `*problem` is the
 * caller's.
 */
enum status judge_describe(struct judge *judge, const struct model_source *source,
                           struct json **problem, struct error *err) MUST_CHECK;

/*
 * Do the work that does not depend on the candidate: measure the roofs if they are due, compile the
 * plain kernels, and start computing expected values in the background. Does nothing without a
 * problem. judge_evaluate() calls it as well.
 */
enum status judge_prepare(struct judge *judge, struct error *err) MUST_CHECK;

/*
 * Begin to compile baselines of a PyTorch problem in the background. Call it when there is nothing
 * else to do: the first verdict does not need them. Does nothing before judge_prepare().
 */
enum status judge_compile(struct judge *judge, struct error *err) MUST_CHECK;

/* True while baselines are compiled. `*fd` is readable when compiling has ended. */
bool judge_is_compiling(const struct judge *judge, int *fd);

/*
 * Begin a turn in which baselines are compiled while other judges work on the device. First wait,
 * with compiling stopped, until no judge times anything there. When judge_is_awaited(), call this
 * function again so that others get their turns; call judge_rest() at the end.
 */
enum status judge_share(struct judge *judge, struct error *err) MUST_CHECK;
bool judge_is_awaited(const struct judge *judge);
void judge_rest(struct judge *judge);

/*
 * Store the number of expected values computed so far. Returns false if no problem is loaded or the
 * computation has not started.
 */
bool judge_expects(const struct judge *judge, struct expectations_progress *progress);

#endif
