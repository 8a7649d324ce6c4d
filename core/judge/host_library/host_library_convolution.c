#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/host_library/host_library_family.h"
#include "core/model/op/op_convolution.h"
#include "core/system/parallel.h"

/*
 * Convolutions are computed as products of matrices.  Windows slide over large planes; small planes
 * have one place for each position of the window.  A tap is a channel of the large planes and a
 * place of the window.  A column has the elements at all taps for one place of the small planes.
 *
 *	convolution  the weight, [out channels, taps], times columns taken from the operand
 *	transposed   the weight, [in channels, taps], transposed, times the operand gives columns,
 *	             which are added up in the result
 *
 * The work is divided into pieces whose columns have at most MAX_COLUMNS elements, where possible:
 * some places of the result of a convolution, some channels of that of a transposed one.
 */
enum { MAX_COLUMNS = 1 << 18 };

struct job {
    const struct host_library_step *step;
    struct convolution c;
    int64_t large[WINDOW_AXES], small[WINDOW_AXES];
    size_t large_places, small_places, window; /* products over all axes */
    bool transposed;
    size_t all, line; /* size of what is divided into pieces; number of columns' elements for each
                         unit of it */
    size_t pieces, piece; /* number of pieces of a group of a sample; size of a piece */
};

/* A piece of a group of a sample. */
struct piece {
    const float *x, *weight;
    float *out;
    const float *bias; /* NULL: none */
    size_t first, count;
    float *columns;
};

static int64_t large_place(const struct window_axis *axis, int64_t small, int64_t k)
{
    return small * axis->stride - axis->padding + k * axis->dilation;
}

/*
 * Offset in the large planes of the line that a tap reads for a line of a small one; -1 for
 * padding.
 */
static int64_t find_line(const struct job *job, size_t tap, size_t line)
{
    const struct window_axis *axes = job->c.window.axes;
    int64_t k = (int64_t)tap / axes[2].kernel, place = (int64_t)line;
    int64_t z = large_place(&axes[0], place / job->small[1], k / axes[1].kernel % axes[0].kernel);
    int64_t y = large_place(&axes[1], place % job->small[1], k % axes[1].kernel);
    int64_t channel = k / (axes[1].kernel * axes[0].kernel);

    if (z < 0 || z >= job->large[0] || y < 0 || y >= job->large[1])
        return -1;
    return ((channel * job->large[0] + z) * job->large[1] + y) * job->large[2];
}

/* A range of small places of a line. */
struct range {
    int64_t first, end;
};

/* The part of a range that reads no padding. */
static struct range clip(const struct job *job, size_t tap, struct range range)
{
    const struct window_axis *axis = &job->c.window.axes[2];
    int64_t before = -large_place(axis, 0, (int64_t)tap % axis->kernel);
    int64_t behind = job->large[2] + before;
    int64_t first = before > 0 ? (before + axis->stride - 1) / axis->stride : 0;
    int64_t end = behind > 0 ? (behind + axis->stride - 1) / axis->stride : 0;

    range.first = first < range.first ? range.first : first < range.end ? first : range.end;
    range.end = end < range.first ? range.first : end < range.end ? end : range.end;
    return range;
}

/* Copy the elements that a tap reads for a range of places of a line. */
static void take_range(const struct job *job, const float *large, size_t tap, struct range range,
                       float *to)
{
    const struct window_axis *axis = &job->c.window.axes[2];
    struct range inside = clip(job, tap, range);
    int64_t at = large_place(axis, inside.first, (int64_t)tap % axis->kernel);
    size_t n = (size_t)(inside.end - inside.first);

    host_library_repeat(0, (size_t)(inside.first - range.first), to);
    to += inside.first - range.first;
    if (axis->stride == 1)
        memcpy(to, large + at, n * sizeof(*to));
    else
        for (size_t i = 0; i < n; i++)
            to[i] = large[at + (int64_t)i * axis->stride];
    host_library_repeat(0, (size_t)(range.end - inside.end), to + n);
}

static void take_columns(const struct job *job, const struct piece *piece, size_t tap, float *to)
{
    size_t width = (size_t)job->small[2], n;

    for (size_t i = 0; i < piece->count; i += n) {
        size_t place = piece->first + i, column = place % width;
        int64_t line = find_line(job, tap, place / width);

        n = width - column < piece->count - i ? width - column : piece->count - i;
        if (line < 0)
            host_library_repeat(0, n, to + i);
        else
            take_range(job, piece->x + line, tap,
                       (struct range){(int64_t)column, (int64_t)(column + n)}, to + i);
    }
}

static void set_channels(const struct piece *piece, size_t channels, size_t pitch, size_t n)
{
    for (size_t c = 0; c < channels; c++)
        host_library_repeat(piece->bias ? piece->bias[c] : 0, n, piece->out + c * pitch);
}

/* True if the columns equal the operand: windows of one place, without gaps or padding. */
static bool is_pointwise(const struct job *job)
{
    const struct window_axis *axes = job->c.window.axes;

    for (size_t i = 0; i < WINDOW_AXES; i++)
        if (axes[i].stride != 1 || axes[i].padding != 0)
            return false;
    return job->window == 1;
}

