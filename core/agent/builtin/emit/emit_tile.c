#include "core/agent/builtin/emit/emit_tile.h"

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"

static int rows_of(const struct emitter *e)
{
    return e->schedule->of[KNOB_TILE_M];
}

static int vectors_of(const struct emitter *e)
{
    return e->schedule->of[KNOB_TILE_N] / e->schedule->of[KNOB_VEC];
}

void emit_tile_start(struct emitter *e)
{
    emit_line(e, "    %s tile[%d][%d];\n", emit_vector_type(e, "float", e->schedule->of[KNOB_VEC]),
              rows_of(e), vectors_of(e));
    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++)", rows_of(e));
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++)", vectors_of(e));
    emit_line(e, "            tile[i][j] = %s;\n",
              emit_vector_initial(e, "float", "0", e->schedule->of[KNOB_VEC]));
}

void emit_tile_unroll(struct emitter *e)
{
    if (e->schedule->of[KNOB_UNROLL] > 1)
        emit_line(e, "#pragma unroll %d", e->schedule->of[KNOB_UNROLL]);
}

void emit_tile_step(struct emitter *e, const struct tile_step *step)
{
    int width = e->schedule->of[KNOB_VEC];
    const char *type = emit_vector_type(e, "float", width), *indent = step->indent;
    const char *b = emit_text(e, "%s + j * %d", step->b, step->stride);

    emit_line(e, "%s%s w[%d];\n", indent, type, vectors_of(e));
    emit_line(e, "#pragma unroll\n%sfor (int j = 0; j < %d; j++)", indent, vectors_of(e));
    emit_line(e, "%s    w[j] = %s;", indent,
              (step->is_aligned ? emit_vector_load_aligned : emit_vector_load)(e, width, b));
    emit_line(e, "#pragma unroll\n%sfor (int i = 0; i < %d; i++)", indent, rows_of(e));
    emit_line(e, "#pragma unroll\n%s    for (int j = 0; j < %d; j++)", indent, vectors_of(e));
    emit_line(e, "%s        tile[i][j] = fma(%s, w[j], tile[i][j]);", indent,
              emit_vector_splat(e, step->a, width));
}

/*
 * The number of blocks in the ring: as the schedule says, but no more than a kernel may declare
 * statically.
 */
static int stages_of(const struct emitter *e, const struct tile_stages *s)
{
    enum { MAX_BYTES = 48 << 10, LEAST = 2 };
    int lines = s->rows + s->columns + 2 * TILE_PADDING;
    int most = MAX_BYTES / (lines * s->depth * (int)sizeof(float));
    int stages = e->schedule->of[KNOB_STAGES] < most ? e->schedule->of[KNOB_STAGES] : most;

    return stages < LEAST ? LEAST : stages;
}

enum { MOST_ITEMS = 1024 }; /* the most work-items of a work-group in CUDA */

int emit_tile_slices(const struct emitter *e, const struct tile_stages *s)
{
    int slices = e->schedule->of[KNOB_SLICES];
    bool is_joined_in_block = s->columns <= stages_of(e, s) * s->depth;

    return s->depth % slices == 0 && s->items * slices <= MOST_ITEMS && is_joined_in_block ? slices
                                                                                           : 1;
}

/*
 * Add the tiles of all slices to that of slice 0. The other slices store theirs in the blocks, one
 * slice after the other.
 */
static void write_slices(struct emitter *e, int slices, int items)
{
    int width = e->schedule->of[KNOB_VEC];
    const char *address =
        emit_text(e, "&parts[((i * %d + j) * %d + own) * %d]", vectors_of(e), items, width);
    const char *loops = emit_text(e,
                                  "#pragma unroll\n            for (int i = 0; i < %d; i++)\n"
                                  "#pragma unroll\n                for (int j = 0; j < %d; j++)\n",
                                  rows_of(e), vectors_of(e));

    emit_line(e, "    float *const parts = &a_block[0][0][0];\n");
    emit_line(e, "    for (int other = 1; other < %d; other++) {\n        $barrier;", slices);
    emit_line(e, "        if (slice == other) {\n%s                    %s;\n        }", loops,
              emit_vector_store_aligned(e, width, "tile[i][j]", address));
    emit_line(e, "        $barrier;\n        if (slice == 0) {");
    emit_line(e, "%s                    tile[i][j] += %s;\n        }\n    }", loops,
              emit_vector_load_aligned(e, width, address));
    emit_line(e, "    if (slice > 0)\n        return;");
}

