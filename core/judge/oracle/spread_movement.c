#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/model/op/op_lookup.h"

/* Variances move with their elements, so the operation is applied to them. */

/* The variances of operand `i`, or zeros in `zeros`, which the caller gives back. */
static const double *moved_operand(const struct oracle_spread *spread, size_t i, double **zeros)
{
    if (!spread->variance[i])
        *zeros = block_pool_take_zeroed(spread->call.blocks,
                                        (size_t)shape_elements(&spread->call.op->in[i]->shape),
                                        sizeof(double));
    return spread->variance[i] ? spread->variance[i] : *zeros;
}

/* Move the variances. Bit i of `indices` is set if operand i is an index, which is exact. */
static void move(const struct oracle_spread *spread, const struct oracle_rule *rule,
                 unsigned indices)
{
    struct attribute attributes[ATTRIBUTES_MAX] = {0};
    struct op_call op = *spread->call.op;
    struct block_pool *blocks = spread->call.blocks;
    struct oracle_call call = {.op = &op, .out = spread->out, .blocks = blocks};
    double *zeros[OP_MAX_INPUTS] = {0};

    for (size_t i = 0; op.op->attributes[i].name; i++) {
        attributes[i] = op.attributes[i];
        attributes[i].number = 0; /* pad's value is exact */
    }
    op.attributes = attributes;
    for (size_t i = 0; i < op.in_count; i++)
        call.in[i] = indices >> i & 1 ? spread->call.in[i] : moved_operand(spread, i, &zeros[i]);
    rule->evaluate(&call, rule);
    for (size_t i = 0; i < op.in_count; i++)
        block_pool_give(blocks, zeros[i]);
}

static bool is_exact(const struct oracle_spread *spread)
{
    for (size_t i = 0; i < spread->call.op->in_count; i++)
        if (spread->variance[i])
            return false;
    return true;
}

void oracle_spread_moved(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    if (!is_exact(spread))
        move(spread, rule, 0);
}

void oracle_spread_lookup(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    if (!is_exact(spread))
        move(spread, rule, 1U << lookup_of(spread->call.op).index);
}
