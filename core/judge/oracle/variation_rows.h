#ifndef CORE_JUDGE_ORACLE_VARIATION_ROWS_H
#define CORE_JUDGE_ORACLE_VARIATION_ROWS_H

#include "core/judge/oracle/variation.h"

/* What variations do to a row of a tensor. */

struct range {
    double low, high;
};

/* A row that is varied: `n` elements, and the range of the numbers that it was drawn from. */
struct row {
    double *elements;
    size_t n, index, count; /* `count`: number of rows in the tensor */
    size_t group;           /* number of rows that are negative together */
    bool is_alone;          /* no operation is likely to combine the row with the next one */
    uint64_t seed;
    uint32_t name; /* a number of the tensor's name */
    struct range range;
};

/* The fills of real numbers that a variation is for, by the range of their numbers. */
enum reach {
    ANY_RANGE,  /* no number leaves the range */
    FROM_ZERO,  /* numbers come closer to zero, so the range must reach it */
    BOTH_SIGNS, /* numbers leave the range, so it must not be a bound that has a meaning */
    ONE_SIGN,   /* the range is a bound that has a meaning, and numbers reach it */
};

typedef void vary_fn(const struct row *row);

/* How to change a row; NULL: it stays as drawn. */
struct variation_rule {
    const char *name;
    vary_fn *input, *param; /* of real numbers */
    vary_fn *index, *mask;  /* of inputs of whole numbers, and of masks */
    enum reach reach;
    enum variation milder;
};

/* By variation. */
extern const struct variation_rule variation_rules[VARIATION_COUNT];

#endif
