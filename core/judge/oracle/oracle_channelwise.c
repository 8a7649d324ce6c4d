#include <math.h>

#include "core/judge/oracle/oracle_family.h"
#include "core/model/op/op_channelwise.h"
#include "core/system/parallel.h"

struct job {
    const struct oracle_call *call;
    struct channel_norm norm;
    double eps;
};

/* Mean and variance of a dense piece. */
struct statistics {
    double mean, variance;
};

static struct statistics compute_statistics(const double *x, int64_t n)
{
    double total = 0, squares = 0;

    for (int64_t i = 0; i < n; i++)
        total += x[i];

    double mean = total / (double)n;

    for (int64_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return (struct statistics){mean, squares / (double)n};
}

static void normalize_channel(const struct job *job, size_t channel, struct statistics s,
                              const double *x, double *y)
{
    const struct oracle_call *call = job->call;
    double weight = job->norm.weight ? call->in[job->norm.weight][channel] : 1;
    double bias = job->norm.bias ? call->in[job->norm.bias][channel] : 0;
    double scale = 1 / sqrt(s.variance + job->eps);

    for (int64_t i = 0; i < job->norm.space; i++)
        y[i] = (x[i] - s.mean) * scale * weight + bias;
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
        struct statistics s = job->norm.has_statistics
                                  ? (struct statistics){call->in[1][channel], call->in[2][channel]}
                                  : compute_statistics(x, (int64_t)(together * space));

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

const struct oracle_rule oracle_channelwise[] = {
    {"batch_norm", .evaluate = evaluate},
    {"group_norm", .evaluate = evaluate},
    {"instance_norm", .evaluate = evaluate},
    {0},
};
