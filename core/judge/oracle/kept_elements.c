#include "core/judge/oracle/kept_elements.h"

#include <math.h>

/* True if every type that a value may be stored in holds the number: bf16 has the fewest bits. */
static bool is_held(double number)
{
    double rounded = number;
    uint16_t bits;

    dtype_from_double(DTYPE_BF16, &number, &bits, 1);
    dtype_to_double(DTYPE_BF16, &bits, &rounded, 1);
    return rounded == number && (isinf(number) || fabs(number) < 0x1p15);
}

bool kept_elements_are(const struct op_call *op, const struct oracle_rule *rule)
{
    bool are_held = !rule->has_limits ||
                    (is_held(op->attributes[0].number) && is_held(op->attributes[1].number));

    for (size_t i = 0; i < op->in_count; i++)
        are_held &= op->in[i]->role != TENSOR_CONSTANT || is_held(op->in[i]->fill.a);
    return rule->keeps_elements || (rule->keeps_or_sets && are_held);
}
