#ifndef CORE_JUDGE_ORACLE_VARIATION_VARIATION_ORDER_H
#define CORE_JUDGE_ORACLE_VARIATION_VARIATION_ORDER_H

#include "core/judge/oracle/variation/varied_row.h"

/* Rules about the order of a row's elements, and about elements that are alike (variation_rows.h).
 */

/*
 * Replace numbers by multiples of a power of two, so sums and products of the numbers are exact for
 * longer. Every other row is sorted; the others also have near ties.
 */
vary_fn variation_tie;
/* The same, and one of every four rows or matrices is zero, as padding is. */
vary_fn variation_tie_or_pad;
/* The same without near ties. */
vary_fn variation_tie_evenly;
/* Replace whole numbers by four consecutive ones that have the upper bits in common. */
vary_fn variation_tie_whole;
/* All elements of every other row are equal, and others are 2^-100 times as large. */
vary_fn variation_make_constant;
/* Sort a permutation, ascending and descending. */
vary_fn variation_sort_places, variation_sort_places_down;
/*
 * Make most elements alike, also in neighbouring rows and in other data: rows that are zero up to
 * the middle and mostly zero behind it, rows of one number but for few elements, and rows whose
 * first half is sorted. So a few elements of a row do not tell what the others are. A scalar is 0;
 * in variation_make_alike_again() it is 1. Whole numbers and masks are changed likewise; a
 * permutation leaves most places as they are.
 */
vary_fn variation_make_alike, variation_make_alike_again, variation_make_alike_whole,
    variation_leave_most;
/* Let the first and the last place of a permutation stay as they are. */
vary_fn variation_keep_ends;

#endif
