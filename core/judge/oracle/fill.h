#ifndef CORE_JUDGE_ORACLE_FILL_H
#define CORE_JUDGE_ORACLE_FILL_H

#include <stdint.h>

#include "core/model/tensor.h"

/*
 * Random tensors from a counter: Philox4x32-7 (Salmon, Moraes, Dror, Shaw: "Parallel Random
 * Numbers: As Easy as 1, 2, 3", SC'11: seven rounds are the fewest that pass BigCrush).  Element i
 * of a tensor depends on seed, stream and i alone, so host and device make the same bits in any
 * order, and no element of a tensor needs another.
 *
 * Key {seed low, seed high}; counter {n low, n high, stream, 0}.  Element i takes word i % 4 of
 * block n = i / 4:
 *	uniform   fma(word >> 8, (b - a) * 2^-24, a), in float
 *	normal    fma(s, sd / sqrt(8 * 2^32 + (2^32 - 1) / 6), mean), in float
 *	integers  a + floor(word * (b - a + 1) / 2^32)
 *	mask      word < a * 2^32
 * and is then rounded to the tensor's element type.  Factors are computed in double and then
 * rounded to float.
 * A permutation sorts by the word, within each row (host only, then copied).
 *
 * A normal number is s = (ones(word) - 16) * 2^16 + low - high, where ones() counts the bits that
 * are set, and low and high are the halves of the neighbour, word i ^ 1: a binomial distribution
 * whose 33 steps a triangle smooths.  All of it are integers, so that every machine makes the same
 * bits.  Mean and variance are exact, the excess of the kurtosis is -0.06, nothing is beyond 5.95
 * standard deviations, and the distribution function is off by at most 0.0015.  Neighbours are
 * not correlated: exchanging a word's halves turns the sign of low - high and leaves ones() alone.
 */

/* One block of the generator: four words from a counter and a key. */
void fill_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

/* The numbers in the formulas above, for generators on devices; a fill uses some of them. */
struct fill_factors {
    float step, base; /* of the fma() */
    uint64_t range;   /* integers: b - a + 1; mask: a * 2^32, rounded up */
    int64_t lowest;   /* integers: a */
};

/* What the host has computed once for all elements, and devices are told. */
struct fill_factors fill_factors(const struct fill *fill);

/*
 * Make the elements of `value`, which has a fill, in its own type.  `stream`
 * tells the tensors of a problem apart: the index of the value in its graph.
 */
void fill_make(const struct value *value, uint64_t seed, uint32_t stream, void *elements);

/* Whether `elements` are what fill_make() makes, bit for bit; without room for all of them. */
bool fill_is_made(const struct value *value, uint64_t seed, uint32_t stream, const void *elements);

/* A random seed that no candidate can know.  It is below 2^49, so that it is exact in JSON, which
 * cJSON prints with 15 digits. */
uint64_t fill_secret_seed(void);

#endif
