#ifndef CORE_JUDGE_TASK_LINT_CACHE_H
#define CORE_JUDGE_TASK_LINT_CACHE_H

#include "core/judge/oracle/oracle.h"
#include "core/model/problem.h"
#include "core/model/verdict.h"

/*
 * Like lint_problem(), but takes findings from the user's cache (core/system/cache.h) if this build
 * of kforge has linted a problem with the same text. With a text of NULL the cache is not used.
 */
enum status lint_cache_recall(const struct problem *problem,
                              const struct oracle_evaluator *evaluator, const char *text,
                              struct hazard_list *findings, struct error *err) MUST_CHECK;

#endif
