#include "core/judge/oracle/rounding/kept_elements.h"

#include <stdint.h>

#include "core/judge/oracle/choice/choice.h"

static bool is_held_by(enum dtype dtype, double number)
{
    double rounded;
    uint16_t bits;

    dtype_from_double(dtype, &number, &bits, 1);
    dtype_to_double(dtype, &bits, &rounded, 1);
    return rounded == number;
}

/*
 * True if every type that a value may be stored in holds the number. One that stands for elements
 * that are left out is as good in each type.
 */
static bool is_held(double number)
{
    return choice_leaves_out(number) ||
           (is_held_by(DTYPE_BF16, number) && is_held_by(DTYPE_F16, number));
}

/* True for the largest elements at an index. */
static bool is_largest_at(const struct op_call *op)
{
    return op->op->kind == OP_SCATTER && op_attribute(op, "reduce")->integers[0] != 0;
}

bool kept_elements_are(const struct op_call *op, const struct oracle_rule *rule)
{
    bool are_held = !rule->has_limits ||
                    (is_held(op->attributes[0].number) && is_held(op->attributes[1].number));

    for (size_t i = 0; i < op->in_count; i++)
        are_held &= op->in[i]->role != TENSOR_CONSTANT || is_held(op->in[i]->fill.a);
    return rule->keeps_elements || is_largest_at(op) || (rule->keeps_or_sets && are_held);
}

bool kept_zeros_are(const struct op_call *op, const struct oracle_rule *rule)
{
    static const char *const sums[] = {"sum", "mean", NULL};
    static const char *const quotients[] = {"div", "sqrt", NULL};
    const struct oracle_error *e = &rule->error;

    if (op->op->kind == OP_ELEMENTWISE)
        return e->relative + e->absolute + e->by_operand == 0 ||
               op_begins_with_one_of(op->op, quotients);
    return op->op->kind == OP_PRODUCT || op->op->kind == OP_CONVOLUTION ||
           op_begins_with_one_of(op->op, sums);
}

double kept_padding_variance(const struct op_call *op, const struct rounding *rounding)
{
    double number = op_attribute(op, "value")->number, variance = 0;

    if (!is_held(number))
        rounding_add(rounding, op->out->dtype, &number, 1, &variance);
    return variance;
}
