#ifndef CORE_JUDGE_ORACLE_ELEMENTWISE_CHANGES_H
#define CORE_JUDGE_ORACLE_ELEMENTWISE_CHANGES_H

/* How far the results of a strip (strip.h) change when an operand moves. */

/* Changes outside of a function's domain are 0. */
void changes_find(const double *moved, const double *y, double *restrict off);

/*
 * A small step of a function makes about the same change in both directions. Widen the changes of
 * such steps; returns how many elements have other steps.
 */
double changes_widen_small(const double *x, const double *steps, double *restrict off);

/* Take the larger change of each element. */
void changes_take_larger(const double *other, double *restrict off);

#endif
