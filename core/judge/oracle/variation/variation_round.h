#ifndef CORE_JUDGE_ORACLE_VARIATION_VARIATION_ROUND_H
#define CORE_JUDGE_ORACLE_VARIATION_VARIATION_ROUND_H

#include "core/judge/oracle/variation/varied_row.h"

/*
 * Replace numbers by ones at and very near zero, one half and small whole numbers: the limits of
 * most comparisons in graphs, and numbers that kernels take for special ones. A range that does not
 * reach over zero is kept. Every fourth row is nearly the same in all tensors, except in square
 * matrices, which begin with rows and columns that are equal, as symmetric ones do. A scalar
 * is near 1.
 */
vary_fn variation_approach_round;

/*
 * Set all elements of a row of integers but one to the same number, and all of every fourth row: a
 * small one, or an end of their range, in each row another. So a count of elements that are or are
 * not such a number, as of padding, is 1 or 0.
 */
vary_fn variation_repeat_round;

/*
 * Make all rows nearly the same in all tensors, so that what measures their difference, as a loss
 * does, is near zero even over all rows.
 */
vary_fn variation_approach_others;

#endif
