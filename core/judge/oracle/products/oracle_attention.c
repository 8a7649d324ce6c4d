#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/oracle_gemm.h"
#include "core/judge/oracle/rounding/alike.h"
#include "core/judge/oracle/rounding/spread_rowwise.h"
#include "core/judge/oracle/rounding/spread_sum.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_attention.h"
#include "core/system/parallel.h"

/* Number of scores in memory at a time, in whole rows. */
enum { MAX_SCORES = 1 << 20 };

struct job {
    const struct oracle_call *call;
    struct attention a;
    size_t head, first; /* the current query matrix, and the first of its current rows */
    size_t room;        /* number of rows at a time */
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

/* Softmax; zeros if everything is masked. NaN is the largest score. */
static void weigh_row(double *row, size_t n)
{
    double most = (double)-INFINITY, total = 0;

    for (size_t j = 0; j < n; j++)
        most = isnan(row[j]) || row[j] > most ? row[j] : most;
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

/* The product of queries and keys for some rows of a query matrix; the operands are set later. */
static struct oracle_gemm scores_of(const struct attention *a, size_t rows)
{
    return (struct oracle_gemm){.m = rows,
                                .n = (size_t)a->keys,
                                .k = (size_t)a->width,
                                .scale = a->scale,
                                .a_row = (size_t)a->width,
                                .b_row = (size_t)a->width,
                                .c_row = (size_t)a->keys,
                                .b_transposed = true};
}

/* The product of weights and values, in the same way. */
static struct oracle_gemm sums_of(const struct attention *a, size_t rows)
{
    return (struct oracle_gemm){.m = rows,
                                .n = (size_t)a->out_width,
                                .k = (size_t)a->keys,
                                .scale = 1,
                                .a_row = (size_t)a->keys,
                                .b_row = (size_t)a->out_width,
                                .c_row = (size_t)a->out_width};
}

static void multiply(struct oracle_gemm gemm, const double *a, const double *b, double *c)
{
    gemm.a = a;
    gemm.b = b;
    gemm.c = c;
    oracle_gemm(&gemm);
}

/* The same, and what `c` has stays a summand. */
static void multiply_and_add(struct oracle_gemm gemm, const double *a, const double *b, double *c)
{
    gemm.keep = 1;
    multiply(gemm, a, b, c);
}

/* Compute some rows of the current query matrix. */
static void attend(struct job *job, size_t rows)
{
    const struct attention *a = &job->a;
    size_t row = job->head * (size_t)a->queries + job->first;
    size_t shared = job->head / (size_t)a->group * (size_t)a->keys;
    size_t keys = (size_t)a->keys;

    multiply(scores_of(a, rows), job->call->in[0] + row * (size_t)a->width,
             job->call->in[1] + shared * (size_t)a->width, job->scores);
    parallel_for(rows, 1 + (1 << 12) / keys, weigh_rows, job);
    multiply(sums_of(a, rows), job->scores, job->call->in[2] + shared * (size_t)a->out_width,
             job->call->out + row * (size_t)a->out_width);
}

static struct job make_job(const struct oracle_call *call)
{
    struct job job = {.call = call, .a = attention_of(call->op)};
    size_t queries = (size_t)job.a.queries, keys = (size_t)job.a.keys;

    job.room = keys < MAX_SCORES ? MAX_SCORES / keys : 1;
    job.room = job.room < queries ? job.room : queries;
    job.mask.shape = job.a.batch;
    job.mask.shape.dims[job.mask.shape.rank++] = job.a.queries;
    job.mask.shape.dims[job.mask.shape.rank++] = job.a.keys;
    if (job.a.mask)
        walk_add_broadcast(&job.mask, &job.a.mask->shape);
    job.scores = block_pool_take(call->blocks, job.room * keys, sizeof(*job.scores));
    return job;
}

/* Vaswani et al., "Attention Is All You Need", 2017. */
static void evaluate(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct job job = make_job(call);
    size_t queries = (size_t)job.a.queries;

    (void)rule;
    for (job.head = 0; job.head < (size_t)job.a.heads; job.head++)
        for (job.first = 0; job.first < queries; job.first += job.room)
            attend(&job, queries - job.first < job.room ? queries - job.first : job.room);
    block_pool_give(call->blocks, job.scores);
}

/*
 * The variances of attention: those of the scores, as sums of products, of the weights, as a
 * softmax, and of the result, as sums of products again (spread_bilinear.c). In class mixed scores
 * and weights may be stored in 16 bits.
 */
struct spread_job {
    struct job job;
    const struct oracle_spread *spread;
    const double *squares[3];   /* squares of query, key and value */
    const double *variances[3]; /* the variances plus those of float32 sums */
    double *weights, *score_variances, *weight_squares;
    struct alike *alike; /* by column of each matrix of values */
};

/* variance + own * x^2 for all elements of operand k. */
static double *mix_new(const struct oracle_spread *spread, size_t k, double own, bool is_square)
{
    size_t count = (size_t)shape_elements(&spread->call.op->in[k]->shape);
    const double *x = spread->call.in[k];
    const double *variance = is_square ? NULL : spread->variance[k];
    double *mixed = block_pool_take(spread->call.blocks, count, sizeof(*mixed));

    for (size_t i = 0; i < count; i++)
        mixed[i] = own * x[i] * x[i] + (variance ? variance[i] : 0);
    return mixed;
}

/* The variance of a sum of `terms` numbers that have one sign, so that the partial sums grow. */
static double grow(double terms, double total)
{
    return ROUNDING_VARIANCE * terms / 2 * total * total;
}

static void store(const struct spread_job *s, const double *x, size_t count, double *variance)
{
    const struct rounding rounding = {.is_mixed = s->spread->is_mixed};

    rounding_add(&rounding, DTYPE_F32, x, count, variance);
}

static void spread_scores(const struct spread_job *s, size_t rows, size_t row, size_t shared)
{
    const struct attention *a = &s->job.a;
    size_t width = (size_t)a->width;
    struct oracle_gemm gemm = scores_of(a, rows);

    gemm.scale = a->scale * a->scale;
    multiply(gemm, s->variances[0] + row * width, s->squares[1] + shared * width,
             s->score_variances);
    multiply_and_add(gemm, s->squares[0] + row * width, s->variances[1] + shared * width,
                     s->score_variances);
}

/* Turn scores and their variances into weights and theirs. */
static void spread_weights(void *data, size_t first, size_t last)
{
    const struct spread_job *s = data;
    size_t keys = (size_t)s->job.a.keys;
    void (*spread_shares)(const double *, const double *, const double *, size_t, double *) =
        s->spread->is_mixed ? spread_rowwise_weights : spread_rowwise_far_weights;

    for (size_t i = first; i < last; i++) {
        double *scores = s->job.scores + i * keys, *weights = s->weights + i * keys;
        double *variances = s->score_variances + i * keys;

        for (size_t j = 0; j < keys; j++)
            variances[j] += grow((double)s->job.a.width, scores[j]);
        store(s, scores, keys, variances);
        mask_row(&s->job, s->job.first + i, scores);
        memcpy(weights, scores, keys * sizeof(*weights));
        weigh_row(weights, keys);
        spread_shares(scores, variances, weights, keys, variances);
        store(s, weights, keys, variances);
        for (size_t j = 0; j < keys; j++) {
            s->weight_squares[i * keys + j] = weights[j] * weights[j];
            variances[j] += ROUNDING_VARIANCE * (double)keys * weights[j] * weights[j];
        }
    }
}

/*
 * Add the variances that sums of values of one sign have in addition: their partial sums grow, and
 * equal values have equal errors. `out` has only the variances from the values at this moment. The
 * weights have sum 1, so their effective number is the inverse of the sum of their squares.
 */
static void add_sums(const struct spread_job *s, size_t row, size_t rows)
{
    size_t keys = (size_t)s->job.a.keys, width = (size_t)s->job.a.out_width;
    double own = ROUNDING_VARIANCE * ((double)keys + 64);
    struct alike_rows rows_of_weights = {rows, keys, 1, keys};
    const struct alike *values = s->alike + s->job.head / (size_t)s->job.a.group * width;

    for (size_t i = 0; i < rows; i++) {
        double *out = s->spread->out + (row + i) * width, squares = 0, terms = 0;
        const double *y = s->spread->call.out + (row + i) * width;
        struct alike weights = alike_of(s->weights, &rows_of_weights, i, (double)keys);

        for (size_t j = 0; j < keys; j++) {
            squares += s->weight_squares[i * keys + j];
            terms += s->weight_squares[i * keys + j] > 0;
        }
        for (size_t k = 0; k < width && squares > 0; k++) {
            double own_squares = out[k] / own;

            out[k] += spread_sum_bias(y[k], own_squares, 1 / squares) + grow(terms, y[k]) +
                      alike_variance(weights, values[k], (double)keys, y[k], own_squares);
        }
    }
}

static void spread_rows(struct spread_job *s, size_t rows)
{
    const struct attention *a = &s->job.a;
    size_t row = s->job.head * (size_t)a->queries + s->job.first;
    size_t shared = s->job.head / (size_t)a->group * (size_t)a->keys;
    size_t values = shared * (size_t)a->out_width;
    double *out = s->spread->out + row * (size_t)a->out_width;

    multiply(scores_of(a, rows), s->job.call->in[0] + row * (size_t)a->width,
             s->job.call->in[1] + shared * (size_t)a->width, s->job.scores);
    spread_scores(s, rows, row, shared);
    parallel_for(rows, 1 + (1 << 12) / (size_t)a->keys, spread_weights, s);
    multiply(sums_of(a, rows), s->weight_squares, s->variances[2] + values, out);
    add_sums(s, row, rows);
    multiply_and_add(sums_of(a, rows), s->score_variances, s->squares[2] + values, out);
}

static struct alike *alike_of_values(const struct job *job)
{
    size_t keys = (size_t)job->a.keys, width = (size_t)job->a.out_width;
    struct alike_rows columns = {width, 1, width, keys};

    return alike_of_all(job->call->in[2], &columns, (size_t)(job->a.heads / job->a.group),
                        keys * width, (double)keys);
}

static void spread(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    struct spread_job s = {.job = make_job(&spread->call), .spread = spread};
    size_t queries = (size_t)s.job.a.queries, keys = (size_t)s.job.a.keys;
    struct block_pool *blocks = spread->call.blocks;
    double *room = block_pool_take(blocks, 3 * s.job.room * keys, sizeof(*room));
    double own[] = {ROUNDING_VARIANCE * ((double)s.job.a.width + 64), 0,
                    ROUNDING_VARIANCE * ((double)keys + 64)};

    (void)rule;
    s.weights = room;
    s.score_variances = room + s.job.room * keys;
    s.weight_squares = room + 2 * s.job.room * keys;
    for (size_t k = 0; k < 3; k++) {
        s.squares[k] = mix_new(spread, k, 1, true);
        s.variances[k] = mix_new(spread, k, own[k], false);
    }
    s.alike = alike_of_values(&s.job);
    for (s.job.head = 0; s.job.head < (size_t)s.job.a.heads; s.job.head++)
        for (s.job.first = 0; s.job.first < queries; s.job.first += s.job.room)
            spread_rows(&s,
                        queries - s.job.first < s.job.room ? queries - s.job.first : s.job.room);
    for (size_t k = 0; k < 3; k++) {
        block_pool_give(blocks, (void *)(uintptr_t)s.squares[k]);
        block_pool_give(blocks, (void *)(uintptr_t)s.variances[k]);
    }
    free(s.alike);
    block_pool_give(blocks, room);
    block_pool_give(blocks, s.job.scores);
}

/*
 * Rotates pairs of elements that are `distance` apart; cosines and sines are walked with them. With
 * a spread it computes the variances instead.
 */
struct rotation {
    const struct oracle_call *call;
    const struct oracle_spread *spread;
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

/* Variance of x * f, the product rounded. */
static double spread_product(const struct oracle_spread *spread, ptrdiff_t x, size_t k, ptrdiff_t f)
{
    double number = spread->call.in[0][x], factor = spread->call.in[k][f];
    double own = spread->variance[0] ? spread->variance[0][x] : 0;
    double other = spread->variance[k] ? spread->variance[k][f] : 0;

    return own * factor * factor + number * number * (other + ROUNDING_VARIANCE * factor * factor);
}

static void spread_pairs(void *data, size_t first, size_t last)
{
    const struct rotation *rotation = data;
    const struct oracle_spread *spread = rotation->spread;
    struct walk walk = rotation->walk;

    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++, walk_step(&walk)) {
        ptrdiff_t a = walk.offsets[0], b = a + rotation->distance;
        ptrdiff_t cosine = walk.offsets[1], sine = walk.offsets[2];

        spread->out[a] = spread_product(spread, a, 1, cosine) + spread_product(spread, b, 2, sine);
        spread->out[b] = spread_product(spread, b, 1, cosine) + spread_product(spread, a, 2, sine);
    }
}

static void rotate(const struct oracle_call *call, const struct oracle_spread *spread)
{
    bool interleaved = op_attribute(call->op, "interleaved")->integers[0];
    struct shape pairs = call->op->in[0]->shape;
    struct rotation rotation = {.call = call, .spread = spread};
    size_t last = pairs.rank - 1;

    pairs.dims[last] /= 2;
    rotation.distance = interleaved ? 1 : (ptrdiff_t)pairs.dims[last];
    rotation.walk = (struct walk){.shape = pairs, .arrays = 1};
    shape_strides(&call->op->in[0]->shape, rotation.walk.strides[0]);
    rotation.walk.strides[0][last] = interleaved ? 2 : 1;
    walk_add_broadcast(&rotation.walk, &call->op->in[1]->shape);
    walk_add_broadcast(&rotation.walk, &call->op->in[2]->shape);
    parallel_for((size_t)shape_elements(&pairs), 1 << 12, spread ? spread_pairs : rotate_pairs,
                 &rotation);
}

static void evaluate_rope(const struct oracle_call *call, const struct oracle_rule *rule)
{
    (void)rule;
    rotate(call, NULL);
}

static void spread_rope(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    (void)rule;
    rotate(&spread->call, spread);
}

const struct oracle_rule oracle_attention[] = {
    {"scaled_dot_product_attention", .evaluate = evaluate, .spread = spread},
    {"rope", .evaluate = evaluate_rope, .spread = spread_rope},
    {0},
};
