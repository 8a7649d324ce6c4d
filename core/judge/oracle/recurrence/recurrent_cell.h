#ifndef CORE_JUDGE_ORACLE_RECURRENCE_RECURRENT_CELL_H
#define CORE_JUDGE_ORACLE_RECURRENCE_RECURRENT_CELL_H

#include "core/model/op/op_recurrence.h"

/*
 * One element of a step of a recurrent layer, by the formulas in op_recurrence.h: `x` and `z` have
 * a number for each gate, and `state` has the states before the step, which become those after it.
 */
void recurrent_cell_compute(enum recurrence_cell cell, const double *x, const double *z,
                            double *state);

/* A number with the variance of its error. */
struct inexact {
    double value, variance;
};

/* The same with the variances of the errors, those of float32 functions included. */
void recurrent_cell_spread(enum recurrence_cell cell, const struct inexact *x,
                           const struct inexact *z, struct inexact *state);

#endif
