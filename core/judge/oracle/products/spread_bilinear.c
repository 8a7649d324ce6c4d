#include <float.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/spread_sum.h"
#include "core/system/parallel.h"

/*
 * Variances of sums of products: var(sum a b) = sum a^2 var(b) + var(a) b^2, which is the operation
 * itself, applied to squares and variances. Products are summed in float32: in any order the
 * partial sums of K terms are below sqrt(K sum a^2 b^2), and they grow toward the result if all
 * terms have one sign.
 *
 * Fast algorithms (Strassen's, Winograd's) add elements of other rows or windows to an element's
 * own and subtract them again. Only the norms of the operands bound their errors: Higham, "Accuracy
 * and Stability of Numerical Algorithms", 2nd ed., sections 23.2.1 and 23.2.2. For drawn data the
 * effect is a factor, `growth`. In varied data the errors of the largest element spread to the
 * others, so a multiple of its variance is added to each element.
 */

/* The multiple of the largest variance that a fast algorithm adds to every element. */
static const double fast_share = 2;

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

/* The largest finite element. */
static double largest_of(const double *x, size_t count)
{
    double largest = 0;

    for (size_t i = 0; i < count; i++)
        largest = x[i] > largest && x[i] <= DBL_MAX ? x[i] : largest;
    return largest;
}

/*
 * The variance that a fast algorithm adds to each element: `sums` is that of a sum of squares of 1,
 * and `b` the squares of the second operand.
 */
static double fast_variance(const struct oracle_spread *spread, const struct oracle_rule *rule,
                            double sums, const double *b)
{
    const struct oracle_call *call = &spread->call;
    size_t count = value_elements(call->op->out);
    struct mix squares = {call->in[0], NULL, 1, NULL};
    double *a = make_mix(call->blocks, &squares, value_elements(call->op->in[0]));
    double *out = block_pool_take_zeroed(call->blocks, count, sizeof(*out));
    double largest;

    apply(spread, rule, a, b, out);
    largest = largest_of(out, count);
    block_pool_give(call->blocks, out);
    block_pool_give(call->blocks, a);
    return fast_share * sums * largest;
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

static struct addition addition_of(const struct oracle_spread *spread, struct bilinear bilinear)
{
    const struct shape *shape = &spread->call.op->out->shape;
    struct addition a = {.spread = spread,
                         .result = ROUNDING_VARIANCE * bilinear.terms / 2,
                         .terms = bilinear.terms,
                         .bias = spread->variance[2],
                         .inner = 1,
                         .biases = 1};

    if (!a.bias)
        return a;
    a.biases = value_elements(spread->call.op->in[2]);
    for (size_t i = bilinear.bias_axis + 1; i < shape->rank; i++)
        a.inner *= (size_t)shape->dims[i];
    return a;
}

void oracle_spread_bilinear(const struct oracle_spread *spread, const struct oracle_rule *rule,
                            struct bilinear bilinear)
{
    const struct oracle_call *call = &spread->call;
    struct block_pool *blocks = call->blocks;
    size_t a_count = value_elements(call->op->in[0]), b_count = value_elements(call->op->in[1]);
    double ratio = common_ratio(call->in[1], spread->variance[1], b_count);
    double sums = ROUNDING_VARIANCE * (bilinear.terms + 64) * bilinear.growth, own = sums + ratio;
    struct mix mix = {call->in[0], spread->variance[0], own, NULL};
    struct mix squares = {call->in[1], NULL, 1, NULL};
    double *a = make_mix(blocks, &mix, a_count);
    double *b = make_mix(blocks, &squares, b_count), *more = NULL;
    struct addition addition = addition_of(spread, bilinear);

    apply(spread, rule, a, b, spread->out);
    if (spread->variance[1] && ratio == 0) {
        mix.own = 1;
        parallel_for(a_count, 1 << 14, mix_elements, &mix);
        more = block_pool_take_zeroed(blocks, value_elements(call->op->out), sizeof(*more));
        apply(spread, rule, a, spread->variance[1], more);
    }
    if (spread->is_varied && bilinear.growth > 1)
        addition.fast = fast_variance(spread, rule, sums, b);
    addition.more = more;
    addition.own = own;
    parallel_for(value_elements(call->op->out), 1 << 14, add_terms, &addition);
    block_pool_give(blocks, a);
    block_pool_give(blocks, b);
    block_pool_give(blocks, more);
}
