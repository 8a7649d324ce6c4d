#include "core/agent/builtin/emit/convolution/convolution_gemm.h"

#include "core/agent/builtin/emit/convolution/convolution_phases.h"
#include "core/agent/builtin/emit/convolution/convolution_places.h"
#include "core/agent/builtin/emit/convolution/convolution_tile.h"
#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_tile.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"

/* The kernel that is being written; sizes are C text. */
struct gemm {
    const struct convolution_kernel *c;
    struct convolution_tile tile;
    const char *channels, *filters; /* of the packed weights, with padding */
    const char *steps;              /* of the sum, where a block has any taps */
};

bool convolution_has_gemm(const struct convolution_kernel *c)
{
    return c->e->writer->dialect->copies != NULL;
}

static const char *rounded(const struct gemm *g, const char *size, int step)
{
    return emit_text(g->c->e, "((%s + %d) / %d * %d)", size, step - 1, step, step);
}

static struct gemm gemm_of(const struct convolution_kernel *c)
{
    struct gemm g = {.c = c, .tile = convolution_tile_fit(c)};

    g.channels = rounded(&g, c->channels, g.tile.depth);
    g.filters = rounded(&g, c->filters, g.tile.rows);
    g.steps = rounded(&g, emit_text(c->e, "%s * %s", c->channels, c->taps), g.tile.depth);
    return g;
}

/*
 * Write the kernel that packs the weights to [group][tap][channel][filter], or to [group][channel
 * and tap][filter], with zeros after the last channel and the last filter.
 */
static void write_pack(const struct gemm *g)
{
    const struct convolution_kernel *c = g->c;
    struct emitter *e = c->e;
    const struct value *w = c->call.in[1];
    bool is_transposed = c->shape.window.kind == WINDOW_TRANSPOSED;
    const char *groups = emit_text(e, "%lld", (long long)c->shape.groups);
    const char *steps =
        g->tile.is_by_tap ? emit_text(e, "(%s * %s)", c->taps, g->channels) : g->steps;
    const char *shape[] = {groups, steps, g->filters};
    const char *all = emit_text(e, "%s * %s * %s", groups, steps, g->filters);
    struct space space = {
        .global = {emit_text(e, "align(%s, 256)", all)}, .local = {"256"}, .rank = 1};
    struct kernel kernel = {.name = emit_text(e, "pack_%zu", e->number)};

    writer_scratch(e->writer, c->weights, DTYPE_F32, shape, 3);
    kernel_add_value(&kernel, w, false);
    kernel_add_arg(&kernel, &(struct kernel_arg){c->weights, DTYPE_F32, true, NULL});
    writer_head(e->writer, &kernel);
    emit_line(e, "    const int i = $global_id0, filter = i %% %s, group = i / (%s * %s);",
              g->filters, steps, g->filters);
    emit_line(e, "    const int step = i / %s %% %s;", g->filters, steps);
    emit_line(e,
              g->tile.is_by_tap ? "    const int channel = step %% %s, tap = step / %s;\n"
                                : "    const int channel = step / %s, tap = step %% %s;\n",
              g->tile.is_by_tap ? g->channels : c->taps, g->tile.is_by_tap ? g->channels : c->taps);
    emit_line(e, "    if (group < %s)\n        p_%s[i] = filter < %s && channel < %s", groups,
              c->weights, c->filters, c->channels);
    emit_line(e,
              is_transposed
                  ? "            ? p_%s[((group * %s + channel) * %s + filter) * %s + tap]"
                  : "            ? p_%s[((group * %s + filter) * %s + channel) * %s + tap]",
              w->name, is_transposed ? c->channels : c->filters,
              is_transposed ? c->filters : c->channels, c->taps);
    emit_line(e, "            : 0.0f;\n}\n");
    writer_launch(e->writer, emit_copies_of(e, w), &kernel, &space);
    kernel_release(&kernel);
}

/*
 * Declare what the copies need: the place that the work-item copies for, where its first tap meets
 * the operand, and counters of taps and channels.
 */
static void write_copy_start(const struct gemm *g)
{
    const struct convolution_kernel *c = g->c;
    struct emitter *e = c->e;
    const char *planes = convolution_sizes(c, c->node->in[0], FIRST_SPATIAL, c->rank);

    emit_line(e, "    const int own = min(first_col + item %% %d, count - 1);", g->tile.columns);
    convolution_write_places(c, "q", "own", "    ");
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++)
        emit_line(e, "    const int x%zu = q%zu * %lld + %s;", axis, axis,
                  (long long)convolution_phase_axis(c, axis).scale,
                  convolution_phase_number(c, axis, PHASE_SHIFT));
    emit_line(e, "    const float *const plane = p_%s + (own / %s * %s + channel_group * %s) * %s;",
              c->call.in[0]->name, g->c->places, convolution_size(c, c->node->in[0], 1),
              c->channels, planes);
    emit_line(e, "    const float *const weights = p_%s + channel_group * (%s * %s) + first_row;",
              c->weights,
              g->tile.is_by_tap ? emit_text(e, "%s * %s", c->taps, g->channels) : g->steps,
              g->filters);
    if (!g->tile.is_by_tap)
        return;
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++)
        emit_line(e, "    const int taps%zu = %s;\n    int j%zu = 0;", axis,
                  convolution_phase_number(c, axis, PHASE_TAPS), axis);
    emit_line(e, "    int channel = 0;");
}

