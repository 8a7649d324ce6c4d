#include "core/agent/builtin/emit/convolution/convolution.h"

#include "core/agent/builtin/emit/convolution/convolution_gemm.h"
#include "core/agent/builtin/emit/convolution/convolution_kernel.h"
#include "core/agent/builtin/emit/convolution/convolution_matrix.h"
#include "core/agent/builtin/emit/convolution/convolution_parts.h"
#include "core/agent/builtin/emit/convolution/convolution_phases.h"
#include "core/agent/builtin/emit/convolution/convolution_window.h"
#include "core/agent/builtin/emit/emit_tile.h"
#include "core/agent/builtin/emit/emit_values.h"

/*
 * Direct convolution. A work-item keeps sums for tile_m output channels at tile_n positions of one
 * output line in registers, and loops over input channels and taps.
 *
 * Two kernels run before it. One packs the weights of tile_m channels side by side. The other
 * copies the operand to a frame of zeros, in which the elements that a tap meets at neighbouring
 * positions are neighbours in memory: with stride s, each line is split into s phases of every s-th
 * element.
 */

enum { FRAME_GROUP = 256 };

/*
 * On a GPU the index space of the frame is one-dimensional, for two reasons: the other axes of a
 * grid hold fewer groups than some operands have planes, and the short lines of small images leave
 * most of a group idle.
 */
static bool is_flat(const struct emitter *e)
{
    return e->writer->dialect->warp > 0;
}

/* Declare the element of the frame that the work-item writes. `shape` is that of the frame. */
static void write_frame_position(struct emitter *e, const char *const shape[3])
{
    if (!is_flat(e)) {
        emit_line(e, "    const int at = $global_id0, line = $global_id1, plane = $global_id2;");
        return;
    }
    emit_line(e, "    const int position = $global_id0, at = position %% (%s);", shape[2]);
    emit_line(e, "    const int line = position / (%s) %% (%s);", shape[2], shape[1]);
    emit_line(e, "    const int plane = position / (%s) / (%s);", shape[2], shape[1]);
    emit_line(e, "    if (plane >= %s)\n        return;", shape[0]);
}

static void launch_frame(struct emitter *e, const struct kernel *kernel, const char *const shape[3])
{
    struct space space = {.global = {shape[2], shape[1], shape[0]}, .rank = 3};

    if (is_flat(e))
        space = (struct space){.global = {emit_text(e, "align((%s) * (%s) * (%s), %d)", shape[0],
                                                    shape[1], shape[2], FRAME_GROUP)},
                               .local = {emit_text(e, "%d", FRAME_GROUP)},
                               .rank = 1};
    writer_launch(e->writer, e->writer->launches, kernel, &space);
}

static void write_frame(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    const struct window_axis *w = convolution_axis(c, convolution_last(c));
    const char *size = convolution_size(c, c->node->in[0], convolution_last(c));
    const char *width = emit_text(e, "%lld * %s", (long long)w->stride, c->line);
    const char *planes = convolution_sizes(c, c->node->in[0], 0, FIRST_SPATIAL);
    const char *shape[] = {planes, convolution_framed_lines(c), width};
    struct kernel kernel = {.name = emit_text(e, "frame_%zu", e->number)};
    const char *is_inside, *index = "plane";

    writer_scratch(e->writer, c->frame, DTYPE_F32, shape, 3);
    kernel_add_value(&kernel, c->call.in[0], false);
    kernel_add_arg(&kernel, &(struct kernel_arg){c->frame, DTYPE_F32, true, NULL});
    writer_head(e->writer, &kernel);
    write_frame_position(e, shape);
    emit_line(e, "    const int column = at %% %s * %lld + at / %s - %lld;", c->line,
              (long long)w->stride, c->line, (long long)w->padding);
    convolution_lines(c, "f", "line", true);
    is_inside = emit_text(e, "column >= 0 && column < %s", size);
    for (size_t axis = FIRST_SPATIAL; axis < convolution_last(c); axis++) {
        const char *x =
            emit_text(e, "f%zu - %lld", axis, (long long)convolution_axis(c, axis)->padding);

        is_inside = emit_text(e, "%s && %s >= 0 && %s < %s", is_inside, x, x,
                              convolution_size(c, c->node->in[0], axis));
        index = emit_text(e, "(%s * %s + %s)", index, convolution_size(c, c->node->in[0], axis), x);
    }
    emit_line(e,
              "\n    p_%s[(plane * %s + line) * %s + at] =\n        %s ? p_%s[%s * %s + column] : "
              "0.0f;\n}\n",
              c->frame, shape[1], width, is_inside, c->call.in[0]->name, index, size);
    launch_frame(e, &kernel, shape);
    kernel_release(&kernel);
}

/*
 * Write the kernel that packs the weights to [tile of filters][channel, tap][filter of the tile],
 * with zeros after the last filter.
 */
