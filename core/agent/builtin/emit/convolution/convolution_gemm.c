#include "core/agent/builtin/emit/convolution/convolution_gemm.h"

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_tile.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"

/* Columns and rows of a work-group's tile. */
static void tile_shape(const struct convolution_kernel *c, int *columns, int *rows)
{
    schedule_group_shape(c->e->schedule, columns, rows);
    *columns *= c->e->schedule->of[KNOB_TILE_N];
    *rows *= c->e->schedule->of[KNOB_TILE_M];
}

/*
 * A vector of positions must lie in one line, and a work-item copies elements of one column of the
 * matrix.
 */
bool convolution_has_gemm(const struct convolution_kernel *c)
{
    const int *of = c->e->schedule->of;
    int columns, rows;

    tile_shape(c, &columns, &rows);
    return c->e->writer->dialect->copies && of[KNOB_LOCAL] && of[KNOB_GROUP] &&
           of[KNOB_GROUP] % columns == 0 && of[KNOB_LOCAL] * columns % of[KNOB_GROUP] == 0 &&
           emit_is_whole(c->e, of[KNOB_VEC]);
}

static const char *positions_of(const struct convolution_kernel *c)
{
    return convolution_sizes(c, c->node->out, FIRST_SPATIAL, c->rank);
}

/* The line of the frame at the coordinates `<name><axis>`, which count taps or output positions. */
static const char *line_at(const struct convolution_kernel *c, const char *name, bool is_tap)
{
    const char *line = "0";

    for (size_t axis = FIRST_SPATIAL; axis < convolution_last(c); axis++) {
        const struct window_axis *w = convolution_axis(c, axis);

        line = emit_text(c->e, "(%s * %s + %s%zu * %lld)", line, convolution_framed(c, axis), name,
                         axis, (long long)(is_tap ? w->dilation : w->stride));
    }
    return line;
}

static const char *phases_of(const struct convolution_kernel *c)
{
    return emit_text(c->e, "(%lld * %s)",
                     (long long)convolution_axis(c, convolution_last(c))->stride, c->line);
}

/* Declare the work-item's tile, and the output position whose elements it copies. */
static void write_product_start(const struct convolution_kernel *c, int columns, int rows)
{
    struct emitter *e = c->e;
    const char *positions = positions_of(c),
               *width = convolution_size(c, c->node->out, convolution_last(c));

    emit_line(e, "    const int item = $local_id1 * $local_size0 + $local_id0;");
    emit_line(e, "    const int first_col = $group_id0 * %d, first_row = $group_id1 * %d;", columns,
              rows);
    emit_line(e, "    const int col = first_col + $local_id0 * %d, channel_group = $group_id2;",
              e->schedule->of[KNOB_VEC]);
    emit_line(e, "    const int tile_row = first_row + $local_id1 * %d, count = %s * %s;",
              e->schedule->of[KNOB_TILE_M], convolution_size(c, c->node->out, 0), positions);
    emit_line(e, "    const int own = first_col + item %% %d, at = min(own, count - 1);", columns);
    emit_line(e, "    const int image = at / %s, line = at %% %s / %s;", positions, positions,
              width);
    convolution_lines(c, "o", "line", false);
    emit_line(
        e,
        "    const float *const plane = p_%s + ((image * %s + channel_group * %s) * %s + %s) * "
        "%s + at %% %s;",
        c->frame, convolution_size(c, c->node->in[0], 1), c->channels, convolution_framed_lines(c),
        line_at(c, "o", false), phases_of(c), width);
    emit_line(e, "    const float *const weights = p_%s + channel_group * %s * %s * %s;",
              c->call.in[1]->name, c->filters, c->channels, c->taps);
    emit_tile_start(e);
}

static void write_weight_copies(const struct convolution_kernel *c, int rows)
{
    struct emitter *e = c->e;
    int depth = e->schedule->of[KNOB_LOCAL], items = e->schedule->of[KNOB_GROUP];

    emit_line(e, "#pragma unroll\n            for (int part = item; part < %d; part += %d) {",
              rows * depth, items);
    emit_line(e,
              "                const int step = next + part %% %d, filter = first_row + part / %d;",
              depth, depth);
    emit_line(e, "                const bool is_there = filter < %s && step < %s * %s;\n",
              c->filters, c->channels, c->taps);
    emit_line(e,
              "                copy_later<4>(&a_block[to][part %% %d][part / %d],\n"
              "                              weights + (is_there ? filter * %s * %s + step : 0), "
              "is_there);\n            }",
              depth, depth, c->channels, c->taps);
}

