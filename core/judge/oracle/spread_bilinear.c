#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/spread_sum.h"
#include "core/system/parallel.h"

/*
 * Variances of sums of products: var(sum a b) = sum a^2 var(b) + var(a) b^2, which is the operation
 * itself on squares and variances. Products are summed in float32: the partial sums of K terms in
 * any order are below sqrt(K sum a^2 b^2), and grow toward the result where all terms have one
 * sign.
 *
 * Fast algorithms (Strassen's, Winograd's) add elements of other rows or windows to an element's
 * own and subtract them again. Their errors are bounded by the norms of the operands only: Higham,
 * "Accuracy and Stability of Numerical Algorithms", 2nd ed., sections 23.2.1 and 23.2.2. For drawn
 * data that is much the same. For varied data a multiple of the usual sum of squares is added.
 */

/* How such an algorithm makes errors grow, as a factor of variances. */
static const double fast_growth = 16;

/* to = own * x^2 + factor * variance */
struct mix {
    const double *x, *variance;
    double own;
    double *to;
};

static void mix_elements(void *data, size_t first, size_t last)
{
    const struct mix *mix = data;

    for (size_t i = first; i < last; i++)
        mix->to[i] = mix->own * mix->x[i] * mix->x[i] + (mix->variance ? mix->variance[i] : 0);
}

/* Returns mix->to, which is made for `count` elements. */
static double *make_mix(struct block_pool *blocks, struct mix *mix, size_t count)
{
    mix->to = block_pool_take(blocks, count, sizeof(double));
    parallel_for(count, 1 << 14, mix_elements, mix);
    return mix->to;
}

static size_t count_of(const struct value *value)
{
    return (size_t)shape_elements(&value->shape);
}

/*
 * The ratio of variances to squares, if it is nearly the same for all elements that matter: such as
 * the roundings of a param. 0 if it is not, and if there are no variances.
 */
static double common_ratio(const double *x, const double *variance, size_t count)
{
    double squares = 0, variances = 0, ratio, small;

    if (!variance)
        return 0;
    for (size_t i = 0; i < count; i++) {
        squares += x[i] * x[i];
        variances += variance[i];
    }
    if (!(squares > 0))
        return 0;
    ratio = variances / squares;
    small = 1e-3 * squares / (double)count;
    for (size_t i = 0; i < count; i++)
        if (variance[i] > 4 * ratio * (x[i] * x[i] + small))
            return 0;
    return 1.25 * ratio;
}

static double mean_square(const double *x, size_t count)
{
    double squares = 0;

    for (size_t i = 0; i < count; i++)
        squares += x[i] * x[i];
    return count ? squares / (double)count : 0;
}

/* The variance that a fast algorithm adds to each element; 0 for drawn data. */
static double fast_variance(const struct oracle_spread *spread, double own, double terms)
{
    const struct oracle_call *call = &spread->call;
    double squares;

    if (!spread->is_varied)
        return 0;
    squares = terms * mean_square(call->in[0], count_of(call->op->in[0])) *
              mean_square(call->in[1], count_of(call->op->in[1]));
    return fast_growth * own * squares;
}

/* Apply the operation without its bias. */
static void apply(const struct oracle_spread *spread, const struct oracle_rule *rule,
                  const double *a, const double *b, double *out)
{
    struct op_call op = *spread->call.op;
    struct oracle_call call = {.op = &op, .in = {a, b}, .blocks = spread->call.blocks};

    call.out = out;
    op.in_count = 2;
    rule->evaluate(&call, rule);
}

struct addition {
    const struct oracle_spread *spread;
    const double *more;
    double result; /* factor of the square of the result */
    double own;    /* the variances so far are at least this times the sum of squares */
    double terms;
    double fast; /* added to every element */
    const double *bias;
    size_t inner, biases; /* element i has bias i / inner % biases */
};

static void add_terms(void *data, size_t first, size_t last)
{
    const struct addition *a = data;
    const double *y = a->spread->call.out;

    for (size_t i = first; i < last; i++) {
        double off = a->result * y[i] * y[i];

        off += spread_sum_bias(y[i], a->spread->out[i] / a->own, a->terms);
        off += a->fast + (a->more ? a->more[i] : 0);
        off += a->bias ? a->bias[i / a->inner % a->biases] : 0;
        a->spread->out[i] += off;
    }
}

static struct addition addition_of(const struct oracle_spread *spread, struct bilinear bilinear,
                                   double own)
{
    const struct shape *shape = &spread->call.op->out->shape;
    struct addition a = {.spread = spread,
                         .result = ROUNDING_VARIANCE * bilinear.terms / 2,
                         .terms = bilinear.terms,
                         .fast = fast_variance(spread, own, bilinear.terms),
                         .bias = spread->variance[2],
                         .inner = 1,
                         .biases = 1};

    if (!a.bias)
        return a;
    a.biases = count_of(spread->call.op->in[2]);
    for (size_t i = bilinear.bias_axis + 1; i < shape->rank; i++)
        a.inner *= (size_t)shape->dims[i];
    return a;
}

void oracle_spread_bilinear(const struct oracle_spread *spread, const struct oracle_rule *rule,
                            struct bilinear bilinear)
{
    const struct oracle_call *call = &spread->call;
    struct block_pool *blocks = call->blocks;
    size_t a_count = count_of(call->op->in[0]), b_count = count_of(call->op->in[1]);
    double ratio = common_ratio(call->in[1], spread->variance[1], b_count);
    double sums = ROUNDING_VARIANCE * (bilinear.terms + 64) * bilinear.growth, own = sums + ratio;
    struct mix mix = {call->in[0], spread->variance[0], own, NULL};
    struct mix squares = {call->in[1], NULL, 1, NULL};
    double *a = make_mix(blocks, &mix, a_count);
    double *b = make_mix(blocks, &squares, b_count), *more = NULL;
    struct addition addition = addition_of(spread, bilinear, sums);

    apply(spread, rule, a, b, spread->out);
    if (spread->variance[1] && ratio == 0) {
        mix.own = 1;
        parallel_for(a_count, 1 << 14, mix_elements, &mix);
        more = block_pool_take_zeroed(blocks, count_of(call->op->out), sizeof(*more));
        apply(spread, rule, a, spread->variance[1], more);
    }
    addition.more = more;
    addition.own = own;
    parallel_for(count_of(call->op->out), 1 << 14, add_terms, &addition);
    block_pool_give(blocks, a);
    block_pool_give(blocks, b);
    block_pool_give(blocks, more);
}
