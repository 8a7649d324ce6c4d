#include <math.h>

#include "core/judge/host_library/host_library_family.h"
#include "core/model/op/op_channelwise.h"
#include "core/system/parallel.h"

struct job {
    const struct host_library_step *step;
    struct channel_norm norm;
    double eps;
};

/* Mean and variance of a dense piece. */
struct statistics {
    double mean, variance;
};

static struct statistics find_statistics(const struct job *job, const float *x, size_t channel)
{
    const struct host_library_step *step = job->step;
    size_t n = (size_t)(job->norm.channels / job->norm.groups * job->norm.space);
    double mean;

    if (job->norm.has_statistics)
        return (struct statistics){(double)step->in[1][channel], (double)step->in[2][channel]};
    mean = host_library_sum(x, n) / (double)n;
    return (struct statistics){mean, host_library_sum_squares(x, n, mean) / (double)n};
}

static struct host_library_scale scale_of(const struct job *job, struct statistics s,
                                          size_t channel)
{
    const struct host_library_step *step = job->step;
    double weight = job->norm.weight ? (double)step->in[job->norm.weight][channel] : 1;
    float bias = job->norm.bias ? step->in[job->norm.bias][channel] : 0;

    return (struct host_library_scale){(float)s.mean, (float)(weight / sqrt(s.variance + job->eps)),
                                       bias};
}

/* Normalize groups [first, last); each is a group of channels of one sample. */
static void normalize_groups(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    size_t together = (size_t)(job->norm.channels / job->norm.groups);
    size_t space = (size_t)job->norm.space;

    for (size_t g = first; g < last; g++) {
        const float *x = job->step->in[0] + g * together * space;
        float *y = job->step->out + g * together * space;
        size_t channel = g % (size_t)job->norm.groups * together;
        struct statistics s = find_statistics(job, x, channel);

        for (size_t c = 0; c < together; c++)
            host_library_rescale(x + c * space, space, scale_of(job, s, channel + c),
                                 y + c * space);
    }
}

static void run(struct host_library_step *step)
{
    struct job job = {step, channel_norm_of(&step->op), op_attribute(&step->op, "eps")->number};
    size_t pieces = (size_t)(job.norm.samples * job.norm.groups);
    size_t elements = (size_t)shape_elements(&step->op.out->shape);

    parallel_for(pieces, 1 + (1 << 15) * pieces / elements, normalize_groups, &job);
}

const struct host_library_rule host_library_channelwise[] = {
    {"batch_norm", .run = run},
    {"group_norm", .run = run},
    {"instance_norm", .run = run},
    {0},
};
