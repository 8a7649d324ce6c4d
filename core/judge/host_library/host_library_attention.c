#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/host_library/host_library_family.h"
#include "core/model/op/op_attention.h"
#include "core/system/parallel.h"

/*
 * Query matrices are processed in blocks of rows whose scores fit the caches: MAX_ROWS rows, or as
 * many as have MAX_SCORES scores.
 */
enum { MAX_ROWS = 64, MAX_SCORES = 1 << 18 };

/* Largest number of multiply-adds of a product that OpenBLAS computes on the calling core. */
enum { MAX_PRODUCT = 1 << 18 };

struct job {
    const struct host_library_step *step;
    struct attention a;
    struct walk mask;    /* walks over the rows of the scores of all heads */
    ptrdiff_t mask_step; /* offset from the mask of one key to that of the next */
    size_t rows, blocks; /* number of rows in a block; number of blocks in a query matrix */
};

/* Some rows of a query matrix, with the keys that any of them sees. */
struct block {
    size_t head, first, rows, keys;
    float *scores; /* [rows, keys] */
};

static void mask_row(const struct job *job, const struct block *block, size_t query, float *row)
{
    bool is_bool = job->a.mask->dtype == DTYPE_BOOL;
    struct walk walk = job->mask;
    const float *mask;

    walk_seek(&walk, block->head * (size_t)job->a.queries + query);
    mask = job->step->in[3] + walk.offsets[0];
    for (size_t j = 0; j < block->keys; j++) {
        float one = mask[(ptrdiff_t)j * job->mask_step];

        row[j] += is_bool ? (one != 0 ? 0 : -INFINITY) : one;
    }
}

/* Softmax; zeros if everything is masked. */
static void weigh_row(const struct job *job, const struct block *block, size_t query, float *row)
{
    size_t seen = job->a.is_causal && query < block->keys ? query + 1 : block->keys;
    float largest;

    if (job->a.mask)
        mask_row(job, block, query, row);
    largest = host_library_largest(row, seen, 1);
    if (largest == -INFINITY)
        seen = 0;
    else
        host_library_softmax(row, seen, largest, row);
    memset(row + seen, 0, (block->keys - seen) * sizeof(*row));
}

/* The number of keys that MAX_PRODUCT allows at a time, approximately. */
static size_t keys_at_once(const struct block *block, int64_t width)
{
    return 1 + MAX_PRODUCT / (1 + block->rows * (size_t)width);
}

static void score(const struct job *job, const struct block *block, const float *q, const float *k)
{
    size_t keys = block->keys, step = keys_at_once(block, job->a.width);
    blasint width = (blasint)job->a.width;

    for (size_t j = 0; j < keys; j += step)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)block->rows,
                    (blasint)(keys - j < step ? keys - j : step), width, (float)job->a.scale, q,
                    width, k + j * (size_t)width, width, 0, block->scores + j, (blasint)keys);
}

static void combine(const struct job *job, const struct block *block, const float *v, float *out)
{
    size_t keys = block->keys, step = keys_at_once(block, job->a.out_width);
    blasint width = (blasint)job->a.out_width;

    for (size_t j = 0; j < keys; j += step)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)block->rows, width,
                    (blasint)(keys - j < step ? keys - j : step), 1, block->scores + j,
                    (blasint)keys, v + j * (size_t)width, width, j > 0 ? 1 : 0, out, width);
}

static void attend(const struct job *job, const struct block *block)
{
    const struct attention *a = &job->a;
    const struct host_library_step *step = job->step;
    size_t row = block->head * (size_t)a->queries + block->first;
    size_t shared = block->head / (size_t)a->group * (size_t)a->keys;

    score(job, block, step->in[0] + row * (size_t)a->width,
          step->in[1] + shared * (size_t)a->width);
    for (size_t i = 0; i < block->rows; i++)
        weigh_row(job, block, block->first + i, block->scores + i * block->keys);
    combine(job, block, step->in[2] + shared * (size_t)a->out_width,
            step->out + row * (size_t)a->out_width);
}

static void attend_blocks(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    size_t queries = (size_t)job->a.queries, keys = (size_t)job->a.keys;
    float *scores = mem_alloc_zeroed(job->rows * keys, sizeof(*scores));

    for (size_t i = first; i < last; i++) {
        size_t begin = i % job->blocks * job->rows, left = queries - begin;
        struct block block = {i / job->blocks, begin, left < job->rows ? left : job->rows, keys,
                              scores};

        if (job->a.is_causal && begin + block.rows < keys)
            block.keys = begin + block.rows;
        attend(job, &block);
    }
    free(scores);
}

