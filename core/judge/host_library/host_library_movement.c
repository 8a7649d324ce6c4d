#include <string.h>

#include "core/judge/host_library/host_library_family.h"
#include "core/system/parallel.h"

static void take_run(const float *from, ptrdiff_t stride, size_t n, float *to)
{
    if (stride == 1)
        memcpy(to, from, n * sizeof(*to));
    else if (stride == 0)
        host_library_repeat(*from, n, to);
    else
        for (size_t i = 0; i < n; i++)
            to[i] = from[(ptrdiff_t)i * stride];
}

void host_library_take(const struct walk *walk, const float *from, size_t first, size_t n,
                       float *to)
{
    struct walk rows = *walk;
    size_t last = walk->shape.rank > 0 ? --rows.shape.rank : 0;
    size_t width = walk->shape.rank > 0 ? (size_t)walk->shape.dims[last] : 1;
    size_t column = first % width, run;
    ptrdiff_t stride = walk->strides[0][last];

    walk_seek(&rows, first / width);
    for (size_t done = 0; done < n; done += run, column = 0, walk_step(&rows)) {
        run = width - column < n - done ? width - column : n - done;
        take_run(from + rows.offsets[0] + (ptrdiff_t)column * stride, stride, run, to + done);
    }
}

/* A walk over the result, whose first array is the operand; axes are merged into few long ones. */
static struct walk walk_view(const struct op_call *op, const struct tensor_view *view)
{
    struct walk walk = {.arrays = 1};
    ptrdiff_t *strides = walk.strides[0];

    for (size_t i = 0; i < op->out->shape.rank; i++) {
        int64_t dim = op->out->shape.dims[i];
        size_t last = walk.shape.rank;

        if (last > 0 && strides[last - 1] == view->strides[i] * (ptrdiff_t)dim) {
            walk.shape.dims[last - 1] *= dim;
            strides[last - 1] = view->strides[i];
        } else if (dim > 1) {
            walk.shape.dims[last] = dim;
            strides[walk.shape.rank++] = view->strides[i];
        }
    }
    return walk;
}

/*
 * A view that transposes: neighbours in the result are far apart in the operand, while those along
 * another axis are adjacent there. It is copied in squares of TILE * TILE elements, so that each
 * cache line is read once.
 */
enum { TILE = 64 };

struct copy {
    const float *in;
    float *out;
    struct walk walk; /* over places of the result, or over bands of TILE rows */

    /* For bands of rows: */
    size_t axis;           /* axis along which the rows follow each other */
    int64_t rows, columns; /* in total */
    ptrdiff_t in_pitch,
        out_pitch; /* to the next column of the operand; to the next row of the result */
};

static void turn_tile(const struct copy *copy, const float *in, float *out, size_t rows,
                      size_t columns)
{
    float tile[TILE][TILE];

    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < rows; i++)
            tile[i][k] = in[(ptrdiff_t)k * copy->in_pitch + (ptrdiff_t)i];
    for (size_t i = 0; i < rows; i++)
        memcpy(out + (ptrdiff_t)i * copy->out_pitch, tile[i], columns * sizeof(*out));
}

static void turn_bands(void *data, size_t first, size_t last)
{
    const struct copy *copy = data;
    struct walk walk = copy->walk;

    walk_seek(&walk, first);
    for (size_t band = first; band < last; band++, walk_step(&walk)) {
        int64_t left = copy->rows - walk.index[copy->axis] * TILE;

        for (int64_t k = 0; k < copy->columns; k += TILE)
            turn_tile(copy, copy->in + walk.offsets[0] + (ptrdiff_t)k * copy->in_pitch,
                      copy->out + walk.offsets[1] + k, (size_t)(left < TILE ? left : TILE),
                      (size_t)(copy->columns - k < TILE ? copy->columns - k : TILE));
    }
}

/* True if a view transposes; `axis` receives the axis of its rows. */
static bool find_rows(const struct walk *walk, size_t *axis)
{
    size_t last = walk->shape.rank - 1;

    if (walk->shape.rank < 2 || walk->strides[0][last] <= 1)
        return false;
    for (*axis = 0; *axis < last; ++*axis)
        if (walk->strides[0][*axis] == 1)
            return true;
    return false;
}

static void turn(struct copy *copy)
{
    struct walk *walk = &copy->walk;
    size_t last = walk->shape.rank - 1;

    shape_strides(&walk->shape, walk->strides[1]);
    walk->arrays = 2;
    copy->rows = walk->shape.dims[copy->axis];
    copy->columns = walk->shape.dims[last];
    copy->in_pitch = walk->strides[0][last];
    copy->out_pitch = walk->strides[1][copy->axis];
    walk->shape.rank = last;
    walk->shape.dims[copy->axis] = (copy->rows + TILE - 1) / TILE;
    walk->strides[0][copy->axis] *= TILE;
    walk->strides[1][copy->axis] *= TILE;
    parallel_for((size_t)shape_elements(&walk->shape),
                 1 + (1 << 15) / (size_t)(TILE * copy->columns), turn_bands, copy);
}

static void copy_places(void *data, size_t first, size_t last)
{
    const struct copy *copy = data;

    host_library_take(&copy->walk, copy->in, first, last - first, copy->out + first);
}

