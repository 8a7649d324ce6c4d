#ifndef CORE_JUDGE_ORACLE_ROUNDING_SPREAD_CONTEST_H
#define CORE_JUDGE_ORACLE_ROUNDING_SPREAD_CONTEST_H

#include "core/judge/oracle/oracle_family.h"

/*
 * Comparisons with elements that were selected by their sizes, as the largest of a row.
 *
 * Elements of one value that are equal stay equal, however they are rounded (enum equality). But
 * another element may be selected if it is within reach: it has a contest. Then equal elements may
 * become unequal.
 */

/* The variance of a truth value that may be the other one. */
#define SPREAD_CONTEST_FLIP \
    (ROUNDING_STEP_MARGIN / (double)(ROUNDING_DEVIATIONS * ROUNDING_DEVIATIONS))

/*
 * Let equal elements change where another element that is compared with the same selected one may
 * change.
 */
void spread_contest(const struct oracle_spread *spread);

/*
 * The same for elements that are compared with the largest one of a window around them, which is
 * operand `k`, the result of `window`.
 */
void spread_contest_windows(const struct oracle_spread *spread, const struct op_call *window,
                            size_t k);

/* The same for a comparison with the largest elements so far, the results of `scan`. */
void spread_contest_scan(const struct oracle_spread *spread, const struct op_call *scan, size_t k);

#endif