static void write_start(const struct gemm *g)
{
    struct emitter *e = g->c->e;

    emit_line(e, "    const int item = $local_id1 * $local_size0 + $local_id0;");
    emit_line(e, "    const int first_col = $group_id0 * %d, first_row = $group_id1 * %d;",
              g->tile.columns, g->tile.rows);
    emit_line(e, "    const int col = first_col + $local_id0 * %d;", g->tile.width);
    emit_line(e, "    const int tile_row = first_row + $local_id1 * %d, count = %s * %s;",
              g->tile.m, convolution_size(g->c, g->c->node->out, 0), g->c->places);
    convolution_write_phase(g->c, "$group_id2");
    write_copy_start(g);
    emit_tile_start(e);
}

/* Copy the weights of the block, whose lines begin at `from`. */
static void write_weight_copies(const struct gemm *g, const char *from)
{
    struct emitter *e = g->c->e;
    int vectors = g->tile.rows / 4;

    emit_line(e, "#pragma unroll\n            for (int part = item; part < %d; part += %d)",
              vectors * g->tile.depth, g->tile.items);
    emit_line(e, "                copy_later<16>(&a_block[to][part / %d][part %% %d * 4],", vectors,
              vectors);
    emit_line(e, "                               %s + part / %d * %s + part %% %d * 4, true);",
              from, vectors, g->filters, vectors);
}

/* Go on to the next channels, or to those of the next tap. */
static void write_next_block(const struct gemm *g)
{
    const struct convolution_kernel *c = g->c;
    struct emitter *e = c->e;

    emit_line(e, "            channel += %d;\n            if (channel == %s) {", g->tile.depth,
              g->channels);
    emit_line(e, "                channel = 0;\n                j%zu++;", c->rank - 1);
    for (size_t axis = c->rank - 1; axis > FIRST_SPATIAL; axis--) {
        emit_line(e, "                if (j%zu == taps%zu) {", axis, axis);
        emit_line(e, "                    j%zu = 0;\n                    j%zu++;", axis, axis - 1);
        emit_line(e, "                }");
    }
    emit_line(e, "            }");
}

static void write_copies_by_tap(const struct gemm *g)
{
    const struct convolution_kernel *c = g->c;
    struct emitter *e = c->e;
    const char *index = convolution_write_met_place(c, "j", "            "),
               *planes = convolution_sizes(c, c->node->in[0], FIRST_SPATIAL, c->rank);
    bool is_whole =
        c->shape.in_channels % g->tile.depth == 0 && e->writer->extents.is_fixed[c->node->in[0]][1];

    emit_line(e, "            const int place = is_inside ? %s : 0;", index);
    emit_line(e, "            const float *const lines = weights + ((%s) * %s + channel) * %s;",
              convolution_tap_index(c), g->channels, g->filters);
    write_weight_copies(g, "lines");
    emit_line(e, "#pragma unroll\n            for (int part = 0; part < %d; part += %d) {",
              g->tile.depth, g->tile.items / g->tile.columns);
    emit_line(e, "                const int step = part + item / %d;", g->tile.columns);
    emit_line(e, "                const bool is_there = %s;\n",
              is_whole ? "is_inside"
                       : emit_text(e, "is_inside && channel + step < %s", c->channels));
    emit_line(e, "                copy_later<4>(&b_block[to][step][item %% %d],", g->tile.columns);
    emit_line(
        e,
        "                              plane + (is_there ? (channel + step) * %s + place : 0), "
        "is_there);\n            }",
        planes);
    write_next_block(g);
}

/* Copy the elements of steps that have any channels and taps. */
static void write_copies_of_any(const struct gemm *g)
{
    const struct convolution_kernel *c = g->c;
    struct emitter *e = c->e;
    const char *left = emit_text(e, "step %% %s", c->taps), *index;

    write_weight_copies(g, emit_text(e, "weights + next * %s", g->filters));
    emit_line(e, "#pragma unroll\n            for (int part = 0; part < %d; part += %d) {",
              g->tile.depth, g->tile.items / g->tile.columns);
    emit_line(e, "                const int step = next + part + item / %d;", g->tile.columns);
    for (size_t axis = c->rank; axis-- > FIRST_SPATIAL;) {
        const char *size = convolution_size(c, c->node->in[1], axis);

        emit_line(e, "                const int k%zu = %s %% %s;", axis, left, size);
        left = emit_text(e, axis == c->rank - 1 ? "(%s) / %s" : "%s / %s", left, size);
    }
    index = convolution_write_met_place(c, "k", "                ");
    emit_line(e, "                const bool is_there = is_inside && step < %s * %s;\n",
              c->channels, c->taps);
    emit_line(e, "                copy_later<4>(&b_block[to][step - next][item %% %d],",
              g->tile.columns);
    emit_line(e,
              "                              plane + (is_there ? step / %s * %s + %s : 0), "
              "is_there);\n            }",
              c->taps, convolution_sizes(c, c->node->in[0], FIRST_SPATIAL, c->rank), index);
}