/* Copy the elements that a tap of a channel meets at the position. */
static void write_input_copies(const struct convolution_kernel *c, int columns)
{
    struct emitter *e = c->e;
    int across = e->schedule->of[KNOB_GROUP] / columns;
    const struct window_axis *last = convolution_axis(c, convolution_last(c));
    const char *width = convolution_size(c, c->node->in[1], convolution_last(c)), *left;

    left = emit_text(e, "step %% %s / %s", c->taps, width);
    emit_line(e, "#pragma unroll\n            for (int part = 0; part < %d; part += %d) {",
              e->schedule->of[KNOB_LOCAL], across);
    emit_line(e, "                const int step = next + part + item / %d;", columns);
    emit_line(e, "                const int tap = step %% %s * %lld;", width,
              (long long)last->dilation);
    for (size_t axis = convolution_last(c); axis-- > FIRST_SPATIAL;) {
        emit_line(e, "                const int k%zu = %s %% %s;", axis, left,
                  convolution_size(c, c->node->in[1], axis));
        left = emit_text(e, "%s / %s", left, convolution_size(c, c->node->in[1], axis));
    }
    emit_line(e, "                const bool is_there = own < count && step < %s * %s;\n",
              c->channels, c->taps);
    emit_line(
        e,
        "                copy_later<4>(&b_block[to][part + item / %d][item %% %d],\n"
        "                              plane + (is_there ? (step / %s * %s + %s) * %s + tap %% "
        "%lld * %s + tap / %lld : 0),\n                              is_there);\n            }",
        columns, columns, c->taps, convolution_framed_lines(c), line_at(c, "k", true), phases_of(c),
        (long long)last->stride, c->line, (long long)last->stride);
}

static void write_copies(const void *data)
{
    const struct convolution_kernel *c = data;
    int columns, rows;

    tile_shape(c, &columns, &rows);
    write_weight_copies(c, rows);
    write_input_copies(c, columns);
}

/* Store the tile with its epilogue. A vector of positions lies in one line of an image. */
static void write_product_results(const struct convolution_kernel *c, int stride)
{
    struct emitter *e = c->e;
    int width = e->schedule->of[KNOB_VEC];
    const struct position position = {
        .row = "row", .column = "c", .width = width, .indent = "            ", .is_aligned = true};
    size_t out = c->node->out;
    const char *line = convolution_size(c, out, convolution_last(c)), *positions = positions_of(c);

    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)", e->schedule->of[KNOB_TILE_M]);
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++) {",
              e->schedule->of[KNOB_TILE_N] / width);
    emit_line(e, "            const int place = col + j * %d, c = place %% %s;", stride, line);
    emit_line(e, "            const int filter = channel_group * %s + tile_row + i;\n", c->filters);
    emit_line(e, "            if (place >= count || tile_row + i >= %s)\n                continue;",
              c->filters);
    emit_line(
        e, "            const int row = (place / %s * %s + filter) * (%s / %s) + place %% %s / %s;",
        positions, convolution_size(c, out, 1), positions, line, positions, line);
    emit_row_axes(e, "            ");
    emit_line(e, "            const %s v_%s = tile[i][j]%s;", emit_vector_type(e, "float", width),
              c->call.out->name,
              c->shape.bias ? emit_text(e, " + p_%s[filter]", c->shape.bias->name) : "");
    e->is_declared[out] = true;
    emit_results(e, &position);
    emit_line(e, "        }\n}");
}

static void launch_product(const struct convolution_kernel *c, int columns, int rows)
{
    struct emitter *e = c->e;
    struct space space = {.rank = 3};
    int across, down;

    schedule_group_shape(e->schedule, &across, &down);
    space.global[0] =
        emit_text(e, "ceildiv(%s * %s, %d) * %d", convolution_size(c, c->node->out, 0),
                  positions_of(c), columns, across);
    space.global[1] = emit_text(e, "ceildiv(%s, %d) * %d", c->filters, rows, down);
    space.global[2] = emit_text(e, "%lld", (long long)c->shape.groups);
    space.local[0] = emit_text(e, "%d", across);
    space.local[1] = emit_text(e, "%d", down);
    space.local[2] = "1";
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

void convolution_gemm(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    int columns, rows, stride;

    tile_shape(c, &columns, &rows);
    stride = columns / e->schedule->of[KNOB_TILE_N] * e->schedule->of[KNOB_VEC];
    kernel_add_arg(&e->kernel, &(struct kernel_arg){c->frame, DTYPE_F32, false, NULL});
    emit_args(e, 1U << 0);
    e->kernel.work_items = e->schedule->of[KNOB_GROUP];
    writer_head(e->writer, &e->kernel);
    write_product_start(c, columns, rows);
    emit_tile_staged_sum(
        e, &(struct tile_stages){.rows = rows,
                                 .columns = columns,
                                 .depth = e->schedule->of[KNOB_LOCAL],
                                 .items = e->schedule->of[KNOB_GROUP],
                                 .slices = 1,
                                 .stride = stride,
                                 .steps = emit_text(e, "%s * %s", c->channels, c->taps),
                                 .write_copies = write_copies,
                                 .data = c});
    write_product_results(c, stride);
    launch_product(c, columns, rows);
}
