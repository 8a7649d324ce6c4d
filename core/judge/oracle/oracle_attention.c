#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_attention.h"
#include "core/system/parallel.h"

/* Number of scores in memory at a time, in whole rows. */
enum { MAX_SCORES = 1 << 20 };

struct job {
    const struct oracle_call *call;
    struct attention a;
    size_t head, first; /* the current query matrix, and the first of its current rows */
    double *scores;     /* [rows, keys] */
    struct walk mask;   /* walks over the scores of all heads */
};

/* The term that a mask adds to a score. */
static double mask_term(const struct job *job, double mask)
{
    if (job->a.mask->dtype == DTYPE_BOOL)
        return mask != 0 ? 0 : (double)-INFINITY;
    return mask;
}

static void mask_row(const struct job *job, size_t query, double *row)
{
    size_t keys = (size_t)job->a.keys;
    struct walk walk = job->mask;

    if (job->a.mask) {
        walk_seek(&walk, (job->head * (size_t)job->a.queries + query) * keys);
        for (size_t j = 0; j < keys; j++, walk_step(&walk))
            row[j] += mask_term(job, job->call->in[3][walk.offsets[0]]);
    }
    for (size_t j = query + 1; job->a.is_causal && j < keys; j++)
        row[j] = (double)-INFINITY;
}

/* Softmax; zeros if everything is masked. */
static void weigh_row(double *row, size_t n)
{
    double most = (double)-INFINITY, total = 0;

    for (size_t j = 0; j < n; j++)
        most = fmax(most, row[j]);
    for (size_t j = 0; j < n; j++)
        total += row[j] = isinf(most) && most < 0 ? 0 : exp(row[j] - most);
    for (size_t j = 0; j < n; j++)
        row[j] /= total > 0 ? total : 1;
}

static void weigh_rows(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    size_t keys = (size_t)job->a.keys;

    for (size_t i = first; i < last; i++) {
        mask_row(job, job->first + i, job->scores + i * keys);
        weigh_row(job->scores + i * keys, keys);
    }
}

/* Compute some rows of the current query matrix. */
static void attend(struct job *job, size_t rows)
{
    const struct attention *a = &job->a;
    size_t row = job->head * (size_t)a->queries + job->first;
    size_t shared = job->head / (size_t)a->group * (size_t)a->keys;
    blasint m = (blasint)rows, keys = (blasint)a->keys;
    blasint width = (blasint)a->width, out_width = (blasint)a->out_width;

    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, keys, width, a->scale,
                job->call->in[0] + row * (size_t)a->width, width,
                job->call->in[1] + shared * (size_t)a->width, width, 0, job->scores, keys);
    parallel_for(rows, 1 + (1 << 12) / (size_t)keys, weigh_rows, job);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, out_width, keys, 1, job->scores, keys,
                job->call->in[2] + shared * (size_t)a->out_width, out_width, 0,
                job->call->out + row * (size_t)a->out_width, out_width);
}

/* Vaswani et al., "Attention Is All You Need", 2017. */
static void evaluate(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct job job = {.call = call, .a = attention_of(call->op)};
    size_t queries = (size_t)job.a.queries, keys = (size_t)job.a.keys;
    size_t room = keys < MAX_SCORES ? MAX_SCORES / keys : 1;

    (void)rule;
    room = room < queries ? room : queries;
    job.mask.shape = job.a.batch;
    job.mask.shape.dims[job.mask.shape.rank++] = job.a.queries;
    job.mask.shape.dims[job.mask.shape.rank++] = job.a.keys;
    if (job.a.mask)
        walk_add_broadcast(&job.mask, &job.a.mask->shape);
    job.scores = mem_alloc_zeroed(room * keys, sizeof(*job.scores));
    for (job.head = 0; job.head < (size_t)job.a.heads; job.head++)
        for (job.first = 0; job.first < queries; job.first += room)
            attend(&job, queries - job.first < room ? queries - job.first : room);
    free(job.scores);
}

/* Rotates pairs of elements that are `distance` apart; cosines and sines are walked with them. */
struct rotation {
    const struct oracle_call *call;
    struct walk walk;
    ptrdiff_t distance;
};

static void rotate_pairs(void *data, size_t first, size_t last)
{
    const struct rotation *rotation = data;
    const struct oracle_call *call = rotation->call;
    struct walk walk = rotation->walk;

    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++, walk_step(&walk)) {
        ptrdiff_t a = walk.offsets[0], b = a + rotation->distance;
        double cosine = call->in[1][walk.offsets[1]], sine = call->in[2][walk.offsets[2]];

        call->out[a] = call->in[0][a] * cosine - call->in[0][b] * sine;
        call->out[b] = call->in[0][b] * cosine + call->in[0][a] * sine;
    }
}

static void evaluate_rope(const struct oracle_call *call, const struct oracle_rule *rule)
{
    bool interleaved = op_attribute(call->op, "interleaved")->integers[0];
    struct shape pairs = call->op->in[0]->shape;
    struct rotation rotation = {.call = call};
    size_t last = pairs.rank - 1;

    (void)rule;
    pairs.dims[last] /= 2;
    rotation.distance = interleaved ? 1 : (ptrdiff_t)pairs.dims[last];
    rotation.walk = (struct walk){.shape = pairs, .arrays = 1};
    shape_strides(&call->op->in[0]->shape, rotation.walk.strides[0]);
    rotation.walk.strides[0][last] = interleaved ? 2 : 1;
    walk_add_broadcast(&rotation.walk, &call->op->in[1]->shape);
    walk_add_broadcast(&rotation.walk, &call->op->in[2]->shape);
    parallel_for((size_t)shape_elements(&pairs), 1 << 12, rotate_pairs, &rotation);
}

const struct oracle_rule oracle_attention[] = {
    {"scaled_dot_product_attention", .evaluate = evaluate},
    {"rope", .evaluate = evaluate_rope},
    {0},
};
