#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/spread_sum.h"
#include "core/judge/oracle/walk.h"
#include "core/model/op/op_window.h"
#include "core/system/parallel.h"

/* The reduction of a window so far. */
struct tally {
    double total, most;
    int64_t count;
};

struct job {
    const struct oracle_call *call;
    struct window window;
    bool is_max, counts_padding;
    bool is_spread; /* the elements are variances */
};

static void take(struct tally *tally, double x)
{
    tally->total += x;
    tally->most = isnan(x) || x > tally->most ? x : tally->most;
    tally->count++;
}

/* Take the elements of one line of a window, at places of the last axis. */
static void take_line(const struct job *job, const double *line, int64_t out, struct tally *tally)
{
    const struct window_axis *axis = &job->window.axes[2];

    for (int64_t k = 0; k < axis->kernel; k++) {
        int64_t at = window_tap(job->window.kind, axis, out, k);

        if (at >= 0)
            take(tally, line[at]);
    }
}

/* Take a whole window. `x` is a channel of a sample, `place` a place of the result in it. */
static struct tally take_window(const struct job *job, const double *x, const int64_t *place)
{
    const struct window_axis *axes = job->window.axes;
    struct tally tally = {.most = (double)-INFINITY};

    for (int64_t k = 0; k < axes[0].kernel * axes[1].kernel; k++) {
        int64_t z = window_tap(job->window.kind, &axes[0], place[0], k / axes[1].kernel);
        int64_t y = window_tap(job->window.kind, &axes[1], place[1], k % axes[1].kernel);

        if (z >= 0 && y >= 0)
            take_line(job, x + (z * axes[1].in + y) * axes[2].in, place[2], &tally);
    }
    return tally;
}

/* Number of places of a window that are in the tensor or in its padding. */
static int64_t count_padded(const struct window *window, const int64_t *place)
{
    int64_t count = 1;

    for (size_t i = 0; i < WINDOW_AXES; i++) {
        const struct window_axis *axis = &window->axes[i];
        int64_t left = axis->in + 2 * axis->padding - place[i] * axis->stride;

        count *= left < axis->kernel ? left : axis->kernel;
    }
    return count;
}

static void pool(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct window_axis *axes = job->window.axes;
    struct walk walk = {
        .shape = {WINDOW_AXES + 1, {(int64_t)last, axes[0].out, axes[1].out, axes[2].out}}};
    size_t in = (size_t)(axes[0].in * axes[1].in * axes[2].in);

    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++, walk_step(&walk)) {
        const int64_t *place = &walk.index[1];
        struct tally tally = take_window(job, job->call->in[0] + (size_t)walk.index[0] * in, place);

        if (job->counts_padding)
            tally.count = count_padded(&job->window, place);
        job->call->out[i] = job->is_max ? tally.most : tally.total / (double)tally.count;
        if (job->is_spread && !job->is_max)
            job->call->out[i] /= (double)tally.count;
    }
}

static void pool_all(const struct oracle_call *call, bool is_max, bool is_spread)
{
    const struct attribute *padding = op_attribute(call->op, "count_include_pad");
    struct job job = {.call = call,
                      .window = window_of(call->op),
                      .is_max = is_max,
                      .is_spread = is_spread,
                      .counts_padding = padding && padding->integers[0]};
    const struct window_axis *axes = job.window.axes;
    size_t taps = (size_t)(axes[0].kernel * axes[1].kernel * axes[2].kernel);

    parallel_for((size_t)shape_elements(&call->op->out->shape), 1 + (1 << 12) / taps, pool, &job);
}

static void evaluate_max(const struct oracle_call *call, const struct oracle_rule *rule)
{
    (void)rule;
    pool_all(call, true, false);
}

static void evaluate_avg(const struct oracle_call *call, const struct oracle_rule *rule)
{
    (void)rule;
    pool_all(call, false, false);
}

