#ifndef CORE_JUDGE_ORACLE_VARIATION_VARIATION_ROWS_H
#define CORE_JUDGE_ORACLE_VARIATION_VARIATION_ROWS_H

#include "core/judge/oracle/variation/variation_kind.h"
#include "core/judge/oracle/variation/varied_row.h"

/* The fills of real numbers to which a variation applies, by the range of their numbers. */
enum variation_reach {
    ANY_RANGE,  /* no number leaves the range */
    FROM_ZERO,  /* numbers come closer to zero, so the range must reach it */
    BOTH_SIGNS, /* numbers leave the range, so it must not be a bound that has a meaning */
    ONE_SIGN,   /* the range is a bound that has a meaning, and numbers reach it */
};

/* The functions that change a row; NULL if it stays as drawn. */
struct variation_rule {
    vary_fn *input, *param; /* for rows of real numbers */
    vary_fn *index, *mask;  /* for rows of integers, and of masks */
    vary_fn *order;         /* for permutations, which stay permutations */
    enum variation_reach reach;
    enum variation milder;
};

/* Indexed by the variation. */
extern const struct variation_rule variation_rules[VARIATION_COUNT];

#endif
