#include <math.h>
#include <string.h>

#include "core/judge/host_library/host_library_family.h"
#include "core/model/op/op_lookup.h"
#include "core/system/parallel.h"

struct job {
    const struct host_library_step *step;
    struct lookup lookup;
    struct walk rows;                 /* over table and index, without the last axis */
    size_t width;                     /* number of places along the last axis */
    ptrdiff_t table_step, index_step; /* offsets from one of them to the next */
};

static struct job make_job(const struct host_library_step *step)
{
    struct lookup lookup = lookup_of(&step->op);
    size_t last = lookup.places.rank - 1;
    struct job job = {
        .step = step,
        .lookup = lookup,
        .rows = {.shape = lookup.places, .arrays = 2},
        .width = (size_t)lookup.places.dims[last],
        .table_step = lookup.table_strides[last],
        .index_step = lookup.index_strides[last],
    };

    job.rows.shape.rank = last;
    memcpy(job.rows.strides[0], lookup.table_strides, sizeof(lookup.table_strides));
    memcpy(job.rows.strides[1], lookup.index_strides, sizeof(lookup.index_strides));
    return job;
}

/* Offset in the table of the k-th place of the row; -1 if the index is outside the table. */
static ptrdiff_t find_place(const struct job *job, const struct walk *rows, size_t k)
{
    const float *index = job->step->in[job->lookup.index] + rows->offsets[1];
    float row = index[(ptrdiff_t)k * job->index_step];

    if (!(row >= 0 && row < (float)job->lookup.rows))
        return -1;
    return rows->offsets[0] + (ptrdiff_t)k * job->table_step +
           (ptrdiff_t)row * job->lookup.row_stride;
}

/* An index outside the table gives NaN. */
static void read_row(const struct job *job, const struct walk *rows, float *to)
{
    const float *table = job->step->in[job->lookup.table];
    ptrdiff_t at = find_place(job, rows, 0);

    if (job->index_step == 0 && at >= 0)
        memcpy(to, table + at, job->width * sizeof(*to));
    else
        for (size_t k = 0; k < job->width; k++) {
            at = find_place(job, rows, k);
            to[k] = at < 0 ? NAN : table[at];
        }
}

static void read_rows(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    struct walk rows = job->rows;

    walk_seek(&rows, first);
    for (size_t i = first; i < last; i++, walk_step(&rows))
        read_row(job, &rows, job->step->out + i * job->width);
}

static void run_read(struct host_library_step *step)
{
    struct job job = make_job(step);

    parallel_for((size_t)shape_elements(&job.rows.shape), 1 + (1 << 14) / job.width, read_rows,
                 &job);
}

static void write_row(const struct job *job, const struct walk *rows, const float *from)
{
    float *table = job->step->out;
    ptrdiff_t at = find_place(job, rows, 0);

    if (job->index_step == 0 && at >= 0)
        memcpy(table + at, from, job->width * sizeof(*table));
    for (size_t k = 0; job->index_step != 0 && k < job->width; k++) {
        at = find_place(job, rows, k);
        if (at >= 0)
            table[at] = from[k];
    }
}

static void copy_elements(void *data, size_t first, size_t last)
{
    const struct host_library_step *step = data;

    memcpy(step->out + first, step->in[0] + first, (last - first) * sizeof(*step->out));
}

/* Rows are copied in order, so for an index that occurs twice the last row counts. */
static void run_copy(struct host_library_step *step)
{
    struct job job = make_job(step);
    size_t rows = (size_t)shape_elements(&job.rows.shape);

    parallel_for((size_t)shape_elements(&step->op.out->shape), 1 << 15, copy_elements, step);
    for (size_t i = 0; i < rows; i++, walk_step(&job.rows))
        write_row(&job, &job.rows, step->in[2] + i * job.width);
}

static float larger(float a, float b)
{
    return isnan(a) || a > b ? a : b;
}

static void add_row(const struct job *job, const struct walk *rows, const float *from)
{
    bool has_largest = op_attribute(&job->step->op, "reduce")->integers[0] != 0;

    for (size_t k = 0; k < job->width; k++) {
        ptrdiff_t at = find_place(job, rows, k);

        if (at >= 0)
            job->step->out[at] =
                has_largest ? larger(job->step->out[at], from[k]) : job->step->out[at] + from[k];
    }
}

static void run_add(struct host_library_step *step)
{
    struct job job = make_job(step);
    size_t rows = (size_t)shape_elements(&job.rows.shape);

    parallel_for((size_t)shape_elements(&step->op.out->shape), 1 << 15, copy_elements, step);
    for (size_t i = 0; i < rows; i++, walk_step(&job.rows))
        add_row(&job, &job.rows, step->in[2] + i * job.width);
}

const struct host_library_rule host_library_lookup[] = {
    {"gather", .run = run_read},
    {"index_select", .run = run_read},
    {"embedding", .run = run_read},
    {"index_copy", .run = run_copy},
    {"index_reduce", .run = run_add},
    {"scatter_reduce", .run = run_add},
    {0},
};
