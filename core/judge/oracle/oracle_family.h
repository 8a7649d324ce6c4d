#ifndef CORE_JUDGE_ORACLE_ORACLE_FAMILY_H
#define CORE_JUDGE_ORACLE_ORACLE_FAMILY_H

#include "core/model/op/op.h"

/*
 * What the families of operations share, for the oracle*.c files only.  Each
 * family has a table of rules, one for each operation, ended by a row without
 * a name.
 */

/* A call with the operands' elements, and room for the result's. */
struct oracle_call {
    const struct op_call *op;
    const double *in[OP_MAX_INPUTS];
    double *out;
};

/* One line of elements along the axes of a reduction or a row-wise operation. */
struct oracle_line {
    const double *x;
    size_t n;
    const double *weight, *bias; /* along the line as well; NULL without */
    const struct attribute *attributes;
};

struct oracle_rule {
    const char *op;

    /* The result, all of it. */
    void (*evaluate)(const struct oracle_call *call, const struct oracle_rule *rule);

    /*
     * For oracle_elements(), one of the three: an element from the operands'
     * elements at its place.  `a` are the attributes in the order of the
     * operation's table.
     */
    double (*unary)(double x);
    double (*binary)(double a, double b);
    double (*element)(const double *x, const struct attribute *a);

    /* For oracle_lines(): n elements of y from a line, or one where the operation reduces. */
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