void emit_tile_staged_sum(struct emitter *e, const struct tile_stages *s)
{
    int stages = stages_of(e, s), ahead = (stages - 1) * s->depth;
    int slices = s->slices, steps = s->depth / slices;

    emit_line(e, "    $local float a_block[%d][%d][%d], b_block[%d][%d][%d];", stages, s->depth,
              s->rows + TILE_PADDING, stages, s->depth, s->columns + TILE_PADDING);
    emit_line(e, "    int to = 0, from = 0;");
    emit_line(e, "\n    for (int next = 0; next < %s + %d; next += %d) {", s->steps, ahead,
              s->depth);
    emit_line(e, "        if (next >= %d) {", ahead);
    emit_line(e, "            copies_wait<%d>();\n            $barrier;\n        }", stages - 2);
    emit_line(e, "        if (next < %s) {", s->steps);
    s->write_copies(s->data);
    emit_line(e, "        }\n        copies_end();");
    emit_line(e, "        to = to + 1 == %d ? 0 : to + 1;", stages);
    emit_line(e, "        if (next < %d)\n            continue;", ahead);
    emit_tile_unroll(e);
    emit_line(e, "        for (int k = %s; k < %s; k++) {",
              slices > 1 ? emit_text(e, "slice * %d", steps) : "0",
              slices > 1 ? emit_text(e, "(slice + 1) * %d", steps) : emit_text(e, "%d", steps));
    emit_tile_step(e, &(struct tile_step){
                          .indent = "            ",
                          .a = "a_block[from][k][tile_row - first_row + i]",
                          .b = "b_block[from][k] + col - first_col",
                          .stride = s->stride,
                          .is_aligned = true,
                      });
    emit_line(e, "        }\n        from = from + 1 == %d ? 0 : from + 1;\n    }\n", stages);
    if (slices > 1)
        write_slices(e, slices, s->items);
}

/* The bias to add to the sum at the position, with its plus sign; "" for none. */
static const char *bias_text(struct emitter *e, const struct tile_rows *rows,
                             const struct position *position)
{
    if (!rows->bias)
        return "";
    if (rows->bias_index)
        return emit_text(e, " + p_%s[%s]", rows->bias, rows->bias_index);
    return emit_text(
        e, " + %s",
        emit_vector_load_aligned(e, position->width,
                                 emit_text(e, "p_%s + %s", rows->bias, position->column)));
}

/* Declare the value from the sum, and compute and store what follows it. */
static void write_values(struct emitter *e, const struct tile_rows *rows, const char *sum,
                         const struct position *position)
{
    emit_line(e, "%sconst %s v_%s = %s%s;", position->indent,
              emit_vector_type(e, "float", position->width), emit_value_at(e, rows->out)->name, sum,
              bias_text(e, rows, position));
    e->is_declared[rows->out] = true;
    emit_results(e, position);
    e->is_declared[rows->out] = false;
}

/* Store the columns of a last vector that is not whole, one by one. */
static void write_edge(struct emitter *e, const struct tile_rows *rows)
{
    int width = e->schedule->of[KNOB_VEC];
    struct position position = {
        .row = "row", .column = "(c + l)", .width = 1, .indent = "                    "};

    if (width > 1) {
        emit_line(e, "            } else {\n                float part[%d];\n", width);
        emit_line(e, "                %s;", emit_vector_store(e, width, "tile[i][j]", "part"));
    } else {
        emit_line(e, "            {\n                const float part[1] = {tile[i][j]};\n");
    }
    emit_line(e, "                for (int l = 0; l < %d && c + l < %s; l++) {", width,
              rows->columns);
    write_values(e, rows, "part[l]", &position);
    emit_line(e, "                }\n            }");
}

void emit_tile_results(struct emitter *e, const struct tile_rows *rows)
{
    int width = e->schedule->of[KNOB_VEC];
    bool divides = emit_divides(e, group_columns(e->writer, e->group), rows->span);
    struct position position = {.row = "row",
                                .column = "c",
                                .width = width,
                                .indent = divides ? "            " : "                ",
                                .is_aligned = emit_is_whole(e, width)};

    emit_line(e, "#pragma unroll\n    for (int i = 0; i < %d; i++) {", rows_of(e));
    emit_line(e, "        if (%s)\n            break;", rows->is_outside);
    emit_line(e, "        const int row = %s;", rows->number);
    emit_row_axes(e, "        ");
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %d; j++) {", vectors_of(e));
    emit_line(e, "            const int c = col + j * %d;\n", rows->stride);
    if (!divides && width > 1)
        emit_line(e, "            if (c + %d <= %s) {", width, rows->columns);
    if (divides || width > 1)
        write_values(e, rows, "tile[i][j]", &position);
    if (!divides)
        write_edge(e, rows);
    emit_line(e, "        }\n    }");
}
