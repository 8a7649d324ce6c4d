#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/host_library/host_library_family.h"
#include "core/model/op/op_window.h"
#include "core/system/parallel.h"

/*
 * The lines of the operand that the windows of a line of the result read are first reduced to one
 * line. The windows then lie along that line only.
 */
struct job {
    const struct host_library_step *step;
    struct window window;
    bool is_max, counts_padding;
    float nothing; /* the neutral element */

    /* for windows along a line: */
    int32_t *taps; /* [kernel, out]: places; for padding, the place behind the line, which holds the
                      neutral element */
    float *counts; /* [out]: divisors of the mean */
};

static int64_t count_places(const struct job *job, size_t i, int64_t place)
{
    const struct window_axis *axis = &job->window.axes[i];
    int64_t left = axis->in + 2 * axis->padding - place * axis->stride, count = 0;

    if (job->counts_padding)
        return left < axis->kernel ? left : axis->kernel;
    for (int64_t k = 0; k < axis->kernel; k++)
        count += window_tap(job->window.kind, axis, place, k) >= 0;
    return count;
}

static void list_taps(struct job *job)
{
    const struct window_axis *axis = &job->window.axes[2];

    job->taps = mem_alloc_zeroed((size_t)(axis->kernel * axis->out), sizeof(*job->taps));
    job->counts = mem_alloc_zeroed((size_t)axis->out, sizeof(*job->counts));
    for (int64_t i = 0; i < axis->kernel * axis->out; i++) {
        int64_t at = window_tap(job->window.kind, axis, i % axis->out, i / axis->out);

        job->taps[i] = (int32_t)(at < 0 ? axis->in : at);
    }
    for (int64_t i = 0; i < axis->out; i++)
        job->counts[i] = (float)count_places(job, 2, i);
}

/* NaN is kept. */
WIDE static void take_largest(const float *x, size_t n, float *most)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        most[i] = ((x[i] > most[i]) | (x[i] != x[i])) ? x[i] : most[i];
}

WIDE static void take_sum(const float *x, size_t n, float *total)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        total[i] += x[i];
}

static void take(const struct job *job, const float *x, size_t n, float *y)
{
    if (job->is_max)
        take_largest(x, n, y);
    else
        take_sum(x, n, y);
}

WIDE static void gather(const float *line, const int32_t *taps, size_t n, float *seen)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        seen[i] = line[taps[i]];
}

WIDE static void divide(const float *counts, size_t n, float factor, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] /= counts[i] * factor;
}

/*
 * Reduce to one line the lines of a channel that windows at these places of the first two axes
 * read.
 */
static void join_lines(const struct job *job, const float *x, const int64_t *place, float *line)
{
    const struct window_axis *axes = job->window.axes;
    size_t width = (size_t)axes[2].in;

    host_library_repeat(job->nothing, width + 1, line);
    for (int64_t k = 0; k < axes[0].kernel * axes[1].kernel; k++) {
        int64_t z = window_tap(job->window.kind, &axes[0], place[0], k / axes[1].kernel);
        int64_t y = window_tap(job->window.kind, &axes[1], place[1], k % axes[1].kernel);

        if (z >= 0 && y >= 0)
            take(job, x + (size_t)(z * axes[1].in + y) * width, width, line);
    }
}

/* Reduce a line by its windows. `seen` has room for a line of the result. */
static void pool_line(const struct job *job, const float *line, float *seen, float *out)
{
    const struct window_axis *axis = &job->window.axes[2];
    size_t n = (size_t)axis->out;

    host_library_repeat(job->nothing, n, out);
    for (size_t k = 0; k < (size_t)axis->kernel; k++) {
        gather(line, job->taps + k * n, n, seen);
        take(job, seen, n, out);
    }
}

/* Compute lines [first, last) of the result. */
static void pool_lines(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct window_axis *axes = job->window.axes;
    struct walk walk = {.shape = {WINDOW_AXES, {(int64_t)last, axes[0].out, axes[1].out}}};
    size_t in = (size_t)(axes[0].in * axes[1].in * axes[2].in), n = (size_t)axes[2].out;
    float *line = mem_alloc_zeroed((size_t)axes[2].in + 1 + n, sizeof(*line));

    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++, walk_step(&walk)) {
        const int64_t *place = &walk.index[1];
        float *out = job->step->out + i * n;

        join_lines(job, job->step->in[0] + (size_t)walk.index[0] * in, place, line);
        pool_line(job, line, line + axes[2].in + 1, out);
        if (!job->is_max)
            divide(job->counts, n,
                   (float)(count_places(job, 0, place[0]) * count_places(job, 1, place[1])), out);
    }
    free(line);
}

static void run(struct host_library_step *step, bool is_max)
{
    const struct attribute *padding = op_attribute(&step->op, "count_include_pad");
    struct job job = {.step = step,
                      .window = window_of(&step->op),
                      .is_max = is_max,
                      .counts_padding = padding && padding->integers[0],
                      .nothing = is_max ? -INFINITY : 0};
    const struct window_axis *axes = job.window.axes;
    size_t lines = (size_t)(shape_elements(&step->op.out->shape) / axes[2].out);
    size_t work = (size_t)(axes[0].kernel * axes[1].kernel * axes[2].in);

    list_taps(&job);
    parallel_for(lines, 1 + (1 << 15) / work, pool_lines, &job);
    free(job.taps);
    free(job.counts);
}

static void run_max(struct host_library_step *step)
{
    run(step, true);
}

static void run_avg(struct host_library_step *step)
{
    run(step, false);
}

const struct host_library_rule host_library_pooling[] = {
    {"max_pool1d", .run = run_max},
    {"max_pool2d", .run = run_max},
    {"max_pool3d", .run = run_max},
    {"avg_pool1d", .run = run_avg},
    {"avg_pool2d", .run = run_avg},
    {"avg_pool3d", .run = run_avg},
    {"adaptive_max_pool1d", .run = run_max},
    {"adaptive_max_pool2d", .run = run_max},
    {"adaptive_max_pool3d", .run = run_max},
    {"adaptive_avg_pool1d", .run = run_avg},
    {"adaptive_avg_pool2d", .run = run_avg},
    {"adaptive_avg_pool3d", .run = run_avg},
    {0},
};
