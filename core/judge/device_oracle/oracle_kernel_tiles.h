#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_TILES_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_TILES_H

#include "core/judge/device_oracle/oracle_kernel.h"

/*
 * Writes kernels for products of matrices in tiles, in which one read of an operand's element
 * serves 64 elements of the result. If there are few results with long sums, several work-groups
 * share each sum.
 */
struct oracle_tiles {
    int64_t matrices, rows, columns, depth;
    /* number of sums for each element: one for the value, others for its variance */
    int sums;
    bool a_along, b_along; /* the operand's adjacent elements lie along the depth */
    const char *declare;   /* statements that may use `matrix`, or "" */
    /* statements that set x[0], x[1] and so on from `k` and `row` or `column` */
    const char *a, *b;
    const char *skips_last; /* a condition under which the third sum is 0 */
    /* number of doubles of the kernel's state in use, after which the partial sums follow */
    int64_t room;
    bool may_divide; /* the state has room for oracle_tiles_room() more doubles */
    /*
     * Expressions, or NULL, which only tiles that may not be divided have: for the depth of
     * `matrix`, at most `depth`, and for the index of the element at `row` and `column`, negative
     * for none.
     */
    const char *last, *element;
};

/* The number of doubles that the partial sums take. */
int64_t oracle_tiles_room(const struct oracle_tiles *tiles);

/*
 * Begin the statements that run once for each element `i`, at `row` and `column` of `matrix`, with
 * its sums sum_0, sum_1 and sum_2; and end them and the kernel.
 */
void oracle_tiles_begin(struct oracle_kernel *kernel, const struct oracle_tiles *tiles);
void oracle_tiles_end(struct oracle_kernel *kernel);

#endif
