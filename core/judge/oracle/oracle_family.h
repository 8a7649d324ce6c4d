#ifndef CORE_JUDGE_ORACLE_ORACLE_FAMILY_H
#define CORE_JUDGE_ORACLE_ORACLE_FAMILY_H

#include "core/judge/oracle/rounding/rounding.h"
#include "core/model/op/op.h"
#include "core/system/memory/block_pool.h"

/*
 * Declarations shared by the families of operations, for the oracle*.c files and the oracle on the
 * device (core/judge/device_oracle). Each family has a table of rules, one for each operation,
 * which ends with a row without a name.
 */

/* A call with the elements of its operands, and room for those of its result. */
struct oracle_call {
    const struct op_call *op;
    const double *in[OP_MAX_INPUTS];
    double *out;               /* zeros at first, unless the rule is elementwise */
    struct block_pool *blocks; /* for memory that the evaluation needs meanwhile; may be NULL */
    bool moves; /* each line's statistics are off by a deviation (second_evaluation.h) */
    bool errs;  /* rules with errs_itself make an error of their own (second_evaluation.h) */
};

/* The reason why elements of two operands are equal. */
enum equality {
    EQUAL_BY_CHANCE, /* rounding may make them unequal */
    EQUAL_MOVED,     /* elements of one value, moved: they stay equal */
    EQUAL_SELECTED,  /* the same, but of some operand they were selected by their sizes or places */
    EQUAL_BUT_ZEROS  /* as EQUAL_MOVED, but zeros are exponentials that were too small */
};

/*
 * The same call for the variances of rounding errors. It reads the variances of the operands'
 * elements and computes those of the result's elements: what they inherit from the operands and
 * what the operation itself adds, but not the rounding on storing the result.
 */
struct oracle_spread {
    struct oracle_call call;               /* computed */
    const double *variance[OP_MAX_INPUTS]; /* NULL if the operand is exact */
    const double *names[OP_MAX_INPUTS];    /* of the elements' lists; NULL if there are none */
    const struct choices *choices;         /* the lists (choice.h); NULL: there are none */
    double *out;                           /* zeros at first */
    bool is_mixed, is_varied;              /* as in struct rounding */
    bool is_dependent;                     /* two operands share an error (dependence.h) */
    enum equality equality;                /* of the two operands' elements (dependence.h) */
    bool is_distributed;         /* factors may be multiplied into the sum (dependence.h) */
    double pairs;                /* of squares of differences of pairs (dependence.h), or 0 */
    bool has_edge;               /* operand 0 may be below 0, where nothing is (edge.h) */
    struct rounding_terms later; /* of a running sum (dependence.h) */
};

/* One line of elements along the axes of a reduction or a row-wise operation. */
struct oracle_line {
    const double *x;
    size_t n;
    const double *weight, *bias; /* along the same line; NULL if the call has none */
    const struct attribute *attributes;
    double moves; /* the line's statistics are off by this many deviations (second_evaluation.h) */
    /* the operation errs, and its statistics by this many deviations; 0: it is exact */
    double errs;
};

/* A line with the variances of its elements. */
struct spread_line {
    struct oracle_line values;
    const double *y;             /* the results: one, or n */
    const double *variance;      /* variances of x */
    const double *weight, *bias; /* variances of these; NULL if exact */
    bool is_integer;             /* sums are exact */
    bool is_mixed;               /* the class of the tolerance */
    struct rounding_terms later;
    const double *names; /* of the lists of x; NULL if there are none */
    const struct choices *choices;
};

/*
 * The largest error of a float32 function, in ROUNDING_UNIT: `relative` times the result, plus
 * `absolute`, plus `by_operand` times the operand. The latter two occur in formulas that subtract,
 * such as 1 + erf(x) for negative x. All zeros: one rounding at most.
 */
struct oracle_error {
    double relative, absolute, by_operand;
    bool has_edge; /* nothing below 0 (edge.h) */
    bool has_pole; /* infinite at 0, and nothing below it: errors move no operand below 0 */
};

struct oracle_rule {
    const char *op;

    /* Computes the whole result. */
    void (*evaluate)(const struct oracle_call *call, const struct oracle_rule *rule);

    /*
     * Computes the variances of the result (rounding.h). NULL: the result is as exact as integers
     * are.
     */
    void (*spread)(const struct oracle_spread *spread, const struct oracle_rule *rule);

    /*
     * For oracle_elements(): computes a strip of results (strip.h) from the operands' elements at
     * the same places. `a` holds the attributes in the order of the operation's table.
     */
    void (*strip)(const double *const *x, const struct attribute *a, double *y);

