#include "core/agent/builtin/emit/convolution/convolution_lines.h"

#include "core/agent/builtin/emit/convolution/convolution_frame.h"
#include "core/agent/builtin/emit/convolution/convolution_phases.h"
#include "core/agent/builtin/emit/convolution/convolution_places.h"
#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/plan/family.h"

enum {
    TWO = 2, /* places of a work-item, so that it uses each weight twice */
    FEWEST_ITEMS = 32,
    MOST_ITEMS = 128,
    FEWEST_FILTERS = 4, /* a vector of weights */
    MOST_FILTERS = 8,
    MOST_SUMS = 128,        /* of a work-item */
    MOST_EXCHANGED = 10240, /* floats that a work-group exchanges, 40 KiB */
    PACK_GROUP = 256
};

/* The kernel that is being written. */
struct lines {
    const struct convolution_kernel *c;
    const struct window_axis *last;
    int items, filters;    /* of a work-group */
    int span;              /* neighbouring elements of a line that it computes */
    const char *tiles;     /* tiles of the filters of a group of channels */
    const char *segments;  /* parts of a line */
    const char *positions; /* lines of a result channel */
};

bool convolution_is_lines(const struct convolution_kernel *c)
{
    return family_has_lines(c->e->writer, &c->shape);
}

static struct lines lines_of(const struct convolution_kernel *c)
{
    size_t axis = convolution_last(c);
    struct lines l = {.c = c, .last = convolution_axis(c, axis), .items = FEWEST_ITEMS};
    int64_t stride = l.last->stride, phases = l.last->kernel < stride ? l.last->kernel : stride;
    int64_t width = c->call.out->shape.dims[axis];

    while (l.items < MOST_ITEMS && (int64_t)l.items * TWO * stride < width &&
           (int64_t)l.items * TWO * 2 * stride * FEWEST_FILTERS <= MOST_EXCHANGED)
        l.items *= 2;
    l.span = l.items * TWO * (int)stride;
    l.filters = MOST_FILTERS * l.span <= MOST_EXCHANGED && phases * TWO * MOST_FILTERS <= MOST_SUMS
                    ? MOST_FILTERS
                    : FEWEST_FILTERS;
    l.tiles = emit_text(c->e, "((%s + %d) / %d)", c->filters, l.filters - 1, l.filters);
    l.segments = emit_text(c->e, "((%s + %d) / %d)", convolution_size(c, c->node->out, axis),
                           l.span - 1, l.span);
    l.positions = convolution_sizes(c, c->node->out, FIRST_SPATIAL, axis);
    return l;
}

/*
 * Write the kernel that packs the weights to [group of channels and tile][tap before the last
 * axis][channel][tap along the last axis][filter of the tile], with zeros after the last filter.
 */
static void write_pack(const struct lines *l)
{
    const struct convolution_kernel *c = l->c;
    struct emitter *e = c->e;
    const struct value *w = c->call.in[1];
    const char *above = convolution_sizes(c, c->node->in[1], FIRST_SPATIAL, c->rank - 1);
    const char *across = convolution_size(c, c->node->in[1], convolution_last(c));
    const char *blocks = emit_text(e, "%lld * %s", (long long)c->shape.groups, l->tiles);
    const char *steps = emit_text(e, "%s * %s", c->taps, c->channels);
    const char *shape[] = {blocks, steps, emit_text(e, "%d", l->filters)};
    struct space space = {
        .global = {emit_text(e, "align(%s * %s * %d, %d)", blocks, steps, l->filters, PACK_GROUP)},
        .local = {emit_text(e, "%d", PACK_GROUP)},
        .rank = 1};
    struct kernel kernel = {.name = emit_text(e, "pack_%zu", e->number)};

    writer_scratch(e->writer, c->weights, DTYPE_F32, shape, 3);
    kernel_add_value(&kernel, w, false);
    kernel_add_arg(&kernel, &(struct kernel_arg){c->weights, DTYPE_F32, true, NULL});
    writer_head(e->writer, &kernel);
    emit_line(e, "    const int i = $global_id0, across = i / %d %% %s;", l->filters, across);
    emit_line(e, "    const int channel = i / (%d * %s) %% %s;", l->filters, across, c->channels);
    emit_line(e, "    const int above = i / (%d * %s * %s) %% %s;", l->filters, across, c->channels,
              above);
    emit_line(e, "    const int block = i / (%d * %s), group = block / %s;", l->filters, steps,
              l->tiles);
    emit_line(e, "    const int filter = block %% %s * %d + i %% %d;\n", l->tiles, l->filters,
              l->filters);
    emit_line(e, "    if (group < %lld)\n        p_%s[i] = filter < %s", (long long)c->shape.groups,
              c->weights, c->filters);
    emit_line(e,
              "            ? p_%s[((group * %s + channel) * %s + filter) * %s + above * %s + "
              "across] : 0.0f;\n}\n",
              w->name, c->channels, c->filters, c->taps, across);
    writer_launch(e->writer, emit_copies_of(e, w), &kernel, &space);
    kernel_release(&kernel);
}

