#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/walk.h"
#include "core/system/parallel.h"

struct job {
    const struct oracle_spread *spread;
    const struct oracle_rule *rule;
    struct walk_lines lines;
    bool reduces;
};

/* Room for a line: elements, their variances, the results and the results' variances. */
struct room {
    double *x, *variance, *y, *out;
};

static void gather(const struct job *job, size_t start, const double *from, double *to)
{
    const ptrdiff_t *offsets = job->lines.offsets;

    if (!from)
        memset(to, 0, job->lines.n * sizeof(*to));
    else if (!offsets)
        memcpy(to, from + start, job->lines.n * sizeof(*to));
    else
        for (size_t i = 0; i < job->lines.n; i++)
            to[i] = from[(ptrdiff_t)start + offsets[i]];
}

static void scatter(const struct job *job, size_t start, const double *from)
{
    const ptrdiff_t *offsets = job->lines.offsets;

    for (size_t i = 0; i < job->lines.n; i++)
        job->spread->out[(ptrdiff_t)start + (offsets ? offsets[i] : (ptrdiff_t)i)] = from[i];
}

static void spread_one(const struct job *job, size_t line, size_t start, const struct room *room)
{
    const struct oracle_spread *spread = job->spread;
    const struct op_call *op = spread->call.op;
    struct spread_line one = {
        .values = {.x = room->x,
                   .n = job->lines.n,
                   .weight = op->in_count > 1 ? spread->call.in[1] : NULL,
                   .bias = op->in_count > 2 ? spread->call.in[2] : NULL,
                   .attributes = op->attributes},
        .y = job->reduces ? spread->call.out + line : room->y,
        .variance = room->variance,
        .weight = spread->variance[1],
        .bias = spread->variance[2],
        .is_integer = !dtype_is_float(op->out->dtype),
        .is_mixed = spread->is_mixed,
    };

    gather(job, start, spread->call.in[0], room->x);
    gather(job, start, spread->variance[0], room->variance);
    if (!job->reduces)
        gather(job, start, spread->call.out, room->y);
    job->rule->spread_line(&one, job->reduces ? spread->out + line : room->out);
    if (!job->reduces)
        scatter(job, start, room->out);
}

static void spread_lines(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    struct walk starts = job->lines.starts;
    size_t n = job->lines.n;
    struct block_pool *blocks = job->spread->call.blocks;
    double *all = block_pool_take(blocks, 4 * n, sizeof(*all));
    const struct room room = {all, all + n, all + 2 * n, all + 3 * n};

    walk_seek(&starts, first);
    for (size_t i = first; i < last; i++, walk_step(&starts))
        spread_one(job, i, (size_t)starts.offsets[0], &room);
    block_pool_give(blocks, all);
}

void oracle_spread_lines(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    struct job job = {
        .spread = spread,
        .rule = rule,
        .lines = walk_lines_make(spread->call.op),
        .reduces = spread->call.op->op->kind == OP_REDUCTION,
    };

    parallel_for(job.lines.count, 1 + (1 << 12) / job.lines.n, spread_lines, &job);
    walk_lines_release(&job.lines);
}
