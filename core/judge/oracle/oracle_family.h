#ifndef CORE_JUDGE_ORACLE_ORACLE_FAMILY_H
#define CORE_JUDGE_ORACLE_ORACLE_FAMILY_H

#include "core/model/op/op.h"

/*
 * Declarations shared by the families of operations, for the oracle*.c files only. Each family has
 * a table of rules, one for each operation, which ends with a row without a name.
 */

/* A call with the elements of its operands, and room for those of its result. */
struct oracle_call {
    const struct op_call *op;
    const double *in[OP_MAX_INPUTS];
    double *out;
};

/* One line of elements along the axes of a reduction or a row-wise operation. */
struct oracle_line {
    const double *x;
    size_t n;
    const double *weight, *bias; /* along the same line; NULL if the call has none */
    const struct attribute *attributes;
};

struct oracle_rule {
    const char *op;

    /* Computes the whole result. */
    void (*evaluate)(const struct oracle_call *call, const struct oracle_rule *rule);

    /*
     * One of these three is for oracle_elements(): it computes an element from the operands'
     * elements at the same place. `a` holds the attributes in the order of the operation's table.
     */
    double (*unary)(double x);
    double (*binary)(double a, double b);
    double (*element)(const double *x, const struct attribute *a);

    /*
     * For oracle_lines(): computes the n elements of y from a line, or one element if the operation
     * reduces.
     */
    void (*line)(const struct oracle_line *line, double *y);
};

extern const struct oracle_rule oracle_elementwise[];
extern const struct oracle_rule oracle_reduction[];
extern const struct oracle_rule oracle_rowwise[];
extern const struct oracle_rule oracle_channelwise[];
extern const struct oracle_rule oracle_product[];
extern const struct oracle_rule oracle_convolution[];
extern const struct oracle_rule oracle_pooling[];
extern const struct oracle_rule oracle_attention[];
extern const struct oracle_rule oracle_movement[];
extern const struct oracle_rule oracle_lookup[];

/* Evaluations that many operations share. */
void oracle_elements(const struct oracle_call *call, const struct oracle_rule *rule);
void oracle_lines(const struct oracle_call *call, const struct oracle_rule *rule);

#endif
