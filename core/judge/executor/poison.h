#ifndef CORE_JUDGE_EXECUTOR_POISON_H
#define CORE_JUDGE_EXECUTOR_POISON_H

#include <stdint.h>

/*
 * The 32-bit words that fill outputs and scratch before a run, so that an element that was not
 * written is wrong. One pattern is not enough, because NaN is right if NaN is expected. So the two
 * runs of a trial use NaN and large numbers. A kernel can tell both from data, and keep or add to
 * what it finds only if that looks like data. So some runs have usual numbers.
 *
 * All 16-bit halves of a word of any kind are the same kind of number in f16 and in bf16, and
 * whole words are in f32 and f64. The remaining bits are random, so that no integer is a likely
 * answer. Sign and kind reveal nothing about the purpose of a run.
 */
enum poison_kind {
    POISON_NAN,
    POISON_LARGE, /* at least 2^15 in f16, 2^113 in bf16 and f32, 2^897 in f64; finite in all */
    POISON_USUAL, /* 2^-10 to 1 in bf16 and f32, 0.8 to 2 in f16, below 1/128 in f64 */
    POISON_COUNT
};

/* A word of the kind. `random` supplies its other bits. */
uint32_t poison_word(enum poison_kind kind, uint64_t random);

/* One of the kinds, by a random number. */
enum poison_kind poison_draw(uint64_t random);

#endif