static void write_pack(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    const struct value *w = c->call.in[1];
    int m = e->schedule->of[KNOB_TILE_M];
    const char *steps = emit_text(e, "(%s * %s)", c->channels, c->taps);
    const char *all = emit_text(e, "%lld * %s * %d", (long long)c->shape.groups, c->tiles, m);
    const char *shape[] = {all, steps};
    struct space space = {.global = {steps, all}, .rank = 2};
    struct kernel kernel = {.name = emit_text(e, "pack_%zu", e->number)};

    writer_scratch(e->writer, c->weights, DTYPE_F32, shape, 2);
    kernel_add_value(&kernel, w, false);
    kernel_add_arg(&kernel, &(struct kernel_arg){c->weights, DTYPE_F32, true, NULL});
    writer_head(e->writer, &kernel);
    emit_line(e, "    const int step = $global_id0, n = $global_id1, tile = n / %d;", m);
    emit_line(e, "    const int filter = tile %% %s * %d + n %% %d;\n", c->tiles, m, m);
    emit_line(e,
              "    p_%s[(tile * %s + step) * %d + n %% %d] =\n"
              "        filter < %s ? p_%s[(tile / %s * %s + filter) * %s + step] : 0.0f;\n}\n",
              c->weights, steps, m, m, c->filters, w->name, c->tiles, c->filters, steps);
    writer_launch(e->writer, emit_copies_of(e, w), &kernel, &space);
    kernel_release(&kernel);
}

/*
 * Number the tiles. Work-items of a group take neighbouring positions, so that their loads are
 * contiguous. Single work-items process the filters of the same positions one after the other, so
 * that these positions are in the cache.
 */
static void write_numbers(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    int n = e->schedule->of[KNOB_TILE_N];
    const char *tiles = emit_text(e, "(%lld * %s)", (long long)c->shape.groups, c->tiles);
    const char *positions = emit_text(
        e, "((%s + %d) / %d)", convolution_size(c, c->node->out, convolution_last(c)), n - 1, n);

    if (e->schedule->of[KNOB_GROUP] == 1) {
        emit_line(e, "    const int tile_number = $global_id0 %% %s;", tiles);
        emit_line(e, "    const int col = $global_id0 / %s * %d;", tiles, n);
    } else {
        emit_line(e, "    const int tile_number = $global_id0 / %s;", positions);
        emit_line(e, "    const int col = $global_id0 %% %s * %d;", positions, n);
    }
}

static void write_start(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;

    write_numbers(c);
    emit_line(e, "    const int line = $global_id1, image = $global_id2;");
    emit_line(e, "    const int channel_group = tile_number / %s;", c->tiles);
    emit_line(e, "    const int first = tile_number %% %s * %d;", c->tiles,
              e->schedule->of[KNOB_TILE_M]);
    convolution_lines(c, "o", "line", false);
    emit_line(e, "    $global const float *weights = p_%s + tile_number * %s * %s * %d;",
              c->weights, c->channels, c->taps, e->schedule->of[KNOB_TILE_M]);
    emit_line(e,
              "    $global const float *plane = p_%s + (image * %s + channel_group * %s) * %s * "
              "%lld * %s;",
              c->frame, convolution_size(c, c->node->in[0], 1), c->channels,
              convolution_framed_lines(c),
              (long long)convolution_axis(c, convolution_last(c))->stride, c->line);
    emit_line(e, "    plane += col;");
    emit_tile_start(e);
}

/* Write a loop for each axis of the window, with one step of the sum inside. */
static void write_sum(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    const struct window_axis *last = convolution_axis(c, convolution_last(c));
    const char *line = "0", *phases = emit_text(e, "%lld * %s", (long long)last->stride, c->line);
    size_t w = c->node->in[1];

    emit_line(e, "    for (int channel = 0; channel < %s; channel++) {", c->channels);
    for (size_t axis = FIRST_SPATIAL; axis < convolution_last(c); axis++) {
        emit_line(e, "    for (int k%zu = 0; k%zu < %s; k%zu++)", axis, axis,
                  convolution_size(c, w, axis), axis);
        line =
            emit_text(e, "(%s * %s + o%zu * %lld + k%zu * %lld)", line, convolution_framed(c, axis),
                      axis, (long long)convolution_axis(c, axis)->stride, axis,
                      (long long)convolution_axis(c, axis)->dilation);
    }
    emit_tile_unroll(e);
    emit_line(e, "    for (int k = 0; k < %s; k++) {", convolution_size(c, w, convolution_last(c)));
    emit_line(e, "        const int tap = k * %lld;", (long long)last->dilation);
    emit_line(e,
              "        $global const float *b = plane + %s * %s + tap %% %lld * %s + tap / %lld;",
              line, phases, (long long)last->stride, c->line, (long long)last->stride);
    emit_tile_step(e, &(struct tile_step){.indent = "        ",
                                          .a = "weights[i]",
                                          .b = "b",
                                          .stride = e->schedule->of[KNOB_VEC]});
    emit_line(e, "        weights += %d;\n    }", e->schedule->of[KNOB_TILE_M]);
    emit_line(e, "    plane += %s * %s;\n    }\n", convolution_framed_lines(c), phases);
}

