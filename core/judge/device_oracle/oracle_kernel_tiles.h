#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_TILES_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_TILES_H

#include "core/judge/device_oracle/oracle_kernel.h"

/*
 * Kernels for products of matrices, in tiles: each element of an operand is read once for 64
 * elements of the result. Where the results are few and the sums long, several work-groups share
 * each sum.
 */
struct oracle_tiles {
    int64_t matrices, rows, columns, depth;
    int sums;               /* sums of each element: the value's, and those of its variance */
    bool a_along, b_along;  /* adjacent elements of the operand lie along the depth */
    const char *declare;    /* statements that know `matrix`, or "" */
    const char *a, *b;      /* statements that set x[0] and on, from `row` or `column`, and `k` */
    const char *skips_last; /* a condition under which the third sum is 0 */
    int64_t room;           /* doubles of the kernel's state that are in use; partial sums follow */
    bool may_divide;        /* the state has room for oracle_tiles_room() more */
};

/* Doubles that partial sums take. */
int64_t oracle_tiles_room(const struct oracle_tiles *tiles);

/*
 * Begin the statements for an element `i`, at `row` and `column` of `matrix`, whose sums are
 * sum_0, sum_1 and sum_2; and end them and the kernel. They are run once for each element.
 */
void oracle_tiles_begin(struct oracle_kernel *kernel, const struct oracle_tiles *tiles);
void oracle_tiles_end(struct oracle_kernel *kernel);

#endif