/* Declare which part of which line the work-group computes, and the phase of the line. */
static void write_start(const struct lines *l)
{
    const struct convolution_kernel *c = l->c;
    struct emitter *e = c->e;

    emit_line(e, "    $local float results[%d];", l->filters * l->span);
    emit_line(e, "    const int first_column = $group_id0 %% %s * %d;", l->segments, l->span);
    emit_line(e, "    const int block = $group_id0 / %s %% (%lld * %s);", l->segments,
              (long long)c->shape.groups, l->tiles);
    emit_line(e, "    const int channel_group = block / %s, first_filter = block %% %s * %d;",
              l->tiles, l->tiles, l->filters);
    emit_line(e, "    const int position = $group_id0 / (%s * %lld * %s);", l->segments,
              (long long)c->shape.groups, l->tiles);
    emit_line(e, "    const int line = position %% %s, image = position / %s;", l->positions,
              l->positions);
    emit_line(e, "    const int first_place = first_column / %lld + $local_id0;",
              (long long)l->last->stride);
    convolution_lines(c, "o", "line", false);
    for (size_t axis = FIRST_SPATIAL; axis < convolution_last(c); axis++) {
        long long phases = (long long)convolution_phase_axis(c, axis).phases;

        emit_line(e, "    const int r%zu = o%zu %% %lld;", axis, axis, phases);
        emit_line(e, "    const int x%zu = o%zu / %lld + %s, taps%zu = %s, first%zu = %s;", axis,
                  axis, phases, convolution_phase_number(c, axis, PHASE_SHIFT), axis,
                  convolution_phase_number(c, axis, PHASE_TAPS), axis,
                  convolution_phase_number(c, axis, PHASE_FIRST));
    }
    emit_line(e, "    float sums[%d][%lld][%d];\n", TWO, (long long)l->last->stride, l->filters);
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %lld; i++)",
              TWO * (long long)l->last->stride * l->filters);
    emit_line(e, "        sums[i / %lld][i / %d %% %lld][i %% %d] = 0;",
              (long long)l->last->stride * l->filters, l->filters, (long long)l->last->stride,
              l->filters);
}

/* Open the loops over the taps before the last axis. Returns the number of braces. */
static size_t open_loops(const struct lines *l)
{
    const struct convolution_kernel *c = l->c;
    struct emitter *e = c->e;
    const char *row = "0", *above = "0";
    size_t axis = FIRST_SPATIAL;

    for (; axis < convolution_last(c); axis++) {
        const struct phase_axis p = convolution_phase_axis(c, axis);
        const char *size = convolution_size(c, c->node->in[0], axis);

        emit_line(e, "    for (int j%zu = 0; j%zu < taps%zu; j%zu++) {", axis, axis, axis, axis);
        emit_line(e, "        const int y%zu = x%zu + j%zu * %lld;\n", axis, axis, axis,
                  (long long)p.reach);
        emit_line(e, "        if (y%zu < 0 || y%zu >= %s)\n            continue;", axis, axis,
                  size);
        row = emit_text(e, "(%s * %s + y%zu)", row, size, axis);
        above = emit_text(e, "(%s * %s + first%zu + j%zu * %lld)", above,
                          convolution_size(c, c->node->in[1], axis), axis, axis, (long long)p.step);
    }
    emit_line(e,
              "        $global const float *plane = p_%s + ((image * %s + channel_group * %s) * %s "
              "+ %s) * %s;",
              c->call.in[0]->name, convolution_size(c, c->node->in[0], 1), c->channels,
              convolution_sizes(c, c->node->in[0], FIRST_SPATIAL, c->rank - 1), row,
              convolution_size(c, c->node->in[0], convolution_last(c)));
    emit_line(e,
              "        $global const float *weights = p_%s + (block * %s + %s * %lld) * %s * %d;",
              c->weights, c->taps, above, (long long)l->last->kernel, c->channels, l->filters);
    return axis - FIRST_SPATIAL;
}

/* The operand's place that tap `tap` of the last axis meets, less that of the result's phase. */
static int64_t met_place(const struct lines *l, int64_t tap, int64_t *phase)
{
    int64_t at = tap * l->last->dilation - l->last->padding, stride = l->last->stride;

    *phase = (at % stride + stride) % stride;
    return (*phase - at) / stride;
}

