#ifndef CORE_JUDGE_COMPARE_TOLERANCE16_H
#define CORE_JUDGE_COMPARE_TOLERANCE16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Tolerances of elements in 16 bits, so that those of a large output take half the memory.
 *
 * A code is the upper 16 bits of a float: the sign, 8 bits of the exponent and 7 of the fraction.
 * Tolerances are rounded up. So a code never allows less than its tolerance, and no honest element
 * is refused because of it. It allows at most 1/128 more, beside numbers below FLT_MIN, for which
 * it allows at most FLT_MIN / 128 more. A tolerance of 0 stays 0, and one that is too large for a
 * code is infinite. The sign is negative where elements that are not finite are right too.
 */

/* The code of a tolerance, which is not NaN. */
static inline uint16_t tolerance16_code(float tolerance)
{
    uint32_t bits;

    memcpy(&bits, &tolerance, sizeof(bits));
    return (uint16_t)((bits + 0xffff) >> 16);
}

/* The tolerance that a code stands for. */
static inline float tolerance16_value(uint16_t code)
{
    uint32_t bits = (uint32_t)(code & 0x7fff) << 16;
    float tolerance;

    memcpy(&tolerance, &bits, sizeof(tolerance));
    return tolerance;
}

/* True if an element that is not finite is right too. */
static inline bool tolerance16_allows_nonfinite(uint16_t code)
{
    return code >> 15;
}

/* Make the codes of `count` tolerances, in memory of the caller. */
void tolerance16_encode(const float *tolerances, size_t count, uint16_t *codes);

/* Like tolerance16_encode(), in memory that the caller frees. Frees `tolerances`. */
uint16_t *tolerance16_take(float *tolerances, size_t count);

#endif