/* Compute some places of all channels of the group. */
static void convolve(const struct job *job, struct piece *piece)
{
    size_t taps = (size_t)job->c.in_channels * job->window, n = piece->count;
    size_t channels = (size_t)job->c.out_channels, pitch = job->small_places;
    bool pointwise = is_pointwise(job);

    piece->out += piece->first;
    set_channels(piece, channels, pitch, n);
    for (size_t tap = 0; !pointwise && tap < taps; tap++)
        take_columns(job, piece, tap, piece->columns + tap * n);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)channels, (blasint)n,
                (blasint)taps, 1, piece->weight, (blasint)taps,
                pointwise ? piece->x + piece->first : piece->columns,
                (blasint)(pointwise ? pitch : n), 1, piece->out, (blasint)pitch);
}

static void add_columns(const struct job *job, const struct piece *piece, size_t tap)
{
    const struct window_axis *axis = &job->c.window.axes[2];
    size_t width = (size_t)job->small[2];
    const float *from = piece->columns + tap * job->small_places;
    struct range inside = clip(job, tap, (struct range){0, job->small[2]});

    for (size_t i = 0; i < job->small_places / width; i++, from += width) {
        int64_t line = find_line(job, tap, i);
        int64_t at = large_place(axis, 0, (int64_t)tap % axis->kernel) + line;

        for (int64_t k = inside.first; line >= 0 && k < inside.end; k++)
            piece->out[at + k * axis->stride] += from[k];
    }
}

/* Compute all places of some channels of the group. */
static void convolve_transposed(const struct job *job, struct piece *piece)
{
    size_t taps = piece->count * job->window, all = (size_t)job->c.out_channels * job->window;

    piece->out += piece->first * job->large_places;
    if (piece->bias)
        piece->bias += piece->first;
    set_channels(piece, piece->count, job->large_places, job->large_places);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)taps, (blasint)job->small_places,
                (blasint)job->c.in_channels, 1, piece->weight + piece->first * job->window,
                (blasint)all, piece->x, (blasint)job->small_places, 0, piece->columns,
                (blasint)job->small_places);
    for (size_t tap = 0; tap < taps; tap++)
        add_columns(job, piece, tap);
}

static struct piece find_piece(const struct job *job, size_t item)
{
    const struct host_library_step *step = job->step;
    bool transposed = job->transposed;
    size_t in = (size_t)job->c.in_channels, out = (size_t)job->c.out_channels;
    size_t group = item / job->pieces, own = group % (size_t)job->c.groups;
    struct piece piece = {
        .x = step->in[0] + group * in * (transposed ? job->small_places : job->large_places),
        .weight = step->in[1] + own * in * out * job->window,
        .out = step->out + group * out * (transposed ? job->large_places : job->small_places),
        .bias = job->c.bias ? step->in[2] + own * out : NULL,
        .first = item % job->pieces * job->piece,
        .count = job->piece,
    };

    if (piece.first + piece.count > job->all)
        piece.count = job->all - piece.first;
    return piece;
}

static void work(void *data, size_t first, size_t last)
{
    const struct job *job = data;
    float *columns = mem_alloc_zeroed(job->piece * job->line, sizeof(*columns));

    for (size_t i = first; i < last; i++) {
        struct piece piece = find_piece(job, i);

        piece.columns = columns;
        if (job->transposed)
            convolve_transposed(job, &piece);
        else
            convolve(job, &piece);
    }
    free(columns);
}

static void set_sizes(struct job *job)
{
    job->large_places = job->small_places = job->window = 1;
    for (size_t i = 0; i < WINDOW_AXES; i++) {
        const struct window_axis *axis = &job->c.window.axes[i];

        job->large[i] = job->transposed ? axis->out : axis->in;
        job->small[i] = job->transposed ? axis->in : axis->out;
        job->large_places *= (size_t)job->large[i];
        job->small_places *= (size_t)job->small[i];
        job->window *= (size_t)axis->kernel;
    }
}

static void cut(struct job *job)
{
    size_t most;

    job->all = job->transposed ? (size_t)job->c.out_channels : job->small_places;
    job->line = job->window * (job->transposed ? job->small_places : (size_t)job->c.in_channels);
    most = job->line < MAX_COLUMNS ? MAX_COLUMNS / job->line : 1;
    job->pieces = (job->all + most - 1) / most;
    job->piece = (job->all + job->pieces - 1) / job->pieces;
    job->pieces = (job->all + job->piece - 1) / job->piece; /* no piece is empty */
}

static void run(struct host_library_step *step)
{
    struct job job = {.step = step, .c = convolution_of(&step->op)};

    job.transposed = job.c.window.kind == WINDOW_TRANSPOSED;
    set_sizes(&job);
    cut(&job);
    parallel_for((size_t)(job.c.batch * job.c.groups) * job.pieces,
                 1 + (1 << 14) / (job.piece * job.line), work, &job);
}

const struct host_library_rule host_library_convolution[] = {
    {"conv1d", .run = run},
    {"conv2d", .run = run},
    {"conv3d", .run = run},
    {"conv_transpose1d", .run = run},
    {"conv_transpose2d", .run = run},
    {"conv_transpose3d", .run = run},
    {0},
};
