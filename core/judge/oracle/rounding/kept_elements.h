#ifndef CORE_JUDGE_ORACLE_ROUNDING_KEPT_ELEMENTS_H
#define CORE_JUDGE_ORACLE_ROUNDING_KEPT_ELEMENTS_H

#include "core/judge/oracle/oracle_family.h"

/*
 * True if an operation's result consists of elements of its operands and of constants that every
 * type holds in which a kernel may store them, so that storing it rounds nothing that the operands
 * do not round: a clamp to whole numbers is exact beyond its limits.
 */
bool kept_elements_are(const struct op_call *op, const struct oracle_rule *rule);

/*
 * True if elements of the result that are 0 are exactly 0 where the operands are exact: they are no
 * numbers too small for the type, as exponentials may be.
 */
bool kept_zeros_are(const struct op_call *op, const struct oracle_rule *rule);

/* The variance of the number that an operation pads a tensor with. */
double kept_padding_variance(const struct op_call *op, const struct rounding *rounding);

#endif
