#ifndef CORE_JUDGE_TASK_LINT_CACHE_H
#define CORE_JUDGE_TASK_LINT_CACHE_H

#include "core/judge/oracle/oracle.h"
#include "core/model/problem.h"
#include "core/model/verdict.h"

/*
 * lint_problem() with findings kept in the user's cache (core/system/cache.h): those of this build
 * of kforge for a problem with the same text. Nothing is kept for a text of NULL.
 */
enum status lint_cache_recall(const struct problem *problem,
                              const struct oracle_evaluator *evaluator, const char *text,
                              struct hazard_list *findings, struct error *err) MUST_CHECK;

#endif
