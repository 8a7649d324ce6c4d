#ifndef CORE_JUDGE_COMPARE_FINDINGS_H
#define CORE_JUDGE_COMPARE_FINDINGS_H

#include "core/model/tensor.h"
#include "core/model/verdict.h"

/*
 * The results of comparing some of the elements of an output, and their merging into those of all
 * elements. All zeros are the results for no elements.
 */
struct findings {
    struct trial trial;
    double off_squares;            /* sum of the squares of the errors */
    double worst[TRIAL_MAX_WORST]; /* errors of trial.worst, as multiples of the tolerance */
};

/* An element that is beyond its tolerance. */
struct wrong_element {
    size_t number; /* in row-major order */
    double got, want;
    double over; /* the error as a multiple of the tolerance; infinity if it is not finite */
};

/* True if an element with this error belongs to the worst ones. */
bool findings_take(const struct findings *findings, double over);

/* Add an element to the list of the worst, which drops its smallest error when full. */
void findings_add(struct findings *findings, const struct shape *shape,
                  const struct wrong_element *element);

/* Add the results for other elements. Names and data of the trial stay. */
void findings_merge(struct findings *into, const struct findings *from);

/* ||got - want|| / ||want||, from the sums of squares. */
double findings_relative_norm(double off_squares, double want_squares);

#endif
