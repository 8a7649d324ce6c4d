#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/second_evaluation.h"
#include "core/judge/oracle/walk.h"
#include "core/system/parallel.h"

struct job {
    const struct oracle_call *call;
    const struct oracle_rule *rule;
    struct walk_lines lines;
    bool reduces;
};

static struct oracle_line make_line(const struct job *job, size_t line, const double *x)
{
    const struct oracle_call *call = job->call;

    return (struct oracle_line){
        .x = x,
        .n = job->lines.n,
        .moves = call->moves ? shared_error_sign(line) : 0,
        .errs = call->errs ? shared_error_sign(line) : 0,
        .weight = call->op->in_count > 1 ? call->in[1] : NULL,
        .bias = call->op->in_count > 2 ? call->in[2] : NULL,
        .attributes = call->op->attributes,
    };
}

static void evaluate_line(const struct job *job, const struct oracle_line *line, double *y)
{
    job->rule->line(line, y);
    if (line->moves != 0 && (job->reduces || job->rule->is_scan))
        shared_error_add(line, job->rule, job->reduces ? 1 : line->n, y);
}

static void evaluate_adjacent(const struct job *job, size_t line, size_t start)
{
    struct oracle_line one = make_line(job, line, job->call->in[0] + start);

    evaluate_line(job, &one, job->call->out + (job->reduces ? line : start));
}

/* Evaluate a line whose elements are not adjacent. `x` and `y` have room for a line. */
static void evaluate_scattered(const struct job *job, size_t line, size_t start, double *x,
                               double *y)
{
    const double *in = job->call->in[0] + start;
    double *out = job->call->out + start;
    struct oracle_line one = make_line(job, line, x);

    for (size_t i = 0; i < job->lines.n; i++)
        x[i] = in[job->lines.offsets[i]];
    evaluate_line(job, &one, job->reduces ? job->call->out + line : y);
    for (size_t i = 0; !job->reduces && i < job->lines.n; i++)
        out[job->lines.offsets[i]] = y[i];
}

static void evaluate_lines(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    struct walk starts = job->lines.starts;
    struct block_pool *blocks = job->call->blocks;
    double *room =
        job->lines.offsets ? block_pool_take(blocks, 2 * job->lines.n, sizeof(*room)) : NULL;

    walk_seek(&starts, first);
    for (size_t i = first; i < last; i++, walk_step(&starts)) {
        size_t start = (size_t)starts.offsets[0];

        if (job->lines.offsets)
            evaluate_scattered(job, i, start, room, room + job->lines.n);
        else
            evaluate_adjacent(job, i, start);
    }
    block_pool_give(blocks, room);
}

void oracle_lines(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct job job = {
        .call = call,
        .rule = rule,
        .lines = walk_lines_make(call->op),
        .reduces = call->op->op->kind == OP_REDUCTION,
    };

    parallel_for(job.lines.count, 1 + (1 << 12) / job.lines.n, evaluate_lines, &job);
    walk_lines_release(&job.lines);
}
