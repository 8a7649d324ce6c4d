#include <cblas.h>
#include <math.h>
#include <string.h>

#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/oracle_gemm.h"
#include "core/judge/oracle/recurrence/recurrent_cell.h"
#include "core/model/op/op_recurrence.h"
#include "core/system/parallel.h"

/*
 * Recurrent layers step by step (op_recurrence.h), and the variances of their rounding errors. The
 * errors of a state reach all later ones, so they are not independent: beside the variances an
 * implementation that rounds each state is computed, as for class mixed (rounding_fit).
 */

enum { MOST_GATES = 4, MOST_STATES = 2 };

/* A pass over all steps. */
struct pass {
    const struct oracle_call *call;
    struct recurrence r;
    size_t state; /* elements of a state: batch * width */
    double *out;  /* the result */
    double *z;    /* hidden weight^T of a step */
    size_t step;  /* the current step, from 0 in the order of computation */
    const double *weight;
    const struct rounding *rounds;      /* round each state; NULL: values are exact */
    const struct oracle_spread *spread; /* compute variances of the exact result; or NULL */
    double *squares, *z_variance;       /* only for variances */
    double *weight_squares, *weight_variance;
};

/* The place of the states after step `step`. */
static size_t place_of(const struct pass *p, size_t step)
{
    size_t steps = (size_t)p->r.steps;

    return (p->r.is_reversed ? steps - 1 - step : step) * p->state;
}

/* State s before the current step. */
static const double *state_before(const struct pass *p, size_t s)
{
    size_t all = (size_t)p->r.steps * p->state;

    if (p->step == 0)
        return p->call->in[2 + s];
    return p->out + s * all + place_of(p, p->step - 1);
}

/* The variance of element i of state s before the current step. */
static double variance_before(const struct pass *p, size_t s, size_t i)
{
    size_t all = (size_t)p->r.steps * p->state;
    const double *given = p->spread->variance[2 + s];

    if (p->step > 0)
        return p->spread->out[s * all + place_of(p, p->step - 1) + i];
    return given ? given[i] : 0;
}

/* Compute elements [first, last) of the current step's states. */
static void compute_elements(void *data, size_t first, size_t last)
{
    const struct pass *p = data;
    size_t width = (size_t)p->r.width, row = p->r.gates * width;
    size_t at = place_of(p, p->step), all = (size_t)p->r.steps * p->state;
    const double *x = p->call->in[0] + at * p->r.gates;

    for (size_t i = first; i < last; i++) {
        size_t begin = i / width * row + i % width;
        double mine[MOST_GATES], products[MOST_GATES], state[MOST_STATES];

        for (size_t g = 0; g < p->r.gates; g++) {
            mine[g] = x[begin + g * width];
            products[g] = p->z[begin + g * width];
        }
        for (size_t s = 0; s < p->r.states; s++)
            state[s] = state_before(p, s)[i];
        recurrent_cell_compute(p->r.cell, mine, products, state);
        for (size_t s = 0; s < p->r.states; s++)
            p->out[s * all + at + i] = state[s];
    }
}

/* Compute the variances of elements [first, last) of the current step's states. */
static void spread_elements(void *data, size_t first, size_t last)
{
    const struct pass *p = data;
    size_t width = (size_t)p->r.width, row = p->r.gates * width;
    size_t at = place_of(p, p->step), all = (size_t)p->r.steps * p->state;
    const double *x = p->call->in[0] + at * p->r.gates, *inherited = p->spread->variance[0];

    for (size_t i = first; i < last; i++) {
        size_t begin = i / width * row + i % width;
        struct inexact mine[MOST_GATES], products[MOST_GATES], state[MOST_STATES];

        for (size_t g = 0; g < p->r.gates; g++) {
            size_t place = begin + g * width;

            mine[g] =
                (struct inexact){x[place], inherited ? inherited[at * p->r.gates + place] : 0};
            products[g] = (struct inexact){p->z[place], p->z_variance[place]};
        }
        for (size_t s = 0; s < p->r.states; s++)
            state[s] = (struct inexact){state_before(p, s)[i], variance_before(p, s, i)};
        recurrent_cell_spread(p->r.cell, mine, products, state);
        for (size_t s = 0; s < p->r.states; s++)
            p->spread->out[s * all + at + i] = state[s].variance;
    }
}

/* to = a b^T + beta to, for the matrices of a step. */
static void multiply_step(const struct pass *p, const double *a, const double *b, double beta,
                          double *to)
{
    size_t width = (size_t)p->r.width, row = (size_t)p->r.gates * width;

    oracle_gemm(&(struct oracle_gemm){.m = (size_t)p->r.batch,
                                      .n = row,
                                      .k = width,
                                      .scale = 1,
                                      .keep = beta,
                                      .a = a,
                                      .b = b,
                                      .c = to,
                                      .a_row = width,
                                      .b_row = width,
                                      .c_row = row,
                                      .b_transposed = true});
}

static void add_bias(const struct pass *p, const double *bias, double *to)
{
    blasint row = (blasint)p->r.gates * (blasint)p->r.width;

    for (int64_t i = 0; bias && i < p->r.batch; i++)
        cblas_daxpy(row, 1, bias, 1, to + i * row, 1);
}

