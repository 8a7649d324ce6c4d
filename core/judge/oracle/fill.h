#ifndef CORE_JUDGE_ORACLE_FILL_H
#define CORE_JUDGE_ORACLE_FILL_H

#include <stdint.h>

#include "core/base/digest.h"
#include "core/model/tensor.h"

/*
 * Random tensors from a counter: Philox4x32-7 (Salmon, Moraes, Dror, Shaw: "Parallel Random
 * Numbers: As Easy as 1, 2, 3", SC'11: seven rounds are the fewest that pass BigCrush).  Element i
 * of a tensor depends only on seed, stream and i, so host and device make the same bits in any
 * order.
 *
 * Key {seed low, seed high}; counter {n low, n high, stream, 0}.  Element i takes word i % 4 of
 * block n = i / 4:
 *	uniform   fma(word >> 8, (b - a) * 2^-24, a), in float
 *	normal    fma(s, sd / sqrt(8 * 2^32 + (2^32 - 1) / 6), mean), in float
 *	integers  a + floor(word * (b - a + 1) / 2^32)
 *	mask      word < a * 2^32
 *	signs     1 if word < a * 2^32, else -1
 * and is then rounded to the tensor's element type.  Factors are computed in double and then
 * rounded to float.
 * A permutation sorts by the word, within each row (host only, then copied). The variation that the
 * seed names (variation.h) changes the elements at the end, also on the host only.
 *
 * A normal number is s = (ones(word) - 16) * 2^16 + low - high, where ones() counts the bits that
 * are set, and low and high are the halves of the neighbour, word i ^ 1: a binomial distribution
 * with 33 steps, smoothed by a triangular one.  All terms are integers, so every machine makes the
 * same bits.  Mean and variance are exact, the excess kurtosis is -0.06, no number is beyond 5.95
 * standard deviations, and the distribution function is off by at most 0.0015.  Neighbours are
 * not correlated: exchanging a word's halves changes the sign of low - high but not ones().
 */

/* One block of the generator: four words from a counter and a key. */
void fill_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

/*
 * The numbers in the formulas above, for the generators on devices. Each kind of fill uses some of
 * them.
 */
struct fill_factors {
    float step, base; /* arguments of fma() */
    uint64_t range;   /* integers: b - a + 1; mask, signs: a * 2^32, rounded up */
    int64_t lowest;   /* integers: a */
};

/* Computed once by the host for all elements, and passed to devices. */
struct fill_factors fill_factors(const struct fill *fill);

/*
 * Make the elements of `value`, which has a fill, in its own type. `stream` distinguishes the
 * tensors of a problem: it is the index of the value in its graph.
 */
void fill_make(const struct value *value, uint64_t seed, uint32_t stream, void *elements);

/* True if each element depends on its place and the seed alone, so that fill_make_part() may make
 * it.
 */
bool fill_has_parts(const struct value *value, uint64_t seed);

/*
 * Make a piece of a tensor that has parts: as many elements as `value` has, from element `first` of
 * the tensor on.
 */
void fill_make_part(const struct value *value, uint64_t seed, uint32_t stream, size_t first,
                    void *elements);

/*
 * The elements that fill_make() only copies, because the model made them (no variation changes
 * them); NULL if there are none. Borrowed from the value.
 */
const void *fill_given(const struct value *value, uint64_t seed);

/*
 * True if `elements` equal what fill_make() makes, bit for bit. Needs no memory for a second
 * tensor.
 */
bool fill_is_made(const struct value *value, uint64_t seed, uint32_t stream, const void *elements);

/*
 * A random seed that no candidate can know, for data without a variation (variation.h).  It is
 * below 2^43.
 */
uint64_t fill_secret_seed(void);

/*
 * A digest of the data that this program draws: small tensors of several fills with each variation,
 * and the version. The judge and its executor each draw the data from the same seed. Programs of
 * different builds might draw different data, and every candidate would then be wrong.
 */
void fill_digest(char hex[DIGEST_HEX_SIZE]);

#endif
