#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/rounding/second_evaluation.h"
#include "core/judge/oracle/rounding/spread_sum.h"
#include "core/model/op/op_channelwise.h"
#include "core/system/parallel.h"

struct job {
    const struct oracle_call *call;
    struct channel_norm norm;
    double eps;
};

/* The mean of a dense piece, and the factor that makes its variance 1. */
struct statistics {
    double mean, scale;
};

static struct statistics compute_statistics(const double *x, int64_t n, double eps)
{
    double total = 0, squares = 0;

    for (int64_t i = 0; i < n; i++)
        total += x[i];

    double mean = total / (double)n;

    for (int64_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return (struct statistics){mean, 1 / sqrt(squares / (double)n + eps)};
}

static void normalize_channel(const struct job *job, size_t channel, struct statistics s,
                              const double *x, double *y)
{
    const struct oracle_call *call = job->call;
    double weight = job->norm.weight ? call->in[job->norm.weight][channel] : 1;
    double bias = job->norm.bias ? call->in[job->norm.bias][channel] : 0;

    for (int64_t i = 0; i < job->norm.space; i++)
        y[i] = (x[i] - s.mean) * s.scale * weight + bias;
}

/* The statistics of group `g`, whose elements begin at x. */
static struct statistics statistics_of(const struct job *job, size_t g, const double *x)
{
    const struct oracle_call *call = job->call;
    int64_t n = job->norm.channels / job->norm.groups * job->norm.space;
    struct oracle_line line = {.x = x, .n = (size_t)n, .attributes = op_attribute(call->op, "eps")};
    struct statistics s;

    if (job->norm.has_statistics) {
        size_t channel = g % (size_t)job->norm.groups;

        return (struct statistics){call->in[1][channel], 1 / sqrt(call->in[2][channel] + job->eps)};
    }
    s = compute_statistics(x, n, job->eps);
    line.moves = call->moves ? shared_error_sign(g) : 0;
    if (call->moves)
        shared_error_move_norm(&line, true, &s.mean, &s.scale);
    return s;
}

/* Normalize groups [first, last); each is a group of channels of one sample. */
static void normalize_groups(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct oracle_call *call = job->call;
    size_t together = (size_t)(job->norm.channels / job->norm.groups);
    size_t space = (size_t)job->norm.space;

    for (size_t g = first; g < last; g++) {
        const double *x = call->in[0] + g * together * space;
        double *y = call->out + g * together * space;
        size_t channel = g % (size_t)job->norm.groups * together;
        struct statistics s = statistics_of(job, g, x);

        for (size_t c = 0; c < together; c++)
            normalize_channel(job, channel + c, s, x + c * space, y + c * space);
    }
}

/*
 * Ioffe and Szegedy, "Batch Normalization", 2015; Ulyanov et al., "Instance
 * Normalization", 2016; Wu and He, "Group Normalization", 2018.
 */
static void evaluate(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct job job = {call, channel_norm_of(call->op), op_attribute(call->op, "eps")->number};
    size_t pieces = (size_t)(job.norm.samples * job.norm.groups);
    size_t elements = (size_t)shape_elements(&call->op->out->shape);

    (void)rule;
    parallel_for(pieces, 1 + (1 << 12) * pieces / elements, normalize_groups, &job);
}

struct spread_job {
    const struct oracle_spread *spread;
    struct channel_norm norm;
    double eps;
    const double *variance; /* variances of the first operand */
};

/*
 * The variance of operand `k` for a channel; `k` 0 stands for a missing operand, whose variance is
 * 0.
 */
static double variance_at(const struct spread_job *job, size_t k, size_t channel)
{
    const double *variance = job->spread->variance[k];

    return k > 0 && variance ? variance[channel] : 0;
}

static struct spread_moments given_moments(const struct spread_job *job, size_t channel)
{
    return (struct spread_moments){
        .mean = job->spread->call.in[1][channel],
        .mean_variance = variance_at(job, 1, channel),
        .square = job->spread->call.in[2][channel],
        .square_variance = variance_at(job, 2, channel),
    };
}

/* As for layer_norm (spread_rowwise.c), with one weight and bias. */
static void spread_channel(const struct spread_job *job, size_t channel, size_t first,
                           const struct spread_moments *m)
{
    const double *x = job->spread->call.in[0];
    struct spread_scale s = spread_scale_of(m->square, m->square_variance, job->eps);
    double weight = job->norm.weight ? job->spread->call.in[job->norm.weight][channel] : 1;
    double widest = s.scale + ROUNDING_DEVIATIONS * s.deviation;
    double mean_variance = m->mean_variance + ROUNDING_VARIANCE * m->mean * m->mean;
    int64_t together = job->norm.channels / job->norm.groups * job->norm.space;

    for (size_t i = first; i < first + (size_t)job->norm.space; i++) {
        double centred = x[i] - m->mean;
        double off = job->variance[i] + mean_variance + ROUNDING_VARIANCE * x[i] * x[i];

        off = off * widest * widest + centred * centred * s.deviation * s.deviation;
        if (!job->norm.has_statistics)
            off = fmin(off, spread_norm_most(centred * s.scale, (double)together));
        job->spread->out[i] =
            weight * weight * off + variance_at(job, job->norm.bias, channel) +
            variance_at(job, job->norm.weight, channel) * centred * centred * s.scale * s.scale;
    }
}

static void spread_groups(void *data, size_t first, size_t last)
{
    const struct spread_job *job = data;
    size_t together = (size_t)(job->norm.channels / job->norm.groups);
    size_t space = (size_t)job->norm.space;

    for (size_t g = first; g < last; g++) {
        size_t at = g * together * space, channel = g % (size_t)job->norm.groups * together;
        struct spread_moments m =
            job->norm.has_statistics
                ? given_moments(job, channel)
                : spread_moments_of(job->spread->call.in[0] + at, job->variance + at,
                                    together * space, true);

        for (size_t c = 0; c < together; c++)
            spread_channel(job, channel + c, at + c * space, &m);
    }
}

static void spread(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    const struct op_call *op = spread->call.op;
    size_t elements = (size_t)shape_elements(&op->out->shape);
    struct block_pool *blocks = spread->call.blocks;
    double *zeros =
        spread->variance[0] ? NULL : block_pool_take_zeroed(blocks, elements, sizeof(*zeros));
    struct spread_job job = {spread, channel_norm_of(op), op_attribute(op, "eps")->number,
                             zeros ? zeros : spread->variance[0]};
    size_t pieces = (size_t)(job.norm.samples * job.norm.groups);

    (void)rule;
    parallel_for(pieces, 1 + (1 << 12) * pieces / elements, spread_groups, &job);
    block_pool_give(blocks, zeros);
}

const struct oracle_rule oracle_channelwise[] = {
    {"batch_norm", .evaluate = evaluate, .spread = spread},
    {"group_norm", .evaluate = evaluate, .spread = spread},
    {"instance_norm", .evaluate = evaluate, .spread = spread},
    {0},
};
