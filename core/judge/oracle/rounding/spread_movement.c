#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/choice/choice.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/kept_elements.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_lookup.h"
#include "core/system/parallel.h"

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

/*
 * Move the variances, and set those of elements that are put around them to `padding`. Bit i of
 * `indices` is set if operand i is an index, which is exact.
 */
static void move(const struct oracle_spread *spread, const struct oracle_rule *rule,
                 unsigned indices, double padding)
{
    struct attribute attributes[ATTRIBUTES_MAX] = {0};
    struct op_call op = *spread->call.op;
    struct block_pool *blocks = spread->call.blocks;
    struct oracle_call call = {.op = &op, .out = spread->out, .blocks = blocks};
    double *zeros[OP_MAX_INPUTS] = {0};

    for (size_t i = 0; op.op->attributes[i].name; i++) {
        attributes[i] = op.attributes[i];
        attributes[i].number = padding;
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
        move(spread, rule, 0, 0);
}

void oracle_spread_padded(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    const struct rounding rounding = {spread->is_mixed, spread->is_varied};
    double padding = kept_padding_variance(spread->call.op, &rounding);

    if (!is_exact(spread) || padding > 0)
        move(spread, rule, 0, padding);
}

/* Look-ups whose index is uncertain: a walk over the places, their rows and the index. */
struct uncertain_job {
    const struct oracle_spread *spread;
    struct lookup lookup;
    struct walk walk;
};

/* Count row `row` as one that may be read at place `i`. */
static void count_row(const struct uncertain_job *job, size_t i, ptrdiff_t table, double row,
                      double *variance)
{
    const struct oracle_spread *spread = job->spread;
    size_t t = job->lookup.table;
    ptrdiff_t at = table + (ptrdiff_t)row * job->lookup.row_stride;
    double off, wide;

    if (!(row >= 0 && row < (double)job->lookup.rows))
        return;
    off = (spread->call.in[t][at] - spread->call.out[i]) * ROUNDING_FLIP / ROUNDING_DEVIATIONS;
    wide = (spread->variance[t] ? spread->variance[t][at] : 0) + off * off;
    *variance = fmax(*variance, wide);
}

/* Count the rows that an index without a list may name: all from the least to the largest. */
static void count_rows_near(const struct uncertain_job *job, size_t i, ptrdiff_t table,
                            ptrdiff_t at)
{
    const struct oracle_spread *spread = job->spread;
    double row = spread->call.in[job->lookup.index][at];
    double off = ROUNDING_DEVIATIONS * sqrt(spread->variance[job->lookup.index][at]) + 1e-6;
    int64_t first = (int64_t)fmax(ceil(row - off), 0);
    int64_t last = (int64_t)fmin(floor(row + off), (double)job->lookup.rows - 1);

    for (int64_t r = first; off >= 1 && r <= last; r++)
        count_row(job, i, table, (double)r, &spread->out[i]);
}

static void spread_uncertain(void *data, size_t first, size_t last)
{
    const struct uncertain_job *job = data;
    const struct oracle_spread *spread = job->spread;
    size_t index = job->lookup.index;
    struct walk walk = job->walk;

    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++, walk_step(&walk)) {
        ptrdiff_t at = walk.offsets[1];
        double name = spread->names[index] ? spread->names[index][at] : 0;
        struct choice_list list = choices_list(spread->choices, name);

        for (size_t k = 0; k < list.count; k++)
            count_row(job, i, walk.offsets[0], list.numbers[k], &spread->out[i]);
        if (list.count == 0 && spread->variance[index])
            count_rows_near(job, i, walk.offsets[0], at);
    }
}

/* Read variances at exact indices. Those that may be others count the range of what they may read.
 */
void oracle_spread_lookup(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    struct uncertain_job job = {spread, lookup_of(spread->call.op), {.arrays = 2}};

    if (is_exact(spread))
        return;
    move(spread, rule, 1U << job.lookup.index, 0);
    if (spread->call.op->in_count > 2 ||
        (!spread->names[job.lookup.index] && !spread->variance[job.lookup.index]))
        return;
    job.walk.shape = job.lookup.places;
    memcpy(job.walk.strides[0], job.lookup.table_strides, sizeof(job.lookup.table_strides));
    memcpy(job.walk.strides[1], job.lookup.index_strides, sizeof(job.lookup.index_strides));
    parallel_for((size_t)shape_elements(&job.lookup.places), 1 << 10, spread_uncertain, &job);
}
