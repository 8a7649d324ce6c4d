#ifndef CORE_JUDGE_ORACLE_PRODUCTS_SPREAD_VECTOR_H
#define CORE_JUDGE_ORACLE_PRODUCTS_SPREAD_VECTOR_H

#include "core/judge/oracle/oracle_family.h"

/*
 * Products with one row or one column. Their tolerance has no allowance for fast algorithms, which
 * would cover partial sums that are larger than those of a random walk. So the products of each
 * element are summed as the elements of a reduction are (spread_sum.h).
 */

/* True if the operation is a product with one row or one column. */
bool spread_vector_is(const struct op_call *call);

/* Add what the partial sums of each element err more than the variance of its products says. */
void spread_vector_add(const struct oracle_spread *spread);

#endif