static struct job make_job(const struct host_library_step *step)
{
    struct job job = {.step = step, .a = attention_of(&step->op)};
    size_t queries = (size_t)job.a.queries, room = MAX_SCORES / (size_t)job.a.keys;
    size_t last = job.a.batch.rank + 1;

    job.mask.shape = job.a.batch;
    job.mask.shape.dims[job.mask.shape.rank++] = job.a.queries;
    job.mask.shape.dims[job.mask.shape.rank++] = job.a.keys;
    if (job.a.mask)
        walk_add_broadcast(&job.mask, &job.a.mask->shape);
    job.mask_step = job.mask.strides[0][last];
    job.mask.shape.rank = last;
    job.rows = room < 1 ? 1 : room < MAX_ROWS ? room : MAX_ROWS;
    job.rows = job.rows < queries ? job.rows : queries;
    job.blocks = (queries + job.rows - 1) / job.rows;
    return job;
}

static void run(struct host_library_step *step)
{
    struct job job = make_job(step);
    size_t scores = job.rows * (size_t)job.a.keys;

    parallel_for((size_t)job.a.heads * job.blocks, 1 + (1 << 12) / scores, attend_blocks, &job);
}

/* Rotates rows of pairs of elements that are `distance` apart. */
struct rotation {
    const struct host_library_step *step;
    struct walk rows;
    size_t pairs;
    ptrdiff_t distance, pitch;        /* within a pair; from one pair to the next */
    ptrdiff_t cosine_step, sine_step; /* offsets to the next cosine and sine */
};

WIDE static void rotate_row(const struct rotation *rotation, const ptrdiff_t *offsets)
{
    const struct host_library_step *step = rotation->step;
    const float *x = step->in[0] + offsets[0], *cosines = step->in[1] + offsets[1];
    const float *sines = step->in[2] + offsets[2];
    ptrdiff_t distance = rotation->distance, pitch = rotation->pitch;
    float *y = step->out + offsets[0];

#pragma omp simd
    for (ptrdiff_t i = 0; i < (ptrdiff_t)rotation->pairs; i++) {
        float a = x[i * pitch], b = x[i * pitch + distance];
        float cosine = cosines[i * rotation->cosine_step], sine = sines[i * rotation->sine_step];

        y[i * pitch] = a * cosine - b * sine;
        y[i * pitch + distance] = b * cosine + a * sine;
    }
}

static void rotate_rows(void *data, size_t first, size_t last)
{
    const struct rotation *rotation = data;
    struct walk rows = rotation->rows;

    walk_seek(&rows, first);
    for (size_t i = first; i < last; i++, walk_step(&rows))
        rotate_row(rotation, rows.offsets);
}

static void run_rope(struct host_library_step *step)
{
    bool interleaved = op_attribute(&step->op, "interleaved")->integers[0];
    struct shape pairs = step->op.in[0]->shape;
    struct rotation rotation = {.step = step};
    size_t last = pairs.rank - 1;

    pairs.dims[last] /= 2;
    rotation.pairs = (size_t)pairs.dims[last];
    rotation.distance = interleaved ? 1 : (ptrdiff_t)pairs.dims[last];
    rotation.pitch = interleaved ? 2 : 1;
    rotation.rows = (struct walk){.shape = pairs, .arrays = 1};
    shape_strides(&step->op.in[0]->shape, rotation.rows.strides[0]);
    walk_add_broadcast(&rotation.rows, &step->op.in[1]->shape);
    walk_add_broadcast(&rotation.rows, &step->op.in[2]->shape);
    rotation.cosine_step = rotation.rows.strides[1][last];
    rotation.sine_step = rotation.rows.strides[2][last];
    rotation.rows.shape.rank = last;
    parallel_for((size_t)shape_elements(&rotation.rows.shape), 1 + (1 << 14) / rotation.pairs,
                 rotate_rows, &rotation);
}

const struct host_library_rule host_library_attention[] = {
    {"scaled_dot_product_attention", .run = run},
    {"rope", .run = run_rope},
    {0},
};
