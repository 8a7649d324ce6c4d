#ifndef CORE_JUDGE_ORACLE_ROUNDING_ROW_ORDER_H
#define CORE_JUDGE_ORACLE_ROUNDING_ROW_ORDER_H

#include "core/judge/oracle/oracle_family.h"

/*
 * The order of a row's elements, and the orders that rounding may make of it.
 *
 * Nearly equal elements may change places, and then those between them move by one. So an element
 * may be at any place from the number of elements that are surely before it to the number of those
 * that are not surely behind it.
 */

/* Find the places of the n elements of x in order; equal ones keep theirs, and NaN is the largest.
 */
void row_order_find(const double *x, size_t n, bool descending, double *order);

/*
 * Receives the elements that may be at a place: their places in the row, the one in the order among
 * them. It may keep nothing of them.
 */
typedef void order_choices_fn(void *data, size_t place, const double *elements, size_t count);

/* Call `take` for each place, unless no element may be at another one. */
void row_order_choices(const struct spread_line *line, const double *order, order_choices_fn *take,
                       void *data);

#endif
