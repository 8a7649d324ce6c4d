#ifndef CORE_JUDGE_ORACLE_VARIATION_VARIATION_WINNERS_H
#define CORE_JUDGE_ORACLE_VARIATION_VARIATION_WINNERS_H

#include "core/judge/oracle/variation/varied_row.h"

/* The places from both ends inward: 0, n - 1, 1, n - 2, ... */
size_t variation_place(size_t number, size_t n);

/* Set the elements of an index to places in rows: with one element for each row to the winner's. */
vary_fn variation_name_winners;

/*
 * Put the largest element, and in the next two rows the smallest, at the place that
 * variation_name_winners() gives to an index with one element for each row. In two of eight rows
 * the largest is 8 larger, if the range allows it, so that its softmax is nearly 1.
 */
vary_fn variation_place_winner;

/*
 * Put the largest element of each row at that place, and make it 8 larger: a classifier is sure and
 * right, so that its loss is near zero in all rows.
 */
vary_fn variation_place_sure_winner;

#endif