/* The variance of the largest element is at most the largest variance in the window. */
static void spread_max(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    struct oracle_call call = {.op = spread->call.op, .in = {spread->variance[0]}};

    (void)rule;
    call.out = spread->out;
    if (call.in[0])
        pool_all(&call, true, true);
}

/* Add the variance that means inherit from elements that share their errors (spread_reduction.c).
 */
static void add_shared(const struct oracle_spread *spread, double *deviations)
{
    size_t out = (size_t)shape_elements(&spread->call.op->out->shape);
    double *means = block_pool_take(spread->call.blocks, out, sizeof(*means));
    const struct oracle_call call = {
        .op = spread->call.op, .in = {deviations}, .out = means, .blocks = spread->call.blocks};
    size_t in = (size_t)shape_elements(&spread->call.op->in[0]->shape);

    for (size_t i = 0; i < in; i++)
        deviations[i] = sqrt(spread->variance[0][i]);
    pool_all(&call, false, false);
    for (size_t i = 0; i < out; i++)
        spread->out[i] += means[i] * means[i];
    block_pool_give(spread->call.blocks, means);
}

/*
 * Partial sums are at most sqrt(taps * sum of x^2), and grow toward the result if all elements have
 * one sign, as in spread_bilinear.c.
 */
static void spread_avg(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    const struct window window = window_of(spread->call.op);
    size_t in = (size_t)shape_elements(&spread->call.op->in[0]->shape);
    double *mixed = block_pool_take(spread->call.blocks, in, sizeof(*mixed)), taps = 1;
    struct oracle_call call = {.op = spread->call.op, .in = {mixed}};
    const double *x = spread->call.in[0], *variance = spread->variance[0];

    (void)rule;
    for (size_t i = 0; i < WINDOW_AXES; i++)
        taps *= (double)window.axes[i].kernel;
    for (size_t i = 0; i < in; i++)
        mixed[i] = ROUNDING_UNIT * ROUNDING_UNIT * (taps + 4) * x[i] * x[i] +
                   (variance && spread->is_mixed ? variance[i] : 0);
    call.out = spread->out;
    pool_all(&call, false, true);
    for (size_t i = 0; i < (size_t)shape_elements(&spread->call.op->out->shape); i++) {
        double y = spread->call.out[i];

        spread->out[i] +=
            spread_sum_bias(y, spread->out[i] / (ROUNDING_UNIT * ROUNDING_UNIT * (taps + 4)),
                            taps) +
            ROUNDING_VARIANCE * taps / 2 * y * y;
    }
    if (variance && !spread->is_mixed)
        add_shared(spread, mixed);
    block_pool_give(spread->call.blocks, mixed);
}

const struct oracle_rule oracle_pooling[] = {
    {"max_pool1d", .evaluate = evaluate_max, .spread = spread_max, .keeps_elements = true},
    {"max_pool2d", .evaluate = evaluate_max, .spread = spread_max, .keeps_elements = true},
    {"max_pool3d", .evaluate = evaluate_max, .spread = spread_max, .keeps_elements = true},
    {"avg_pool1d", .evaluate = evaluate_avg, .spread = spread_avg},
    {"avg_pool2d", .evaluate = evaluate_avg, .spread = spread_avg},
    {"avg_pool3d", .evaluate = evaluate_avg, .spread = spread_avg},
    {"adaptive_max_pool1d", .evaluate = evaluate_max, .spread = spread_max, .keeps_elements = true},
    {"adaptive_max_pool2d", .evaluate = evaluate_max, .spread = spread_max, .keeps_elements = true},
    {"adaptive_max_pool3d", .evaluate = evaluate_max, .spread = spread_max, .keeps_elements = true},
    {"adaptive_avg_pool1d", .evaluate = evaluate_avg, .spread = spread_avg},
    {"adaptive_avg_pool2d", .evaluate = evaluate_avg, .spread = spread_avg},
    {"adaptive_avg_pool3d", .evaluate = evaluate_avg, .spread = spread_avg},
    {0},
};
