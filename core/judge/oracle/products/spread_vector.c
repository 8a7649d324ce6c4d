#include "core/judge/oracle/products/spread_vector.h"

#include <math.h>

#include "core/base/attr.h"
#include "core/judge/oracle/rounding/spread_sum.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_product.h"
#include "core/system/parallel.h"

/* Elements whose sums are computed side by side. */
enum { LANES = 16 };

/* The same operations as spread_sum_add(). */
struct sums {
    double total[LANES], magnitude[LANES], squares[LANES], drift[LANES];
    double own[LANES]; /* sums of the squares of the products */
    float loop[LANES];
};

struct job {
    const struct oracle_spread *spread;
    struct product product;
    struct walk batch;
    ptrdiff_t a_step, b_step; /* from one product of a sum to the next */
    ptrdiff_t a_next, b_next; /* from one element of the result to the next */
};

bool spread_vector_is(const struct op_call *call)
{
    struct product p = product_of(call);

    return (p.m == 1 || p.n == 1) && p.k > 1;
}

WIDE static void add_products(const double *a, const double *b, struct sums *s)
{
    for (size_t l = 0; l < LANES; l++) {
        double x = a[l] * b[l], off;

        s->total[l] += x;
        s->magnitude[l] += fabs(x);
        s->squares[l] += s->total[l] * s->total[l];
        s->own[l] += x * x;
        s->loop[l] += (float)x;
        off = fabs((double)s->loop[l] - s->total[l]);
        s->drift[l] = off > s->drift[l] ? off : s->drift[l];
    }
}

/* Loops from the last product. */
WIDE static void turn_products(const double *a, const double *b, float *loop)
{
    for (size_t l = 0; l < LANES; l++)
        loop[l] += (float)(a[l] * b[l]);
}

/* Elements [first, first + n) of a matrix, and the first elements of its operands. */
struct block {
    size_t first, n;
    const double *a, *b;
};

/* The factors of product `k` of the sums of a block; those beyond it are the first one's. */
static void take(const struct job *job, const struct block *block, ptrdiff_t k,
                 double factors[2][LANES])
{
    for (size_t l = 0; l < LANES; l++) {
        ptrdiff_t element = (ptrdiff_t)(block->first + (l < block->n ? l : 0));

        factors[0][l] = block->a[element * job->a_next + k * job->a_step];
        factors[1][l] = block->b[element * job->b_next + k * job->b_step];
    }
}

static void add_excess(const struct job *job, const struct sums *s, size_t n, double *variance)
{
    for (size_t l = 0; l < n; l++) {
        const struct spread_sum sum = {.total = s->total[l],
                                       .magnitude = s->magnitude[l],
                                       .squares = s->squares[l],
                                       .drift = s->drift[l]};
        double own = ROUNDING_VARIANCE * (double)(job->product.k + 64) * s->own[l];
        double more = spread_sum_variance(&sum) - own;

        variance[l] += more > 0 && isfinite(more) ? more : 0;
    }
}

static void spread_block(const struct job *job, const struct block *block, double *variance)
{
    int64_t depth = job->product.k;
    double factors[2][LANES];
    float turned[LANES] = {0};
    struct sums sums = {.total = {0}};

    for (int64_t k = 0; k < depth; k++) {
        take(job, block, (ptrdiff_t)k, factors);
        add_products(factors[0], factors[1], &sums);
    }
    for (int64_t k = depth; k-- > 0;) {
        take(job, block, (ptrdiff_t)k, factors);
        turn_products(factors[0], factors[1], turned);
    }
    for (size_t l = 0; l < block->n; l++)
        sums.drift[l] = fmax(sums.drift[l], fabs((double)turned[l] - sums.total[l]));
    add_excess(job, &sums, block->n, variance);
}

static size_t blocks_of(const struct product *p)
{
    return (size_t)(p->m * p->n + LANES - 1) / LANES;
}

static void spread_blocks(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct product *p = &job->product;
    size_t blocks = blocks_of(p), count = (size_t)(p->m * p->n);
    struct walk at = job->batch;

    for (size_t i = first; i < last; i++) {
        size_t matrix = i / blocks;
        struct block block = {.first = i % blocks * LANES};

        walk_seek(&at, matrix);
        block.n = count - block.first < LANES ? count - block.first : LANES;
        block.a = job->spread->call.in[0] + at.offsets[0] * p->m * p->k;
        block.b = job->spread->call.in[1] + at.offsets[1] * p->k * p->n;
        spread_block(job, &block, job->spread->out + matrix * count + block.first);
    }
}

void spread_vector_add(const struct oracle_spread *spread)
{
    struct job job = {.spread = spread,
                      .product = product_of(spread->call.op),
                      .batch = walk_matrices(spread->call.op)};
    const struct product *p = &job.product;
    size_t matrices = (size_t)shape_elements(&p->batch);
    size_t grain = 1 + (1 << 13) / (size_t)p->k;

    job.a_step = (ptrdiff_t)(p->a_transposed ? p->m : 1);
    job.b_step = (ptrdiff_t)(p->b_transposed ? 1 : p->n);
    job.a_next = p->m == 1 ? 0 : (ptrdiff_t)(p->a_transposed ? 1 : p->k);
    job.b_next = p->m == 1 ? (ptrdiff_t)(p->b_transposed ? p->k : 1) : 0;
    parallel_for(matrices * blocks_of(p), grain, spread_blocks, &job);
}