/* The variances of hidden weight^T + bias, as those of other products (spread_bilinear.c). */
static void spread_products(const struct pass *p)
{
    const double *hidden = state_before(p, 0);
    double terms = (double)p->r.width, own = ROUNDING_VARIANCE * (terms + 64);
    size_t row = p->r.gates * p->state;

    for (size_t i = 0; i < p->state; i++)
        p->squares[i] = hidden[i] * hidden[i];
    multiply_step(p, p->squares, p->weight_variance, 0, p->z_variance);
    for (size_t i = 0; i < p->state; i++)
        p->squares[i] = own * p->squares[i] + variance_before(p, 0, i);
    multiply_step(p, p->squares, p->weight_squares, 1, p->z_variance);
    for (size_t i = 0; i < row; i++)
        p->z_variance[i] += ROUNDING_VARIANCE * terms / 2 * p->z[i] * p->z[i];
    add_bias(p, p->r.bias ? p->spread->variance[p->r.bias] : NULL, p->z_variance);
}

/* Store the states of the current step as an implementation of the class may do. */
static void store_states(const struct pass *p)
{
    size_t at = place_of(p, p->step), all = (size_t)p->r.steps * p->state;
    enum dtype dtype = p->call->op->out->dtype;

    for (size_t s = 0; s < p->r.states; s++) {
        if (p->rounds)
            rounding_apply(p->rounds, dtype, p->out + s * all + at, p->state);
        if (p->spread)
            rounding_add(&(struct rounding){.is_mixed = p->spread->is_mixed}, dtype,
                         p->out + s * all + at, p->state, p->spread->out + s * all + at);
    }
}

/* Compute all steps; with a spread their variances, of the result that is there. */
static void follow(struct pass *p)
{
    size_t grain = 1 << 12, row = p->r.gates * p->state;

    for (p->step = 0; p->step < (size_t)p->r.steps; p->step++) {
        multiply_step(p, state_before(p, 0), p->weight, 0, p->z);
        add_bias(p, p->r.bias ? p->call->in[p->r.bias] : NULL, p->z);
        if (p->rounds)
            rounding_apply(&(struct rounding){0}, DTYPE_F32, p->z, row);
        if (p->spread) {
            spread_products(p);
            parallel_for(p->state, grain, spread_elements, p);
        } else {
            parallel_for(p->state, grain, compute_elements, p);
        }
        store_states(p);
    }
}

/* A pass without a place for its result. */
static struct pass pass_of(const struct oracle_call *call)
{
    struct pass p = {.call = call, .r = recurrence_of(call->op)};

    p.state = (size_t)(p.r.batch * p.r.width);
    p.weight = call->in[1];
    p.z = block_pool_take(call->blocks, p.r.gates * p.state, sizeof(*p.z));
    return p;
}

static void evaluate(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct pass p = pass_of(call);

    (void)rule;
    p.out = call->out;
    follow(&p);
    block_pool_give(call->blocks, p.z);
}

/* Compute an implementation that rounds, and increase the variances if its errors are larger. */
static void widen(const struct oracle_spread *spread)
{
    const struct oracle_call *call = &spread->call;
    const struct rounding rounds = {.is_mixed = spread->is_mixed};
    size_t count = (size_t)shape_elements(&call->op->out->shape);
    size_t weights = (size_t)shape_elements(&call->op->in[1]->shape);
    double *rounded = block_pool_take(call->blocks, count, sizeof(*rounded));
    double *weight = block_pool_take(call->blocks, weights, sizeof(*weight));
    struct pass p = pass_of(call);

    p.out = rounded;
    memcpy(weight, call->in[1], weights * sizeof(*weight));
    rounding_apply(&rounds, call->op->in[1]->dtype, weight, weights);
    p.weight = weight;
    p.rounds = &rounds;
    follow(&p);
    rounding_fit(call->out, rounded, count, (double)INFINITY, spread->out);
    block_pool_give(call->blocks, p.z);
    block_pool_give(call->blocks, weight);
    block_pool_give(call->blocks, rounded);
}

static void spread(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    struct pass p = pass_of(&spread->call);
    struct block_pool *blocks = spread->call.blocks;
    size_t weights = (size_t)shape_elements(&spread->call.op->in[1]->shape);
    size_t row = p.r.gates * p.state;
    double *room = block_pool_take_zeroed(blocks, row + p.state + 2 * weights, sizeof(*room));

    (void)rule;
    p.out = spread->call.out;
    p.spread = spread;
    p.z_variance = room;
    p.squares = room + row;
    p.weight_squares = p.squares + p.state;
    p.weight_variance = p.weight_squares + weights;
    for (size_t i = 0; i < weights; i++) {
        p.weight_squares[i] = p.weight[i] * p.weight[i];
        p.weight_variance[i] = spread->variance[1] ? spread->variance[1][i] : 0;
    }
    follow(&p);
    widen(spread);
    block_pool_give(blocks, room);
    block_pool_give(blocks, p.z);
}

const struct oracle_rule oracle_recurrence[] = {
    {"rnn", .evaluate = evaluate, .spread = spread},
    {"gru", .evaluate = evaluate, .spread = spread},
    {"lstm", .evaluate = evaluate, .spread = spread},
    {0},
};
