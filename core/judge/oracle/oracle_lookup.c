#include <math.h>
#include <string.h>

#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_lookup.h"
#include "core/system/parallel.h"

struct job {
    const struct oracle_call *call;
    struct lookup lookup;
    struct walk walk; /* over the table and the index */
};

static struct job make_job(const struct oracle_call *call)
{
    struct lookup lookup = lookup_of(call->op);
    struct job job = {call, lookup, {.shape = lookup.places, .arrays = 2}};

    memcpy(job.walk.strides[0], lookup.table_strides, sizeof(lookup.table_strides));
    memcpy(job.walk.strides[1], lookup.index_strides, sizeof(lookup.index_strides));
    return job;
}

/* Offset in the table of the current place of the walk; -1 if the index is outside the table. */
static ptrdiff_t find_element(const struct job *job, const struct walk *walk)
{
    double row = job->call->in[job->lookup.index][walk->offsets[1]];

    if (!(row >= 0 && row < (double)job->lookup.rows))
        return -1;
    return walk->offsets[0] + (ptrdiff_t)row * job->lookup.row_stride;
}

/* An index outside the table gives NaN. */
static void read_elements(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    struct walk walk = job->walk;

    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++, walk_step(&walk)) {
        ptrdiff_t at = find_element(job, &walk);

        job->call->out[i] = at < 0 ? (double)NAN : job->call->in[job->lookup.table][at];
    }
}

static void evaluate_read(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct job job = make_job(call);

    (void)rule;
    parallel_for((size_t)shape_elements(&job.lookup.places), 1 << 12, read_elements, &job);
}

/* Elements are copied in order, so for an index that occurs twice the last row counts. */
static void evaluate_copy(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct job job = make_job(call);
    size_t places = (size_t)shape_elements(&job.lookup.places);

    (void)rule;
    memcpy(call->out, call->in[0], (size_t)shape_elements(&call->op->out->shape) * sizeof(double));
    for (size_t i = 0; i < places; i++, walk_step(&job.walk)) {
        ptrdiff_t at = find_element(&job, &job.walk);

        if (at >= 0)
            call->out[at] = call->in[2][i];
    }
}

const struct oracle_rule oracle_lookup[] = {
    {"gather", .evaluate = evaluate_read, .spread = oracle_spread_lookup, .keeps_elements = true},
    {"index_select", .evaluate = evaluate_read, .spread = oracle_spread_lookup,
     .keeps_elements = true},
    {"embedding", .evaluate = evaluate_read, .spread = oracle_spread_lookup,
     .keeps_elements = true},
    {"index_copy", .evaluate = evaluate_copy, .spread = oracle_spread_lookup,
     .keeps_elements = true},
    {0},
};