/* Write one tap of the last axis for both places. */
static void write_tap(const struct lines *l, int64_t tap)
{
    const struct convolution_kernel *c = l->c;
    struct emitter *e = c->e;
    const char *width = convolution_size(c, c->node->in[0], convolution_last(c));
    int64_t phase, shift = met_place(l, tap, &phase);

    emit_line(e, "            {\n                float w[%d];", l->filters);
    emit_line(e,
              "#pragma unroll\n                for (int i = 0; i < %d; i++)\n"
              "                    w[i] = weights[%lld + i];",
              l->filters, (long long)tap * l->filters);
    emit_line(e, "#pragma unroll\n                for (int n = 0; n < %d; n++) {", TWO);
    emit_line(e, "                    const int at = first_place + n * %d + %lld;", l->items,
              (long long)shift);
    emit_line(e, "                    const float x = at >= 0 && at < %s ? plane[at] : 0.0f;\n",
              width);
    emit_line(e,
              "#pragma unroll\n                    for (int i = 0; i < %d; i++)\n"
              "                        sums[n][%lld][i] += x * w[i];\n                }\n"
              "            }",
              l->filters, (long long)phase);
}

static void write_sum(const struct lines *l)
{
    const struct convolution_kernel *c = l->c;
    struct emitter *e = c->e;
    size_t loops = open_loops(l);

    emit_line(e, "#pragma unroll 2\n        for (int channel = 0; channel < %s; channel++) {",
              c->channels);
    for (int64_t tap = 0; tap < l->last->kernel; tap++)
        write_tap(l, tap);
    emit_line(e, "            plane += %s;\n            weights += %lld;\n        }",
              convolution_sizes(c, c->node->in[0], FIRST_SPATIAL, c->rank),
              (long long)l->last->kernel * l->filters);
    for (size_t i = 0; i < loops; i++)
        emit_line(e, "    }");
}

/* Exchange the sums, and store the lines of all filters. */
static void write_results(const struct lines *l)
{
    const struct convolution_kernel *c = l->c;
    struct emitter *e = c->e;
    long long stride = (long long)l->last->stride;
    size_t last = convolution_last(c);
    const struct position position = {
        .row = "row", .column = "c", .width = 1, .indent = "        "};
    const char *row = emit_text(e, "(image * %s + filter) * %s + line",
                                convolution_size(c, c->node->out, 1), l->positions);

    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %lld; i++)", TWO * stride * l->filters);
    emit_line(
        e,
        "        results[i %% %d * %d + (i / %lld * %d + $local_id0) * %lld + i / %d %% %lld] "
        "=\n            sums[i / %lld][i / %d %% %lld][i %% %d];",
        l->filters, l->span, stride * l->filters, l->items, stride, l->filters, stride,
        stride * l->filters, l->filters, stride, l->filters);
    emit_line(e, "    $barrier;\n    for (int i = $local_id0; i < %d; i += %d) {",
              l->filters * l->span, l->items);
    emit_line(e, "        const int own = first_filter + i / %d, c = first_column + i %% %d;\n",
              l->span, l->span);
    emit_line(e, "        if (own >= %s || c >= %s)\n            continue;", c->filters,
              convolution_size(c, c->node->out, last));
    emit_line(e, "        const int filter = channel_group * %s + own, row = %s;", c->filters, row);
    emit_row_axes(e, "        ");
    convolution_write_result(c, "float", "results[i]", "        ");
    emit_results(e, &position);
    emit_line(e, "    }\n}");
}

static void launch(const struct lines *l)
{
    const struct convolution_kernel *c = l->c;
    struct emitter *e = c->e;
    struct space space = {
        .global = {emit_text(e, "%s * %s * %lld * %s * %s * %d",
                             convolution_size(c, c->node->out, 0), l->positions,
                             (long long)c->shape.groups, l->tiles, l->segments, l->items)},
        .local = {emit_text(e, "%d", l->items)},
        .rank = 1};

    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

void convolution_lines_kernel(const struct convolution_kernel *c)
{
    const struct lines l = lines_of(c);
    struct emitter *e = c->e;

    write_pack(&l);
    kernel_add_arg(&e->kernel, &(struct kernel_arg){c->weights, DTYPE_F32, false, NULL});
    emit_args(e, 1U << 1);
    e->kernel.work_items = l.items;
    writer_head(e->writer, &e->kernel);
    write_start(&l);
    write_sum(&l);
    write_results(&l);
    launch(&l);
}