static void write_copies(const void *data)
{
    const struct gemm *g = data;

    (g->tile.is_by_tap ? write_copies_by_tap : write_copies_of_any)(g);
}

/* The steps of the sum: those of the phase. */
static const char *steps_of(const struct gemm *g)
{
    const struct convolution_kernel *c = g->c;
    const char *steps = g->channels;

    if (!g->tile.is_by_tap)
        return g->steps;
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++)
        steps = emit_text(c->e, "%s * taps%zu", steps, axis);
    return steps;
}

static void write_sum(const struct gemm *g)
{
    emit_tile_staged_sum(g->c->e, &(struct tile_stages){.rows = g->tile.rows,
                                                        .columns = g->tile.columns,
                                                        .depth = g->tile.depth,
                                                        .items = g->tile.items,
                                                        .slices = 1,
                                                        .stride = g->tile.across * g->tile.width,
                                                        .steps = steps_of(g),
                                                        .write_copies = write_copies,
                                                        .data = g});
}

/* True if vectors of places are vectors of the result. */
static bool has_vectors(const struct gemm *g)
{
    return convolution_phases(g->c) == 1 && g->tile.width > 1 &&
           emit_is_whole(g->c->e, g->tile.width);
}

/* Store the tile with its epilogue. */
static void write_results(const struct gemm *g)
{
    const struct convolution_kernel *c = g->c;
    struct emitter *e = c->e;
    bool is_vector = has_vectors(g);
    int width = is_vector ? g->tile.width : 1, scalars = g->tile.width / width;
    const struct position position = {.row = "row",
                                      .column = "c",
                                      .width = width,
                                      .indent = "                ",
                                      .is_aligned = is_vector};
    const char *sum = "tile[i][j]";

    emit_line(e, "#pragma unroll\n    for (int part = 0; part < %d; part++) {", g->tile.n / width);
    emit_line(e, "        const int j = part / %d, l = part %% %d;", scalars, scalars);
    emit_line(e, "        const int place = col + j * %d + l;", g->tile.across * g->tile.width);
    convolution_write_result_place(c, "continue");
    emit_line(e, "#pragma unroll\n        for (int i = 0; i < %d; i++) {", g->tile.m);
    emit_line(e, "            if (tile_row + i < %s) {", c->filters);
    convolution_write_row(c, "tile_row + i", "                ");
    emit_row_axes(e, "                ");
    if (scalars > 1) {
        emit_line(e, "                float parts[%d];\n                %s;", scalars,
                  emit_vector_store(e, scalars, "tile[i][j]", "parts"));
        sum = "parts[l]";
    }
    convolution_write_result(c, emit_vector_type(e, "float", width), sum, "                ");
    emit_results(e, &position);
    emit_line(e, "            }\n        }\n    }\n}");
}

static void launch(const struct gemm *g)
{
    const struct convolution_kernel *c = g->c;
    struct emitter *e = c->e;
    struct space space = {.rank = 3};

    space.global[0] =
        emit_text(e, "ceildiv(%s * %s, %d) * %d", convolution_size(c, c->node->out, 0),
                  g->c->places, g->tile.columns, g->tile.across);
    space.global[1] = emit_text(e, "ceildiv(%s, %d) * %d", c->filters, g->tile.rows, g->tile.down);
    space.global[2] =
        emit_text(e, "%lld", (long long)c->shape.groups * (long long)convolution_phases(c));
    space.local[0] = emit_text(e, "%d", g->tile.across);
    space.local[1] = emit_text(e, "%d", g->tile.down);
    space.local[2] = "1";
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

void convolution_gemm(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    const struct schedule *wanted = e->schedule;
    const struct gemm g = gemm_of(c);
    struct schedule fitted = *wanted;

    fitted.of[KNOB_TILE_M] = g.tile.m;
    fitted.of[KNOB_TILE_N] = g.tile.n;
    fitted.of[KNOB_VEC] = g.tile.width;
    e->schedule = &fitted;
    write_pack(&g);
    kernel_add_arg(&e->kernel, &(struct kernel_arg){c->weights, DTYPE_F32, false, NULL});
    emit_args(e, 1U << 1);
    e->kernel.work_items = g.tile.items;
    writer_head(e->writer, &e->kernel);
    write_start(&g);
    write_sum(&g);
    write_results(&g);
    launch(&g);
    e->schedule = wanted;
}
