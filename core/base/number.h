#ifndef CORE_BASE_NUMBER_H
#define CORE_BASE_NUMBER_H

#include <stdint.h>

/* The greatest common divisor of two numbers that are not negative; the other one if one is 0. */
int64_t number_gcd(int64_t a, int64_t b);

/* The least multiple of `step` > 0 that is at least `size` >= 0. */
int64_t number_round_up(int64_t size, int64_t step);

#endif
