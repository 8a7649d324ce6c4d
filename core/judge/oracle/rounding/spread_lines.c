#include "core/judge/oracle/rounding/spread_lines.h"

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

static void gather(const struct walk_lines *lines, size_t start, const double *from, double *to)
{
    const ptrdiff_t *offsets = lines->offsets;

    if (!from)
        memset(to, 0, lines->n * sizeof(*to));
    else if (!offsets)
        memcpy(to, from + start, lines->n * sizeof(*to));
    else
        for (size_t i = 0; i < lines->n; i++)
            to[i] = from[(ptrdiff_t)start + offsets[i]];
}

struct spread_line spread_line_gather(const struct oracle_spread *spread,
                                      const struct walk_lines *lines, size_t start, double *room)
{
    const struct op_call *op = spread->call.op;
    double *x = room, *variance = room + lines->n, *names = room + 2 * lines->n;

    gather(lines, start, spread->call.in[0], x);
    gather(lines, start, spread->variance[0], variance);
    if (spread->names[0])
        gather(lines, start, spread->names[0], names);
    return (struct spread_line){
        .values = {.x = x,
                   .n = lines->n,
                   .weight = op->in_count > 1 ? spread->call.in[1] : NULL,
                   .bias = op->in_count > 2 ? spread->call.in[2] : NULL,
                   .attributes = op->attributes},
        .variance = variance,
        .weight = spread->variance[1],
        .bias = spread->variance[2],
        .is_integer = !dtype_is_float(op->out->dtype),
        .is_mixed = spread->is_mixed,
        .later = spread->later,
        .names = spread->names[0] ? names : NULL,
        .choices = spread->choices,
    };
}

static void scatter(const struct job *job, size_t start, const double *from)
{
    const ptrdiff_t *offsets = job->lines.offsets;

    for (size_t i = 0; i < job->lines.n; i++)
        job->spread->out[(ptrdiff_t)start + (offsets ? offsets[i] : (ptrdiff_t)i)] = from[i];
}

/* `room` is memory for five times the length of a line. */
static void spread_one(const struct job *job, size_t line, size_t start, double *room)
{
    const struct oracle_spread *spread = job->spread;
    struct spread_line one = spread_line_gather(spread, &job->lines, start, room);
    double *y = room + 3 * job->lines.n, *out = room + 4 * job->lines.n;

    one.y = job->reduces ? spread->call.out + line : y;
    if (!job->reduces)
        gather(&job->lines, start, spread->call.out, y);
    job->rule->spread_line(&one, job->reduces ? spread->out + line : out);
    if (!job->reduces)
        scatter(job, start, out);
}

static void spread_lines(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    struct walk starts = job->lines.starts;
    size_t n = job->lines.n;
    struct block_pool *blocks = job->spread->call.blocks;
    double *room = block_pool_take(blocks, 5 * n, sizeof(*room));

    walk_seek(&starts, first);
    for (size_t i = first; i < last; i++, walk_step(&starts))
        spread_one(job, i, (size_t)starts.offsets[0], room);
    block_pool_give(blocks, room);
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
