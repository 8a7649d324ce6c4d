#include "core/agent/builtin/emit/convolution/convolution.h"

#include "core/agent/builtin/emit/convolution/convolution_frame.h"
#include "core/agent/builtin/emit/convolution/convolution_gemm.h"
#include "core/agent/builtin/emit/convolution/convolution_kernel.h"
#include "core/agent/builtin/emit/convolution/convolution_lines.h"
#include "core/agent/builtin/emit/convolution/convolution_matrix.h"
#include "core/agent/builtin/emit/convolution/convolution_parts.h"
#include "core/agent/builtin/emit/convolution/convolution_phases.h"
#include "core/agent/builtin/emit/convolution/convolution_window.h"
#include "core/agent/builtin/emit/emit_tile.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"

/*
 * Direct convolution. A work-item keeps sums for tile_m output channels at tile_n positions of one
 * output line in registers, and loops over input channels and taps. In a transposed convolution
 * these positions are of one phase (convolution_phases.h); a work-item computes all phases of its
 * line one after the other, and interleaves them before the operations that follow.
 *
 * Two kernels run before it. One packs the weights of tile_m channels side by side. The other
 * copies the operand to a frame of zeros (convolution_frame.h).
 */

/* The index of the weight of `filter` of the tile's group and of `step`, a channel and tap. */
static const char *weight_index(const struct convolution_kernel *c, const char *steps)
{
    const char *group = emit_text(c->e, "tile / %s", c->tiles);

    if (c->shape.window.kind == WINDOW_FORWARD)
        return emit_text(c->e, "(%s * %s + filter) * %s + step", group, c->filters, steps);
    return emit_text(c->e, "((%s * %s + step / %s) * %s + filter) * %s + step %% %s", group,
                     c->channels, c->taps, c->filters, c->taps, c->taps);
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
              "        filter < %s ? p_%s[%s] : 0.0f;\n}\n",
              c->weights, steps, m, m, c->filters, w->name, weight_index(c, steps));
    writer_launch(e->writer, emit_copies_of(e, w), &kernel, &space);
    kernel_release(&kernel);
}

/* Phases of the last axis, which a work-item interleaves. */
static int phases_of(const struct convolution_kernel *c)
{
    return (int)convolution_phase_axis(c, convolution_last(c)).phases;
}

/* Columns of the result that a work-item computes. */
static int span_of(const struct convolution_kernel *c)
{
    return c->e->schedule->of[KNOB_TILE_N] * phases_of(c);
}

/*
 * Number the tiles. Work-items of a group take neighbouring positions, so that their loads are
 * contiguous. Single work-items process the filters of the same positions one after the other, so
 * that these positions are in the cache.
 */
static void write_numbers(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    int span = span_of(c), n = e->schedule->of[KNOB_TILE_N];
    const char *tiles = emit_text(e, "(%lld * %s)", (long long)c->shape.groups, c->tiles);
    const char *positions =
        emit_text(e, "((%s + %d) / %d)", convolution_size(c, c->node->out, convolution_last(c)),
                  span - 1, span);

    if (e->schedule->of[KNOB_GROUP] == 1) {
        emit_line(e, "    const int tile_number = $global_id0 %% %s;", tiles);
        emit_line(e, "    const int at = $global_id0 / %s * %d;", tiles, n);
    } else {
        emit_line(e, "    const int tile_number = $global_id0 / %s;", positions);
        emit_line(e, "    const int at = $global_id0 %% %s * %d;", positions, n);
    }
}

/* Divide the coordinates of the result's line by the phases of their axes. */
static void write_line_phases(const struct convolution_kernel *c)
{
    for (size_t axis = FIRST_SPATIAL; axis < convolution_last(c); axis++) {
        long long phases = convolution_phase_axis(c, axis).phases;

        if (phases > 1)
            emit_line(c->e, "    const int r%zu = o%zu %% %lld, q%zu = o%zu / %lld;", axis, axis,
                      phases, axis, axis, phases);
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
    write_line_phases(c);
    emit_line(e, "    $global const float *weights = p_%s + tile_number * %s * %s * %d;",
              c->weights, c->channels, c->taps, e->schedule->of[KNOB_TILE_M]);
    emit_line(e,
              "    $global const float *plane = p_%s + (image * %s + channel_group * %s) * %s * "
              "%s;",
              c->frame, convolution_size(c, c->node->in[0], 1), c->channels,
              convolution_framed_lines(c), convolution_framed_line(c));
    emit_line(e, "    plane += at;");
}

/* The tap `k<axis>` of all axes up to the last one, or including it, among the taps of a channel.
 */
static const char *tap_index(const struct convolution_kernel *c)
{
    const char *index = "0";

    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        const struct phase_axis p = convolution_phase_axis(c, axis);
        const char *first = convolution_phase_number(c, axis, PHASE_FIRST);
        const char *tap = p.phases == 1 && p.step == 1 ? emit_text(c->e, "k%zu", axis)
                                                       : emit_text(c->e, "(%s + k%zu * %lld)",
                                                                   first, axis, (long long)p.step);

        index = axis == FIRST_SPATIAL ? tap
                                      : emit_text(c->e, "(%s * %s + %s)", index,
                                                  convolution_size(c, c->node->in[1], axis), tap);
    }
    return index;
}

/* The number of the frame's line that taps `k<axis>` meet. */
static const char *met_line(const struct convolution_kernel *c)
{
    const char *line = "0";

    for (size_t axis = FIRST_SPATIAL; axis < convolution_last(c); axis++)
        line = emit_text(c->e, "(%s * %s + %s)", line, convolution_framed(c, axis),
                         convolution_met_place(c, axis));
    return line;
}