static void run_view(struct host_library_step *step)
{
    struct tensor_view view = step->op.op->view(&step->op);
    struct copy copy = {
        .in = step->in[0] + view.offset,
        .out = step->out,
        .walk = walk_view(&step->op, &view),
    };

    if (find_rows(&copy.walk, &copy.axis))
        turn(&copy);
    else
        parallel_for((size_t)shape_elements(&copy.walk.shape), 1 << 15, copy_places, &copy);
}

/* An operand of concat. Each copy takes its elements between two steps of the result's axis. */
struct piece {
    const float *in;
    float *out;
    size_t n, pitch; /* number of elements, and distance to the next ones in the result */
};

static void copy_piece(void *data, size_t first, size_t last)
{
    const struct piece *piece = data;
    size_t column = first % piece->n, run;

    for (size_t i = first; i < last; i += run, column = 0) {
        run = piece->n - column < last - i ? piece->n - column : last - i;
        memcpy(piece->out + i / piece->n * piece->pitch + column, piece->in + i,
               run * sizeof(*piece->out));
    }
}

static void run_concat(struct host_library_step *step)
{
    const struct shape *out = &step->op.out->shape;
    int64_t dim = op_attribute(&step->op, "dim")->integers[0];
    size_t axis = (size_t)(dim < 0 ? dim + (int64_t)out->rank : dim);
    ptrdiff_t strides[SHAPE_MAX_RANK];
    struct piece piece = {.out = step->out};

    shape_strides(out, strides);
    piece.pitch = (size_t)(strides[axis] * (ptrdiff_t)out->dims[axis]);
    for (size_t k = 0; k < step->op.in_count; k++) {
        const struct shape *in = &step->op.in[k]->shape;

        piece.in = step->in[k];
        piece.n = (size_t)(strides[axis] * (ptrdiff_t)in->dims[axis]);
        parallel_for((size_t)shape_elements(in), 1 << 15, copy_piece, &piece);
        piece.out += piece.n;
    }
}

/* Walks over the rows of the result and of the operand, `before` places apart. */
struct padding {
    const struct host_library_step *step;
    struct walk rows;
    ptrdiff_t shift;
    int64_t before[SHAPE_MAX_RANK];
    float value;
};

static bool is_inside(const struct padding *padding, const int64_t *index)
{
    const struct shape *in = &padding->step->op.in[0]->shape;

    for (size_t i = 0; i + 1 < in->rank; i++)
        if (index[i] < padding->before[i] || index[i] - padding->before[i] >= in->dims[i])
            return false;
    return true;
}

/* Pad along the last axis. */
static void pad_row(const struct padding *padding, const float *in, float *out)
{
    size_t last = padding->rows.shape.rank;
    int64_t width = padding->step->op.in[0]->shape.dims[last], before = padding->before[last];
    int64_t n = padding->step->op.out->shape.dims[last];
    int64_t from = before > 0 ? before : 0, to = before + width < n ? before + width : n;

    if (to <= from) {
        host_library_repeat(padding->value, (size_t)n, out);
        return;
    }
    host_library_repeat(padding->value, (size_t)from, out);
    memcpy(out + from, in + (from - before), (size_t)(to - from) * sizeof(*out));
    host_library_repeat(padding->value, (size_t)(n - to), out + to);
}

static void pad_rows(void *data, size_t first, size_t last)
{
    const struct padding *padding = data;
    struct walk rows = padding->rows;
    size_t n = (size_t)padding->step->op.out->shape.dims[rows.shape.rank];

    walk_seek(&rows, first);
    for (size_t i = first; i < last; i++, walk_step(&rows)) {
        if (is_inside(padding, rows.index))
            pad_row(padding, padding->step->in[0] + rows.offsets[0] - padding->shift,
                    padding->step->out + i * n);
        else
            host_library_repeat(padding->value, n, padding->step->out + i * n);
    }
}

static void run_pad(struct host_library_step *step)
{
    const struct attribute *pad = op_attribute(&step->op, "pad");
    const struct shape *out = &step->op.out->shape;
    struct padding padding = {.step = step,
                              .rows = {.shape = *out, .arrays = 1},
                              .value = (float)op_attribute(&step->op, "value")->number};
    size_t last = out->rank - 1;

    if (out->rank == 0) {
        *step->out = *step->in[0];
        return;
    }
    padding.rows.shape.rank = last;
    shape_strides(&step->op.in[0]->shape, padding.rows.strides[0]);
    for (size_t i = 0; i < pad->count; i += 2)
        padding.before[last - i / 2] = pad->integers[i];
    for (size_t i = 0; i < last; i++)
        padding.shift += (ptrdiff_t)padding.before[i] * padding.rows.strides[0][i];
    parallel_for((size_t)shape_elements(&padding.rows.shape),
                 1 + (1 << 15) / (size_t)out->dims[last], pad_rows, &padding);
}

const struct host_library_rule host_library_movement[] = {
    {"reshape", .run = run_view},
    {"flatten", .run = run_view},
    {"squeeze", .run = run_view},
    {"unsqueeze", .run = run_view},
    {"permute", .run = run_view},
    {"transpose", .run = run_view},
    {"slice", .run = run_view},
    {"expand", .run = run_view},
    {"concat", .run = run_concat},
    {"pad", .run = run_pad},
    {0},
};
