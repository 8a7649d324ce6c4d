#ifndef CORE_JUDGE_ORACLE_VARIATION_VARIATION_KIND_H
#define CORE_JUDGE_ORACLE_VARIATION_VARIATION_KIND_H

/*
 * Variations of random data: properties that drawn numbers hardly ever have. A kernel may be right
 * for well-behaved numbers only, and wrong beyond six standard deviations, at ties, or for rows
 * without a positive element; a trial on a variation finds that. A variation changes inputs of
 * floating types with a uniform or normal fill, by rows of the last axis, and respects the meaning
 * of the fill: a uniform fill keeps its range unless the range has numbers of both signs, and
 * numbers that are never negative stay so. Some variations change params as well: sums over large
 * inputs have a large first and last result, sums over moved inputs are all negative or all
 * positive, and vectors, which are added to results or multiplied with them, are small or half
 * negative. Indices, masks and other whole numbers have variations of their own, also in params.
 * Constants and contents made by a model are not changed.
 */
enum variation {
    VARIATION_NONE,
    /*
     * one element of a row is 64 times as large: the first, the last, or any; one of four rows has
     * none
     */
    VARIATION_OUTLIERS,
    /*
     * few different numbers: multiples of a power of two. Every other row also differs in the last
     * bits; the other rows ascend or descend. One of every four rows, or of every four matrices if
     * there are several, is zero. Whole numbers are four consecutive ones.
     */
    VARIATION_TIES,   /* permutations are sorted */
    VARIATION_SORTED, /* like TIES without rows of zeros */
    /* all elements of every other row are equal, and others are 1/2^100 as large */
    VARIATION_CONSTANT,
    /*
     * alternate rows, or alternate matrices if there are several, have no positive element; neither
     * has the first half of each other row or matrix; permutations descend
     */
    VARIATION_NEGATIVE,
    /*
     * rows of inputs, or elements of vectors, are 16, 512 or 65536 times as large, in turn; the end
     * rows of params are 16 times as large
     */
    VARIATION_HUGE,
    VARIATION_LARGE, /* all are 16 times as large */
    VARIATION_WIDE,  /* like LARGE, but params stay: products of results then fit f16 for longer */
    VARIATION_TENS,  /* the largest element of each row is 10 or -10 */
    /*
     * elements are 1/4, 1/16, 1/64, 1/1024 or 1/2^20 as large, by rows; permutations leave the
     * first and the last place as they are
     */
    VARIATION_SMALL,
    VARIATION_TINY, /* elements are 1/2^20 as large, also of params that are vectors */
    /*
     * rows, or whole matrices if there are several, lie far below and above zero in turn, half of
     * them a hundred times as far; params far below
     */
    VARIATION_FAR,
    VARIATION_MOVED,         /* like FAR without the rows a hundred times as far */
    VARIATION_FAR_COLUMNS,   /* the first half of each row lies far below zero, the other above, and
                                its ends a hundred times as far; params far above */
    VARIATION_MOVED_COLUMNS, /* like FAR_COLUMNS without the ends; params stay */
    /*
     * one element of each row lies far above the others, in each row at another place; in two of
     * eight rows by 18 and 36, so that the others' exponentials are small beside its own
     */
    VARIATION_PEAKS,
    /*
     * all elements lie below -16384, except one of each row far above the others, beside whose
     * exponential theirs are negligible, however numbers are rounded
     */
    VARIATION_DEEP,
    VARIATION_DEEP_COLUMNS, /* like DEEP, with one such element in each column */
    /*
     * whole numbers are the ends of their range: in half of the rows all of them, and in a quarter
     * all but one are the same end; real numbers with a range that is kept come near its ends
     */
    VARIATION_ENDS,
    VARIATION_END_COLUMNS, /* like ENDS by columns, for integers only; vectors have the other end */
    VARIATION_WINNERS,     /* indices name the largest element of a row, or the smallest */
    /*
     * most elements are alike: rows that begin with zeros or are mostly zero, rows of one number
     * but for few elements, rows whose first half is sorted; permutations leave most places as they
     * are
     */
    VARIATION_ALIKE,
    VARIATION_ALIKE_AGAIN, /* other data of which most are the same as in ALIKE */
    /* like FAR, with rows a hundred thousand times as far, which f16 cannot represent */
    VARIATION_FARTHEST,
    VARIATION_VAST, /* like HUGE without 65536: f16 holds the numbers, but not their squares */
    /*
     * numbers at and very near zero, one half and small whole ones, so that comparisons with such a
     * constant, also of differences, are near their limit; every fourth row is nearly the same in
     * all inputs, and square matrices begin as symmetric ones do; scalars are near 1; rows of
     * integers hold the same number but for one element
     */
    VARIATION_ROUND,
    VARIATION_MINUTE, /* like SMALL, with rows 1/2^26 and 1/2^30 as large in place of 1/2^20 */
    /* like MOVED_COLUMNS, in half of the tensors the other way round: products of rows are negative
     */
    VARIATION_OPPOSITE_COLUMNS,
    VARIATION_NEAR, /* all rows are nearly the same in all inputs */
    VARIATION_SURE, /* like WINNERS, with the largest element 8 larger in all rows */
    /* one tensor alone, input or param, is 16, 512 or 2^17 times as large, by rows, half of them of
     * one sign; all others are as drawn */
    VARIATION_ALONE,
    VARIATION_ALONE_VAST, /* like ALONE, 16 and 512 times: f16 holds the numbers */
    VARIATION_ALONE_WIDE, /* like ALONE, 16 times */
    VARIATION_EVEN,       /* like TIES without near ties, which small squares may lose in f16 */
    VARIATION_LEAST,      /* whole numbers and masks are the low end of their range */
    VARIATION_MOST,       /* the same with the high end */
    VARIATION_COUNT
};

/* Verdicts, screens and prompts say these texts. All are static. */

/* "outliers", "negative rows", "ties and sorted rows", ...; empty for VARIATION_NONE. */
const char *variation_name(enum variation variation);

/*
 * A sentence about the data of a trial that is described as verdicts do it, "M=5 N=7, outliers":
 * how its variation changes drawn numbers. Empty if the text names no variation.
 */
const char *variation_meaning(const char *trial);

#endif
