#ifndef CORE_JUDGE_ORACLE_VARIATION_VARIED_ROW_H
#define CORE_JUDGE_ORACLE_VARIATION_VARIED_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct variation_range {
    double low, high;
};

/* A row that is varied: `n` elements, and the range of the numbers that it was drawn from. */
struct variation_row {
    double *elements;
    size_t n, index, count; /* `count`: number of rows in the tensor */
    size_t group;           /* number of rows that are negative together */
    bool is_alone;          /* no operation is likely to combine the row with the next one */
    uint64_t seed;
    uint32_t name; /* a number of the tensor's name */
    struct variation_range range;
};

/* A rule that changes the elements of a row. */
typedef void vary_fn(const struct variation_row *row);

#endif
