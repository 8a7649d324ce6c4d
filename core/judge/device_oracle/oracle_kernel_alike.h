#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_ALIKE_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_KERNEL_ALIKE_H

#include "core/judge/device_oracle/oracle_kernel.h"
#include "core/judge/oracle/rounding/alike.h"

/*
 * The rows of an operand whose most frequent numbers are sought (spread_alike.c), and the
 * expression for the number of an element's row.
 */
struct oracle_alike {
    struct alike_rows rows;
    int64_t matrices, size;
    char index[96];
};

/* The doubles of state that the rows of both operands take: none if sums of `terms` need none. */
int64_t oracle_alike_room(const struct oracle_kernel *kernel, const struct oracle_alike rows[2],
                          double terms);

/*
 * Write the kernels that find the numbers, from place `place` of the state on, and define ALIKE_SUM
 * for products.cl. oracle_alike_undefine() undefines it.
 */
void oracle_alike_write(struct oracle_kernel *kernel, const struct oracle_alike rows[2],
                        double terms, int64_t place);
void oracle_alike_undefine(struct oracle_kernel *kernel);

#endif
