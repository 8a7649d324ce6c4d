#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle_family.h"
#include "core/judge/parallel.h"
#include "core/judge/walk.h"

/*
 * The axes of the first operand fall in two: those that the lines run along,
 * and those that the walk over the lines runs along.
 */
struct job {
    const struct oracle_call *call;
    const struct oracle_rule *rule;
    struct walk lines;  /* to the first element of each line */
    size_t n;           /* elements of a line */
    ptrdiff_t *offsets; /* of the elements of a line from its first; NULL where they are adjacent */
    bool reduces;
};

static void add_axis(struct walk *walk, int64_t dim, ptrdiff_t stride)
{
    walk->strides[0][walk->shape.rank] = stride;
    walk->shape.dims[walk->shape.rank++] = dim;
    walk->arrays = 1;
}

static ptrdiff_t *list_offsets(struct walk *line, size_t n)
{
    ptrdiff_t *offsets = mem_alloc_zeroed(n, sizeof(*offsets));

    for (size_t i = 0; i < n; i++, walk_step(line))
        offsets[i] = line->offsets[0];
    return offsets;
}

static struct job split_axes(const struct oracle_call *call, const struct oracle_rule *rule)
{
    const struct shape *shape = &call->op->in[0]->shape;
    unsigned axes = call->op->op->axes(call->op);
    ptrdiff_t strides[SHAPE_MAX_RANK];
    struct walk line = {0};
    struct job job = {.call = call, .rule = rule, .reduces = call->op->op->kind == OP_REDUCTION};

    walk_dense_strides(shape, strides);
    for (size_t i = 0; i < shape->rank; i++)
        add_axis(axes >> i & 1 ? &line : &job.lines, shape->dims[i], strides[i]);
    job.n = (size_t)shape_elements(&line.shape);
    if (axes >> job.lines.shape.rank != (1U << line.shape.rank) - 1)
        job.offsets = list_offsets(&line, job.n);
    return job;
}

static struct oracle_line make_line(const struct oracle_call *call, const double *x, size_t n)
{
    return (struct oracle_line){
        .x = x,
        .n = n,
        .weight = call->op->in_count > 1 ? call->in[1] : NULL,
        .bias = call->op->in_count > 2 ? call->in[2] : NULL,
        .attributes = call->op->attributes,
    };
}

static void evaluate_adjacent(const struct job *job, size_t line, size_t start)
{
    struct oracle_line one = make_line(job->call, job->call->in[0] + start, job->n);

    job->rule->line(&one, job->call->out + (job->reduces ? line : start));
}

/* `x` and `y` have room for a line. */
static void evaluate_scattered(const struct job *job, size_t line, size_t start, double *x,
                               double *y)
{
    const double *in = job->call->in[0] + start;
    double *out = job->call->out + start;
    struct oracle_line one = make_line(job->call, x, job->n);

    for (size_t i = 0; i < job->n; i++)
        x[i] = in[job->offsets[i]];
    job->rule->line(&one, job->reduces ? job->call->out + line : y);
    for (size_t i = 0; !job->reduces && i < job->n; i++)
        out[job->offsets[i]] = y[i];
}

static void evaluate_lines(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    struct walk lines = job->lines;
    double *room = job->offsets ? mem_alloc_zeroed(2 * job->n, sizeof(*room)) : NULL;

    walk_seek(&lines, first);
    for (size_t i = first; i < last; i++, walk_step(&lines)) {
        size_t start = (size_t)lines.offsets[0];

        if (job->offsets)
            evaluate_scattered(job, i, start, room, room + job->n);
        else
            evaluate_adjacent(job, i, start);
    }
    free(room);
}

void oracle_lines(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct job job = split_axes(call, rule);

    parallel_for((size_t)shape_elements(&job.lines.shape), 1 + (1 << 12) / job.n, evaluate_lines,
                 &job);
    free(job.offsets);
}
