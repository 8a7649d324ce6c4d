#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/judge/oracle/oracle_gemm.h"
#include "core/judge/oracle/products/spread_alike.h"
#include "core/model/op/op_convolution.h"
#include "core/system/parallel.h"

/*
 * A convolution is computed as products of matrices: the weight of a group, [out channels, taps],
 * times the columns, [taps, places]. A tap is an input channel and a place of the window; a column
 * has the operand's elements at all taps for one place of the result. Only as many columns exist at
 * a time as fit in MAX_COLUMNS_ELEMENTS.
 */
enum { MAX_COLUMNS_ELEMENTS = 1 << 20 };

struct job {
    struct convolution c;
    size_t taps, in, out;      /* number of taps of a group; number of places of a channel, in the
                                  operand and in the result */
    size_t first, count, room; /* the current places of the result, and how many fit */
    const double *x;           /* channels of the group in the current sample */
    double *columns;
};

/* The line of the operand that a tap reads for a line of the result; NULL for padding. */
static const double *find_line(const struct job *job, size_t tap, size_t line)
{
    const struct window_axis *axes = job->c.window.axes;
    int64_t lines = (int64_t)tap / axes[2].kernel, place = (int64_t)line;
    int64_t z = window_tap(job->c.window.kind, &axes[0], place / axes[1].out,
                           lines / axes[1].kernel % axes[0].kernel);
    int64_t y =
        window_tap(job->c.window.kind, &axes[1], place % axes[1].out, lines % axes[1].kernel);
    int64_t channel = lines / (axes[1].kernel * axes[0].kernel);

    if (z < 0 || y < 0)
        return NULL;
    return job->x + ((channel * axes[0].in + z) * axes[1].in + y) * axes[2].in;
}

/* Copy the elements that a tap reads for `count` places of the result, which are on one line. */
static void take_places(const struct job *job, size_t tap, size_t place, double *to, size_t count)
{
    const struct window_axis *axis = &job->c.window.axes[2];
    const double *line = find_line(job, tap, place / (size_t)axis->out);
    int64_t first = (int64_t)place % axis->out, k = (int64_t)tap % axis->kernel;

    for (size_t i = 0; i < count; i++) {
        int64_t at = window_tap(job->c.window.kind, axis, first + (int64_t)i, k);

        to[i] = line && at >= 0 ? line[at] : 0;
    }
}

/* Fill rows [first, last) of the columns; each row belongs to one tap. */
static void fill_columns(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    size_t width = (size_t)job->c.window.axes[2].out;

    for (size_t tap = first; tap < last; tap++) {
        double *to = job->columns + tap * job->count;

        for (size_t i = 0; i < job->count;) {
            size_t place = job->first + i, left = width - place % width;
            size_t part = left < job->count - i ? left : job->count - i;

            take_places(job, tap, place, to + i, part);
            i += part;
        }
    }
}

/* Add the convolution of one group to its channels of one sample. */
static void convolve(struct job *job, const double *weight, double *out)
{
    size_t channels = (size_t)job->c.out_channels;

    for (job->first = 0; job->first < job->out; job->first += job->count) {
        size_t left = job->out - job->first;

        job->count = left < job->room ? left : job->room;
        parallel_for(job->taps, 1 + (1 << 14) / job->count, fill_columns, job);
        oracle_gemm(&(struct oracle_gemm){.m = channels,
                                          .n = job->count,
                                          .k = job->taps,
                                          .scale = 1,
                                          .keep = 1,
                                          .a = weight,
                                          .b = job->columns,
                                          .c = out + job->first,
                                          .a_row = job->taps,
                                          .b_row = job->count,
                                          .c_row = job->out});
    }
}

/*
 * Turn the weight of a transposed convolution, [in, out, ...], into that of a convolution, group by
 * group.
 */
static double *turn_weight(const struct convolution *c, const struct oracle_call *call,
                           size_t window)
{
    size_t in = (size_t)c->in_channels, out = (size_t)c->out_channels;
    size_t count = (size_t)c->groups * out * in * window;
    double *turned = block_pool_take(call->blocks, count, sizeof(*turned));

    for (size_t i = 0; i < count; i++) {
        size_t k = i % window, from = i / window % in, to = i / window / in;

        turned[i] = call->in[1][((to / out * in + from) * out + to % out) * window + k];
    }
    return turned;
}

