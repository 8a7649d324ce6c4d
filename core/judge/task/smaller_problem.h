#ifndef CORE_JUDGE_TASK_SMALLER_PROBLEM_H
#define CORE_JUDGE_TASK_SMALLER_PROBLEM_H

#include "core/model/problem.h"

/*
 * Makes a large problem smaller, for checks of the task such as the lint. These checks evaluate the
 * graph several times on the CPU, and their findings hardly depend on the sizes.
 */

/*
 * Make a smaller copy of a problem whose evaluation takes long: with smaller dimensions; if its
 * sizes are plain numbers, with fewer samples (the first axis of inputs, also in shapes that
 * operations name) and shorter axes of inputs from the third on, which windows move over. Outputs
 * get the shapes that the graph then has. False if the problem is not large, if its graph allows
 * none of this, or if data that a model made would not keep their lines. The smaller problem
 * borrows such data. The caller releases `smaller`.
 */
bool smaller_problem_make(const struct problem *problem, struct problem *smaller);

#endif
