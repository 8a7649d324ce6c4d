#ifndef CORE_JUDGE_TASK_LINT_H
#define CORE_JUDGE_TASK_LINT_H

#include "core/judge/oracle/oracle.h"
#include "core/model/problem.h"
#include "core/model/verdict.h"

/*
 * Lint of a task, before any kernel is written: what would a kernel get away
 * with?  The oracle computes the outputs for a few draws of the inputs, the
 * same ones every time, and what is true of all of them is a finding:
 *
 *	zero_passes       an output of zeros is within tolerance
 *	constant_passes   so is a constant
 *	few_elements      a constant is right for nearly all elements, the others alone are a test
 *	ignored_input     an input or param drawn anew changes no output beyond tolerance
 *	idle_operation    an operation returns an operand as it is, or the same number always,
 *	                  or undoes what came before it: x + 5 - 5
 *
 * Everything is judged by the rule that candidates are judged by (verify.h),
 * at the problem's main dimensions.
 */

/* `findings` gets what there is to say, owned.  STATUS_INVALID where capacity.h says no.
 * `evaluator` computes the outputs of a problem without a graph; it may be NULL. */
enum status lint_problem(const struct problem *problem, const struct oracle_evaluator *evaluator,
                         struct hazard_list *findings, struct error *err) MUST_CHECK;

/* The same; what was found for the same text before is not looked for again (core/system/cache.h).
 */
enum status lint_recall(const struct problem *problem, const struct oracle_evaluator *evaluator,
                        const char *text, struct hazard_list *findings,
                        struct error *err) MUST_CHECK;

/* What is wrong with the task is a hazard of every candidate that was run on it: "task:NAME". */
void lint_repeat(const struct hazard_list *findings, struct verdict *verdict);

#endif