    /*
     * For oracle_spread_elements(): the largest error of a float32 function, and the variances of a
     * strip if they are a simple formula; NULL: by finite differences, as for operands that share
     * an error.
     */
    struct oracle_error error;
    void (*strip_variance)(const double *const *x, const double *const *variance,
                           const struct attribute *a, double *out);

    /*
     * For oracle_lines(): computes the n elements of y from a line, or one element if the operation
     * reduces.
     */
    void (*line)(const struct oracle_line *line, double *y);

    /* For oracle_spread_lines(): the variances of the same. */
    void (*spread_line)(const struct spread_line *line, double *variance);

    /* the result consists of unchanged elements of its operands, so it needs no rounding */
    bool keeps_elements;
    /* as keeps_elements, but some elements may be constants: operands, or limits */
    bool keeps_or_sets, has_limits;

    /* each element is a statistic of the elements up to its own */
    bool is_scan;

    /* a truth value that may change where the operands are within reach of each other */
    bool compares;

    /* two operands may change an element together by more than the sum of what each does */
    bool has_joint_change;

    /* the rule makes the error of the second evaluation that errs, because its parts depend on each
     * other */
    bool errs_itself;
};

extern const struct oracle_rule oracle_elementwise[];
extern const struct oracle_rule oracle_reduction[];
extern const struct oracle_rule oracle_rowwise[];
extern const struct oracle_rule oracle_channelwise[];
extern const struct oracle_rule oracle_product[];
extern const struct oracle_rule oracle_convolution[];
extern const struct oracle_rule oracle_pooling[];
extern const struct oracle_rule oracle_attention[];
extern const struct oracle_rule oracle_recurrence[];
extern const struct oracle_rule oracle_scatter[];
extern const struct oracle_rule oracle_movement[];

/* The rule of an operation; NULL if the oracle does not support it. */
const struct oracle_rule *oracle_rule_of(const char *op);

/*
 * How much wider the variances of an elementwise operation are: its results may change by whole
 * steps. Results that are whole numbers do, signs do, and real numbers that were whole ones.
 */
double oracle_step_margin(const struct op_call *call);

/* How much wider the change is that another truth value makes. */
double oracle_flip(const struct op_call *call);

/* Evaluations that many operations share. */
void oracle_elements(const struct oracle_call *call, const struct oracle_rule *rule);
void oracle_lines(const struct oracle_call *call, const struct oracle_rule *rule);

/* Variances that many operations share. */
void oracle_spread_elements(const struct oracle_spread *spread, const struct oracle_rule *rule);
void oracle_spread_lines(const struct oracle_spread *spread, const struct oracle_rule *rule);
void oracle_spread_moved(const struct oracle_spread *spread, const struct oracle_rule *rule);
void oracle_spread_padded(const struct oracle_spread *spread, const struct oracle_rule *rule);
void oracle_spread_lookup(const struct oracle_spread *spread, const struct oracle_rule *rule);

/*
 * For operations that are linear in each of their first two operands, with a bias that is added to
 * axis `bias_axis` of the result; each element is a sum of `terms` products. `growth` is a factor
 * of the variances: 1, or more for operations that fast algorithms compute less exactly.
 */
struct bilinear {
    double terms;
    size_t bias_axis;
    double growth;
};

/* Compute the variances of an operation that is linear in each of its first two operands. */
void oracle_spread_bilinear(const struct oracle_spread *spread, const struct oracle_rule *rule,
                            struct bilinear bilinear);

struct convolution;

/*
 * The growth (struct bilinear) of a product of an m x k and a k x n matrix. Each level of
 * Strassen's algorithm multiplies the variances by up to 3, and each level of Winograd's form by up
 * to 5. Two levels reach 2.3 times the tolerance of direct sums in order. On vectors these
 * algorithms save nothing, so the growth is 1.
 */
double oracle_product_growth(int64_t m, int64_t n, int64_t k);

/*
 * The growth of a convolution. Libraries compute windows without steps by Winograd's algorithm,
 * which adds neighbours with factors up to 8 and subtracts them again: Lavin and Gray, "Fast
 * Algorithms for Convolutional Neural Networks", CVPR 2016. With tiles of 4 x 4 results and windows
 * of 3 x 3, errors reach 90 standard deviations of direct sums. Others are products of matrices.
 */
double oracle_convolution_growth(const struct convolution *convolution);

/* The operations of a convolution by products of matrices, with the places that strides skip. */
double oracle_convolution_flops(const struct op_call *call);

#endif
