#ifndef CORE_JUDGE_FILL_H
#define CORE_JUDGE_FILL_H

#include <stdint.h>

#include "core/model/tensor.h"

/*
 * Random tensors from a counter: Philox4x32-10 (Salmon, Moraes, Dror, Shaw:
 * "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11).  Element i of a
 * tensor depends on seed, stream and i alone, so host and device make the
 * same bits in any order, and no element of a tensor needs another.
 *
 * Key {seed low, seed high}; counter {n low, n high, stream, 0}.  Element i takes word i % 4 of
 * block n = i / 4, except for normals, where it takes all of block n = i:
 *	uniform   fma(word >> 8, (b - a) * 2^-24, a), in float
 *	normal    fma(s, sd / (2 * sqrt(8 * (2^32 - 1) / 12)), mean), in float, with s twice the
 *	          centred sum of the block's eight 16-bit halves: an Irwin-Hall sum, of integers so
 *	          that every machine makes the same bits; within 4.9 standard deviations
 *	integers  a + floor(word * (b - a + 1) / 2^32)
 *	mask      word < a * 2^32
 * and is then rounded to the tensor's element type.  Factors are computed in double and then
 * rounded to float.
 * A permutation sorts by the word, within each row (host only, then copied).
 */

/* One block of the generator: four words from a counter and a key. */
void fill_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

/*
 * Make the elements of `value`, which has a fill, in its own type.  `stream`
 * tells the tensors of a problem apart: the index of the value in its graph.
 */
void fill_make(const struct value *value, uint64_t seed, uint32_t stream, void *elements);

/* Whether `elements` are what fill_make() makes, bit for bit; without room for all of them. */
bool fill_is_made(const struct value *value, uint64_t seed, uint32_t stream, const void *elements);

#endif
