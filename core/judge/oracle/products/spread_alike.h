#ifndef CORE_JUDGE_ORACLE_PRODUCTS_SPREAD_ALIKE_H
#define CORE_JUDGE_ORACLE_PRODUCTS_SPREAD_ALIKE_H

#include "core/judge/oracle/oracle_family.h"

/* Add the variances of sums with many equal terms (alike.h) to those of a product of matrices. */
void spread_alike_product(const struct oracle_spread *spread);

/*
 * The same for a convolution: a window is taken for a sample of all channels of a group, and so
 * are the weights of a transposed convolution.
 */
void spread_alike_convolution(const struct oracle_spread *spread);

#endif
