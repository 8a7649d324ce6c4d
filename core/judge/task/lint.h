#ifndef CORE_JUDGE_TASK_LINT_H
#define CORE_JUDGE_TASK_LINT_H

#include "core/judge/oracle/oracle.h"
#include "core/model/problem.h"
#include "core/model/verdict.h"

/*
 * Lint of a task, before any kernel is written: finds wrong kernels that would pass. The oracle
 * computes the outputs for a few draws of the inputs, with fixed seeds. A property that holds for
 * all of them is a finding:
 *
 *	not_linted        an evaluation takes too long even at fewer samples: nothing was looked for
 *	not_held          an output's type cannot store an expected element, so no kernel can pass
 *	zero_passes       an output of zeros is within the tolerance
 *	constant_passes   a constant is within the tolerance
 *	few_elements      a constant is right for nearly all elements, so few elements test a kernel
 *	copy_passes       an input or param, copied, is within the tolerance
 *	partial_match     the tolerance lets more than a thousandth of the elements be wrong
 *	ignored_input     an input or param drawn anew changes no output beyond the tolerance
 *	known_result      a reduction's mean, variance or largest element is nearly the same number
 *	                  in all places: the number in its place is within the tolerance
 *	idle_operation    an operation returns an operand unchanged, always returns the same number,
 *	                  or undoes an earlier operation: x + 5 - 5
 *
 * Outputs are compared by the rule for candidates (verify.h), at the problem's main dimensions, or
 * at smaller ones if these are large (smaller_problem.h).
 */

/*
 * Lint a problem. `findings` receives the findings, owned by the caller. STATUS_INVALID if
 * capacity_check() refuses the problem. `evaluator` computes the outputs of a problem without a
 * graph; it may be NULL.
 */
enum status lint_problem(const struct problem *problem, const struct oracle_evaluator *evaluator,
                         struct hazard_list *findings, struct error *err) MUST_CHECK;

/* Add each finding as a hazard "task:NAME" to the verdict on a candidate for the problem. */
void lint_repeat(const struct hazard_list *findings, struct verdict *verdict);

#endif