static void write_results(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    size_t out = c->node->out;
    const char *filter = emit_text(e, "channel_group * %s + first + i", c->filters);

    emit_tile_results(
        e, &(struct tile_rows){
               .out = out,
               .columns = convolution_size(c, out, convolution_last(c)),
               .stride = e->schedule->of[KNOB_VEC],
               .span = e->schedule->of[KNOB_TILE_N],
               .is_outside = emit_text(e, "first + i >= %s", c->filters),
               .number =
                   emit_text(e, "(image * %s + %s) * %s + line", convolution_size(c, out, 1),
                             filter, convolution_sizes(c, out, FIRST_SPATIAL, convolution_last(c))),
               .bias = c->shape.bias ? c->shape.bias->name : NULL,
               .bias_index = filter,
           });
}

static void launch(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    size_t out = c->node->out;
    struct space space = {.rank = 3};
    int group = e->schedule->of[KNOB_GROUP] ? e->schedule->of[KNOB_GROUP] : 1;

    space.global[0] =
        emit_text(e, "align(%lld * %s * ceildiv(%s, %d), 1)", (long long)c->shape.groups, c->tiles,
                  convolution_size(c, out, convolution_last(c)), e->schedule->of[KNOB_TILE_N]);
    space.global[1] = convolution_sizes(c, out, FIRST_SPATIAL, convolution_last(c));
    space.global[2] = convolution_size(c, out, 0);
    if (group == 1)
        space.local[0] = space.local[1] = space.local[2] = "1";
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

static const char *places_of(const struct convolution_kernel *c)
{
    const char *places = "";

    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++)
        places = emit_text(c->e, "%s%s%s", places, *places ? " * " : "",
                           convolution_phase_places(c, axis));
    return emit_text(c->e, "(%s)", places);
}

static struct convolution_kernel kernel_of(struct emitter *e)
{
    size_t node = e->group->nodes[0];
    struct convolution_kernel c = {
        .e = e, .call = graph_call(&e->writer->graph, node), .node = emit_node_at(e, node)};
    int m = e->schedule->of[KNOB_TILE_M], n = e->schedule->of[KNOB_TILE_N];
    const struct window_axis *w;

    c.shape = convolution_of(&c.call);
    c.rank = c.call.out->shape.rank;
    w = convolution_axis(&c, convolution_last(&c));
    c.frame = emit_text(e, "%s_frame_%zu", c.call.in[0]->name, e->number);
    c.weights = emit_text(e, "%s_tiles_%zu", c.call.in[1]->name, e->number);
    c.line = emit_text(e, "((%s + %d) / %d * %d + %lld)",
                       convolution_size(&c, c.node->out, convolution_last(&c)), n - 1, n, n,
                       ((long long)w->kernel - 1) * w->dilation / w->stride);
    c.channels = c.shape.window.kind == WINDOW_TRANSPOSED
                     ? emit_text(e, "(%s / %lld)", convolution_size(&c, c.node->in[0], 1),
                                 (long long)c.shape.groups)
                     : convolution_size(&c, c.node->in[1], 1);
    c.filters = emit_text(e, "(%s / %lld)", convolution_size(&c, c.node->out, 1),
                          (long long)c.shape.groups);
    c.taps = convolution_sizes(&c, c.node->in[1], FIRST_SPATIAL, c.rank);
    c.tiles = emit_text(e, "((%s + %d) / %d)", c.filters, m - 1, m);
    c.places = places_of(&c);
    return c;
}

void emit_convolution(struct emitter *e)
{
    struct convolution_kernel c = kernel_of(e);

    e->kernel.name = emit_text(e, "%s_%zu", c.call.op->name, e->number);
    if (convolution_is_window(&c)) {
        convolution_window(&c);
        return;
    }
    if (convolution_has_matrix(&c)) {
        convolution_matrix(&c);
        return;
    }
    if (convolution_has_parts(&c)) {
        convolution_parts(&c);
        return;
    }
    if (convolution_has_gemm(&c)) {
        convolution_gemm(&c);
        return;
    }
    write_frame(&c);
    write_pack(&c);
    kernel_add_arg(&e->kernel, &(struct kernel_arg){c.frame, DTYPE_F32, false, NULL});
    kernel_add_arg(&e->kernel, &(struct kernel_arg){c.weights, DTYPE_F32, false, NULL});
    emit_args(e, 1U << 0 | 1U << 1);
    writer_head(e->writer, &e->kernel);
    write_start(&c);
    write_sum(&c);
    write_results(&c);
    launch(&c);
}
