#include "core/judge/executor/poison.h"

enum { USUAL = 0x3f80 - 0x3a82 }; /* the number of usual halves: below 1 in bf16 */

/*
 * A 16-bit half: the sign, eleven bits for the kind, and four random ones. f16 has five bits of
 * exponent, bf16 and f32 have eight, f64 has eleven; NaN has all of them set, and another bit.
 */
static uint32_t half_of(enum poison_kind kind, uint64_t random)
{
    uint32_t sign = (uint32_t)(random & 0x10) << 11, low = (uint32_t)(random & 0xf);

    if (kind == POISON_NAN)
        return sign | 0x7ff0 | (low ? low : 1);
    if (kind == POISON_USUAL)
        return sign | (0x3a82 + (uint32_t)(random >> 5 & 0xffff) % USUAL) | 2;
    return sign | 0x7800 | (uint32_t)(random >> 5 & 0x3) << 8 | 0x20 | low;
}

uint32_t poison_word(enum poison_kind kind, uint64_t random)
{
    return half_of(kind, random) << 16 | half_of(kind, random >> 16);
}

enum poison_kind poison_draw(uint64_t random)
{
    return (enum poison_kind)(random % POISON_COUNT);
}