static void set_bias(const struct job *job, const double *bias, double *out)
{
    size_t channels = (size_t)(job->c.out_channels * job->c.groups);

    for (size_t i = 0; bias && i < (size_t)job->c.batch * channels * job->out; i++)
        out[i] = bias[i / job->out % channels];
}

static struct job make_job(const struct oracle_call *call)
{
    struct job job = {.c = convolution_of(call->op), .in = 1, .out = 1};

    job.taps = (size_t)job.c.in_channels;
    for (size_t i = 0; i < WINDOW_AXES; i++) {
        job.taps *= (size_t)job.c.window.axes[i].kernel;
        job.in *= (size_t)job.c.window.axes[i].in;
        job.out *= (size_t)job.c.window.axes[i].out;
    }
    job.room = job.taps < MAX_COLUMNS_ELEMENTS ? MAX_COLUMNS_ELEMENTS / job.taps : 1;
    job.room = job.room < job.out ? job.room : job.out;
    job.columns = block_pool_take(call->blocks, job.room * job.taps, sizeof(*job.columns));
    return job;
}

static void evaluate(const struct oracle_call *call, const struct oracle_rule *rule)
{
    struct job job = make_job(call);
    size_t in = (size_t)job.c.in_channels * job.in, out = (size_t)job.c.out_channels * job.out;
    size_t weight_size = (size_t)job.c.out_channels * job.taps, groups = (size_t)job.c.groups;
    double *turned = NULL;

    (void)rule;
    if (job.c.window.kind == WINDOW_TRANSPOSED)
        turned = turn_weight(&job.c, call, job.taps / (size_t)job.c.in_channels);
    set_bias(&job, job.c.bias ? call->in[2] : NULL, call->out);
    for (size_t i = 0; i < (size_t)job.c.batch * groups; i++) {
        const double *weight = turned ? turned : call->in[1];

        job.x = call->in[0] + i * in;
        convolve(&job, weight + i % groups * weight_size, call->out + i * out);
    }
    block_pool_give(call->blocks, turned);
    block_pool_give(call->blocks, job.columns);
}

/* The growth by Winograd's algorithm; 1 for windows with steps. */
static double winograd_growth(const struct window *window)
{
    double growth = 1;

    for (size_t i = 0; i < WINDOW_AXES; i++) {
        const struct window_axis *axis = &window->axes[i];

        if (axis->stride != 1 || axis->dilation != 1)
            return 1;
        if (axis->kernel > 1 && growth < 144)
            growth *= 12;
    }
    return growth;
}

double oracle_convolution_growth(const struct convolution *convolution)
{
    int64_t places = convolution->batch, taps = convolution->in_channels;

    for (size_t i = 0; i < WINDOW_AXES; i++) {
        places *= convolution->window.axes[i].out;
        taps *= convolution->window.axes[i].kernel;
    }
    return fmax(winograd_growth(&convolution->window),
                oracle_product_growth(places, convolution->out_channels, taps));
}

double oracle_convolution_flops(const struct op_call *call)
{
    struct convolution c = convolution_of(call);
    double flops = 2 * (double)c.batch * (double)(c.groups * c.out_channels * c.in_channels);

    for (size_t i = 0; i < WINDOW_AXES; i++)
        flops *= (double)(c.window.axes[i].kernel * c.window.axes[i].out);
    return flops;
}

static void spread(const struct oracle_spread *spread, const struct oracle_rule *rule)
{
    struct convolution c = convolution_of(spread->call.op);
    double taps = (double)c.in_channels;

    for (size_t i = 0; i < WINDOW_AXES; i++)
        taps *= (double)c.window.axes[i].kernel;
    oracle_spread_bilinear(spread, rule, (struct bilinear){taps, 1, oracle_convolution_growth(&c)});
    spread_alike_convolution(spread);
}

const struct oracle_rule oracle_convolution[] = {
    {"conv1d", .evaluate = evaluate, .spread = spread},
    {"conv2d", .evaluate = evaluate, .spread = spread},
    {"conv3d", .evaluate = evaluate, .spread = spread},
    {"conv_transpose1d", .evaluate = evaluate, .spread = spread},
    {"conv_transpose2d", .evaluate = evaluate, .spread = spread},
    {"conv_transpose3d", .evaluate = evaluate, .spread = spread},
    {0},
};
