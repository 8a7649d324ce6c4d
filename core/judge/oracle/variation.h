#ifndef CORE_JUDGE_ORACLE_VARIATION_H
#define CORE_JUDGE_ORACLE_VARIATION_H

#include "core/model/tensor.h"

/*
 * Variations of random data: what drawn numbers hardly ever are. A kernel can be right for
 * well-behaved numbers only: wrong beyond six standard deviations, at ties, or for rows without a
 * positive element. A trial on a variation finds that. A variation changes inputs of floating types
 * with a uniform or normal fill, by rows of the last axis, and respects what the fill means:
 * a uniform fill keeps its range unless the range has numbers of both signs, and numbers that are
 * never negative stay so. Some variations change params as well: sums over large inputs have a
 * large first and last result, sums over moved inputs are all negative or all positive, and
 * vectors, which are added to results or multiplied with them, are small or half negative. Indices,
 * masks and other whole numbers have one variation of their own. Constants and what a model makes
 * stay.
 *
 * The variation is part of the seed, in the bits above those of fill_secret_seed(), so a seed says
 * all about the data made from it.
 */
enum variation {
    VARIATION_NONE,
    VARIATION_OUTLIERS, /* one element of a row is 64 times as large: the first, the last, or any */
    VARIATION_TIES, /* few different numbers: multiples of a power of two, in every fourth row but
                       for the last bits; every other row ascends or descends.
 Whole numbers are four that follow each other */
    VARIATION_CONSTANT, /* every other row has one number everywhere */
    VARIATION_NEGATIVE, /* every other row, or matrix of several, has no positive element, and so
                           has the first half of each other one */
    VARIATION_HUGE,  /* inputs, and the end rows of params, are 16 or 65536 times as large, in turn
                      */
    VARIATION_LARGE, /* all are 16 times as large */
    VARIATION_TENS,  /* the largest element of each row is 10 or -10 */
    VARIATION_SMALL, /* elements are 1/64 or, in other rows, 1/1024 and 1/2^20 as large */
    VARIATION_TINY,  /* elements are 1/2^20 as large */
    VARIATION_FAR,   /* rows lie far below and above zero in turn, half of them a hundred times as
                        far; params far below */
    VARIATION_MOVED, /* the same without those a hundred times as far */
    VARIATION_FAR_COLUMNS,   /* the first half of each row lies far below zero, the other above, and
                                its ends a hundred times as far */
    VARIATION_MOVED_COLUMNS, /* the same without the ends */
    VARIATION_PEAKS,       /* one element of a row lies far above the others, in each row another */
    VARIATION_ENDS,        /* whole numbers are the ends of their range, in half of the rows all;
                              real ones of a range that is kept come near them */
    VARIATION_END_COLUMNS, /* the same in half of the columns, of whole numbers only */
    VARIATION_WINNERS,     /* indices name the largest element of a row, or the least */
    VARIATION_COUNT
};

/* "outliers", "ties", "constant rows", ...; empty for VARIATION_NONE.  Static. */
const char *variation_name(enum variation variation);

/* A seed from which the variation of data can be read again (variation_of()). */
uint64_t variation_seed(enum variation variation, uint64_t seed);
enum variation variation_of(uint64_t seed);

/*
 * The variation to try where data of this one would be unfair, because they exceed a type's range;
 * VARIATION_NONE if there is none.
 */
enum variation variation_milder(enum variation variation);

/* True if the variation changes tensors with this value's role, type and fill. */
bool variation_applies(enum variation variation, const struct value *value);

/* Change the elements that were drawn from `seed`, by the seed's variation if it applies. */
void variation_apply(const struct value *value, uint64_t seed, void *elements);

#endif
