#ifndef CORE_JUDGE_TASK_SAME_NUMBERS_H
#define CORE_JUDGE_TASK_SAME_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* Compares numbers up to the rounding of long sums in double precision. */

/* True if both are the same up to that rounding; NaN is never the same. */
bool same_numbers(double a, double b);

/* True if `count` elements of both are the same in turn. */
bool same_numbers_equal(const double *a, const double *b, size_t count);

/* True if `count` elements are all the same as `number`. */
bool same_numbers_all(const double *elements, size_t count, double number);

#endif
