#ifndef CORE_JUDGE_ORACLE_CHOICE_CHOICE_SPREAD_H
#define CORE_JUDGE_ORACLE_CHOICE_CHOICE_SPREAD_H

#include "core/judge/oracle/choice/choice.h"

/* The variances of results whose operands have lists (choice.h). */

/*
 * A call for variances in which the ranges of lists are a part of the operands' variances: all
 * lists, if the operation does not know them, or, if it chooses extremes, those in which no number
 * stands for an element that is left out.
 */
struct choices_widened {
    struct oracle_spread spread;
    double *variances[OP_MAX_INPUTS], *names[OP_MAX_INPUTS]; /* those that differ; owned */
};

/* Widen a call; the caller releases what it gets. */
struct choices_widened choices_widen(const struct oracle_spread *spread);
void choices_widened_release(struct choices_widened *widened);

/* Compute the variances of a result. */
void choices_spread(const struct oracle_spread *spread, const struct oracle_rule *rule);

/* Add the ranges of the lists of `count` elements x of an output to their variances. */
void choices_settle(const struct choices *choices, size_t value, const double *x, size_t count,
                    double *variance);

#endif
