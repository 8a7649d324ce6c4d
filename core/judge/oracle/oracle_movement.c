#include <math.h>
#include <string.h>

#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_lookup.h"
#include "core/system/parallel.h"

/* Copies elements of `in`, at the places of a walk, to `out` in its order. */
struct copy {
    const double *in;
    double *out;
    struct walk walk;
};

static void copy_elements(void *data, size_t first, size_t last)
{
    const struct copy *copy = data;
    struct walk walk = copy->walk;

    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++, walk_step(&walk))
        copy->out[i] = copy->in[walk.offsets[0]];
}

/* True if the view's elements are adjacent in memory, in order. */
static bool is_adjacent(const struct tensor_view *view, const struct shape *shape)
{
    ptrdiff_t dense[SHAPE_MAX_RANK];

    shape_strides(shape, dense);
    for (size_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] > 1 && view->strides[i] != dense[i])
            return false;
    return true;
}

static void evaluate_view(const struct oracle_call *call, const struct oracle_rule *rule)
{
    const struct shape *shape = &call->op->out->shape;
    struct tensor_view view = call->op->op->view(call->op);
    struct copy copy = {
        .in = call->in[0] + view.offset, .out = call->out, .walk = {.shape = *shape, .arrays = 1}};

    (void)rule;
    if (is_adjacent(&view, shape)) {
        memcpy(copy.out, copy.in, (size_t)shape_elements(shape) * sizeof(double));
        return;
    }
    memcpy(copy.walk.strides[0], view.strides, sizeof(view.strides));
    parallel_for((size_t)shape_elements(shape), 1 << 12, copy_elements, &copy);
}

/* Copy in turn from each operand the elements between two steps of the result's axis. */
static void evaluate_concat(const struct oracle_call *call, const struct oracle_rule *rule)
{
    const struct shape *out = &call->op->out->shape;
    int64_t dim = op_attribute(call->op, "dim")->integers[0];
    size_t axis = (size_t)(dim < 0 ? dim + (int64_t)out->rank : dim);
    ptrdiff_t strides[SHAPE_MAX_RANK];
    size_t at = 0, row, rows;

    (void)rule;
    shape_strides(out, strides);
    row = (size_t)(strides[axis] * (ptrdiff_t)out->dims[axis]);
    rows = (size_t)shape_elements(out) / row;
    for (size_t k = 0; k < call->op->in_count; k++) {
        size_t part = (size_t)(strides[axis] * (ptrdiff_t)call->op->in[k]->shape.dims[axis]);

        for (size_t r = 0; r < rows; r++)
            memcpy(call->out + r * row + at, call->in[k] + r * part, part * sizeof(double));
        at += part;
    }
}

/* Walks over the result and the operand, which begins `before` places earlier. */
struct padding {
    const struct oracle_call *call;
    struct walk walk;
    int64_t before[SHAPE_MAX_RANK];
    double value;
};

static bool is_inside(const struct padding *padding, const int64_t *index)
{
    const struct shape *in = &padding->call->op->in[0]->shape;

    for (size_t i = 0; i < in->rank; i++)
        if (index[i] < padding->before[i] || index[i] - padding->before[i] >= in->dims[i])
            return false;
    return true;
}

static void pad_elements(void *data, size_t first, size_t last)
{
    const struct padding *padding = data;
    struct walk walk = padding->walk;
    ptrdiff_t shift = 0;

    for (size_t i = 0; i < walk.shape.rank; i++)
        shift += (ptrdiff_t)padding->before[i] * walk.strides[0][i];
    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++, walk_step(&walk))
        padding->call->out[i] = is_inside(padding, walk.index)
                                    ? padding->call->in[0][walk.offsets[0] - shift]
                                    : padding->value;
}

static void evaluate_pad(const struct oracle_call *call, const struct oracle_rule *rule)
{
    const struct attribute *pad = op_attribute(call->op, "pad");
    const struct shape *out = &call->op->out->shape;
    struct padding padding = {.call = call,
                              .walk = {.shape = *out, .arrays = 1},
                              .value = op_attribute(call->op, "value")->number};

    (void)rule;
    shape_strides(&call->op->in[0]->shape, padding.walk.strides[0]);
    for (size_t i = 0; i < pad->count; i += 2)
        padding.before[out->rank - 1 - i / 2] = pad->integers[i];
    parallel_for((size_t)shape_elements(out), 1 << 12, pad_elements, &padding);
}

/* Reads or copies rows of a table at the places of an index. */
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

const struct oracle_rule oracle_movement[] = {
    {"reshape", .evaluate = evaluate_view, .spread = oracle_spread_moved, .keeps_elements = true},
    {"flatten", .evaluate = evaluate_view, .spread = oracle_spread_moved, .keeps_elements = true},
    {"squeeze", .evaluate = evaluate_view, .spread = oracle_spread_moved, .keeps_elements = true},
    {"unsqueeze", .evaluate = evaluate_view, .spread = oracle_spread_moved, .keeps_elements = true},
    {"permute", .evaluate = evaluate_view, .spread = oracle_spread_moved, .keeps_elements = true},
    {"transpose", .evaluate = evaluate_view, .spread = oracle_spread_moved, .keeps_elements = true},
    {"slice", .evaluate = evaluate_view, .spread = oracle_spread_moved, .keeps_elements = true},
    {"expand", .evaluate = evaluate_view, .spread = oracle_spread_moved, .keeps_elements = true},
    {"concat", .evaluate = evaluate_concat, .spread = oracle_spread_moved, .keeps_elements = true},
    {"pad", .evaluate = evaluate_pad, .spread = oracle_spread_padded, .keeps_elements = true},
    {"gather", .evaluate = evaluate_read, .spread = oracle_spread_lookup, .keeps_elements = true},
    {"index_select", .evaluate = evaluate_read, .spread = oracle_spread_lookup,
     .keeps_elements = true},
    {"embedding", .evaluate = evaluate_read, .spread = oracle_spread_lookup,
     .keeps_elements = true},
    {"index_copy", .evaluate = evaluate_copy, .spread = oracle_spread_lookup,
     .keeps_elements = true},
    {0},
};
