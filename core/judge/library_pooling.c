#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/library_family.h"
#include "core/judge/parallel.h"
#include "core/model/op_window.h"

/* The places of a window along one axis, `dilation` apart, that are no padding. */
struct span {
    int64_t first, count;
    int64_t padded; /* of padding and others, for avg_pool's count_include_pad */
};

struct job {
    const struct library_step *step;
    struct window window;
    bool is_max, counts_padding;
    struct span *spans[WINDOW_AXES]; /* for each place of the result along an axis */
};

static struct span find_span(const struct window *window, size_t i, int64_t place)
{
    const struct window_axis *axis = &window->axes[i];
    int64_t left = axis->in + 2 * axis->padding - place * axis->stride;
    struct span span = {.padded = left < axis->kernel ? left : axis->kernel};

    for (int64_t k = axis->kernel; k-- > 0;) {
        int64_t at = window_tap(window->kind, axis, place, k);

        if (at >= 0) {
            span.first = at;
            span.count++;
        }
    }
    return span;
}

static struct span *list_spans(const struct window *window, size_t i)
{
    int64_t count = window->axes[i].out;
    struct span *spans = mem_alloc_zeroed((size_t)count, sizeof(*spans));

    for (int64_t place = 0; place < count; place++)
        spans[place] = find_span(window, i, place);
    return spans;
}

/* NaN stays. */
WIDE static void take_largest(const float *x, size_t n, float *most)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        most[i] = x[i] > most[i] || x[i] != x[i] ? x[i] : most[i];
}

WIDE static void take_sum(const float *x, size_t n, float *total)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        total[i] += x[i];
}

/* The lines of a channel that the windows of a line of the result see, in one line. */
static void join_lines(const struct job *job, const float *x, const struct span *z,
                       const struct span *y, float *line)
{
    const struct window_axis *axes = job->window.axes;
    size_t width = (size_t)axes[2].in;

    library_repeat(job->is_max ? -INFINITY : 0, width, line);
    for (int64_t k = 0; k < z->count * y->count; k++) {
        int64_t at_z = z->first + k / y->count * axes[0].dilation;
        int64_t at_y = y->first + k % y->count * axes[1].dilation;
        const float *from = x + (size_t)(at_z * axes[1].in + at_y) * width;

        if (job->is_max)
            take_largest(from, width, line);
        else
            take_sum(from, width, line);
    }
}

static float largest_along(const float *line, struct span span, int64_t dilation)
{
    float most = -INFINITY;

    for (int64_t k = 0; k < span.count; k++) {
        float x = line[span.first + k * dilation];

        most = x > most || x != x ? x : most;
    }
    return most;
}

static float sum_along(const float *line, struct span span, int64_t dilation)
{
    float total = 0;

    for (int64_t k = 0; k < span.count; k++)
        total += line[span.first + k * dilation];
    return total;
}

static void pool_line(const struct job *job, const float *line, int64_t lines, float *out)
{
    const struct window_axis *axis = &job->window.axes[2];

    for (int64_t i = 0; i < axis->out; i++) {
        struct span span = job->spans[2][i];
        int64_t count = lines * (job->counts_padding ? span.padded : span.count);

        out[i] = job->is_max ? largest_along(line, span, axis->dilation)
                             : sum_along(line, span, axis->dilation) / (float)count;
    }
}

/* Each item is a line of the result. */
static void pool_lines(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    const struct window_axis *axes = job->window.axes;
    struct walk walk = {.shape = {WINDOW_AXES, {(int64_t)last, axes[0].out, axes[1].out}}};
    size_t in = (size_t)(axes[0].in * axes[1].in * axes[2].in);
    float *line = mem_alloc_zeroed((size_t)axes[2].in, sizeof(*line));

    walk_seek(&walk, first);
    for (size_t i = first; i < last; i++, walk_step(&walk)) {
        const struct span *z = &job->spans[0][walk.index[1]], *y = &job->spans[1][walk.index[2]];
        int64_t lines = job->counts_padding ? z->padded * y->padded : z->count * y->count;

        join_lines(job, job->step->in[0] + (size_t)walk.index[0] * in, z, y, line);
        pool_line(job, line, lines, job->step->out + i * (size_t)axes[2].out);
    }
    free(line);
}

static void run(struct library_step *step, bool is_max)
{
    const struct attribute *padding = op_attribute(&step->op, "count_include_pad");
    struct job job = {.step = step,
                      .window = window_of(&step->op),
                      .is_max = is_max,
                      .counts_padding = padding && padding->integers[0]};
    const struct window_axis *axes = job.window.axes;
    size_t lines = (size_t)(shape_elements(&step->op.out->shape) / axes[2].out);
    size_t work = (size_t)(axes[0].kernel * axes[1].kernel * axes[2].in);

    for (size_t i = 0; i < WINDOW_AXES; i++)
        job.spans[i] = list_spans(&job.window, i);
    parallel_for(lines, 1 + (1 << 15) / work, pool_lines, &job);
    for (size_t i = 0; i < WINDOW_AXES; i++)
        free(job.spans[i]);
}

static void run_max(struct library_step *step)
{
    run(step, true);
}

static void run_avg(struct library_step *step)
{
    run(step, false);
}

const struct library_rule library_pooling[] = {
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
