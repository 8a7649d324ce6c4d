#ifndef CORE_JUDGE_TASK_SMALLER_PROBLEM_H
#define CORE_JUDGE_TASK_SMALLER_PROBLEM_H

#include "core/model/problem.h"

/*
 * A large problem at smaller sizes, for checks of the task itself, such as the lint: they evaluate
 * the graph several times on the CPU, and what they look for hardly depends on the sizes.
 */

/*
 * Make `smaller` of a problem whose evaluation takes long: with smaller dimensions, or where sizes
 * are numbers with fewer samples, which are the first axis of inputs and outputs. False if the
 * problem is not large, if its graph allows neither, or if its data come from a model. The caller
 * releases it.
 */
bool smaller_problem_make(const struct problem *problem, struct problem *smaller);

#endif