/* Write a loop for each axis of the window, with one step of the sum inside. */
static void write_sum(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    size_t last = convolution_last(c);

    emit_line(e, "    for (int channel = 0; channel < %s; channel++) {", c->channels);
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        if (axis == last)
            emit_tile_unroll(e);
        emit_line(e, "    for (int k%zu = 0; k%zu < %s; k%zu++)%s", axis, axis,
                  convolution_phase_number(c, axis, PHASE_TAPS), axis, axis == last ? " {" : "");
    }
    emit_line(e, "        $global const float *b = plane + (channel * %s + %s) * %s + %s;",
              convolution_framed_lines(c), met_line(c), convolution_framed_line(c),
              convolution_met_column(c));
    emit_line(e, "        $global const float *a = weights + (channel * %s + %s) * %d;", c->taps,
              tap_index(c), e->schedule->of[KNOB_TILE_M]);
    emit_tile_step(
        e, &(struct tile_step){
               .indent = "        ", .a = "a[i]", .b = "b", .stride = e->schedule->of[KNOB_VEC]});
    emit_line(e, "    }\n    }\n");
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
               .span = span_of(c),
               .is_outside = emit_text(e, "first + i >= %s", c->filters),
               .number =
                   emit_text(e, "(image * %s + %s) * %s + line", convolution_size(c, out, 1),
                             filter, convolution_sizes(c, out, FIRST_SPATIAL, convolution_last(c))),
               .bias = c->shape.bias ? c->shape.bias->name : NULL,
               .bias_index = filter,
           });
}

/* Write the sums of one phase of the last axis after the other to `woven`, lines of the result. */
static void write_woven_sums(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    int width = e->schedule->of[KNOB_VEC], vectors = e->schedule->of[KNOB_TILE_N] / width;
    int phases = phases_of(c), rows = e->schedule->of[KNOB_TILE_M];

    emit_line(e, "    float woven[%d][%d];\n", rows, span_of(c));
    emit_line(e, "    for (int r%zu = 0; r%zu < %d; r%zu++) {", convolution_last(c),
              convolution_last(c), phases, convolution_last(c));
    emit_tile_start(e);
    write_sum(c);
    emit_line(e, "    for (int i = 0; i < %d; i++)\n        for (int j = 0; j < %d; j++) {", rows,
              vectors);
    emit_line(e, "            float part[%d];\n", width);
    emit_line(e, "            %s;", emit_vector_store(e, width, "tile[i][j]", "part"));
    emit_line(e, "            for (int l = 0; l < %d; l++)", width);
    emit_line(e, "                woven[i][(j * %d + l) * %d + r%zu] = part[l];", width, phases,
              convolution_last(c));
    emit_line(e, "        }\n    }\n");
}

/* Take the woven lines in pieces as large as the tile. */
static void write_woven_results(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    int width = e->schedule->of[KNOB_VEC], n = e->schedule->of[KNOB_TILE_N];
    const char *at = emit_text(e, "&woven[i][piece * %d + j * %d]", n, width);

    emit_line(e, "    for (int piece = 0; piece < %d; piece++) {", phases_of(c));
    emit_line(e, "    const int col = at * %d + piece * %d;", phases_of(c), n);
    emit_tile_start(e);
    emit_line(e, "    for (int i = 0; i < %d; i++)\n        for (int j = 0; j < %d; j++)",
              e->schedule->of[KNOB_TILE_M], n / width);
    emit_line(e, "            tile[i][j] = %s;\n", emit_vector_load(e, width, at));
    write_results(c);
    emit_line(e, "    }\n}");
}

static void write_body(const struct convolution_kernel *c)
{
    write_start(c);
    if (phases_of(c) > 1) {
        write_woven_sums(c);
        write_woven_results(c);
        return;
    }
    emit_line(c->e, "    const int col = at;");
    emit_tile_start(c->e);
    write_sum(c);
    write_results(c);
    emit_line(c->e, "}");
}

static void launch(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    size_t out = c->node->out;
    struct space space = {.rank = 3};
    int group = e->schedule->of[KNOB_GROUP] ? e->schedule->of[KNOB_GROUP] : 1;

    space.global[0] =
        emit_text(e, "align(%lld * %s * ceildiv(%s, %d), 1)", (long long)c->shape.groups, c->tiles,
                  convolution_size(c, out, convolution_last(c)), span_of(c));
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
    int m = e->schedule->of[KNOB_TILE_M];

    c.shape = convolution_of(&c.call);
    c.rank = c.call.out->shape.rank;
    c.frame = emit_text(e, "%s_frame_%zu", c.call.in[0]->name, e->number);
    c.weights = emit_text(e, "%s_tiles_%zu", c.call.in[1]->name, e->number);
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
    if (convolution_is_lines(&c)) {
        convolution_lines_kernel(&c);
        return;
    }
    if (convolution_has_parts(&c)) {
        convolution_parts(&c);
        return;
    }
    if (convolution_has_matrix(&c)) {
        convolution_matrix(&c);
        return;
    }
    if (convolution_has_gemm(&c)) {
        convolution_gemm(&c);
        return;
    }
    convolution_frame(&c);
    write_pack(&c);
    kernel_add_arg(&e->kernel, &(struct kernel_arg){c.frame, DTYPE_F32, false, NULL});
    kernel_add_arg(&e->kernel, &(struct kernel_arg){c.weights, DTYPE_F32, false, NULL});
    emit_args(e, 1U << 0 | 1U << 1);
    writer_head(e->writer, &e->kernel);
    write_body(&c);
    launch(&c);
}
