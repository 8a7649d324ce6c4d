#include "core/agent/builtin/emit/emit_transpose.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/plan/family.h"

/*
 * A movement after which another axis is the last one.
 *
 * A work-item transposes squares of both axes in registers. A square is as many vectors as a vector
 * has elements. In log2(width) steps halves, quarters and so on of pairs of vectors are exchanged
 * (Eklundh, "A fast computer method for matrix transposing", 1972). Its squares form a block, so
 * that it touches few pages.
 *
 * The work-items of a larger group transpose a square in local memory, so that both loads and
 * stores are contiguous.
 */

struct transposition {
    struct emitter *e;
    struct op_call call;
    const struct graph_node *node;
    size_t axes[SHAPE_MAX_RANK]; /* the operand's axis for each axis of the result */
    size_t rank, down; /* `down`: the axis of the result that is the last one of the operand */
    int width, block;
    /* side of the square in local memory, and lines copied at once; 0 without local memory */
    int side, lines;
};

/*
 * The side of a square in local memory: long enough for coalesced accesses, and small enough for
 * the memory.
 */
enum { LEAST_SIDE = 32, MOST_SIDE = 64 };

static size_t result_axis(const struct transposition *t, size_t operand_axis)
{
    size_t axis = 0;

    while (axis + 1 < t->rank && t->axes[axis] != operand_axis)
        axis++;
    return axis;
}

static const char *stride(const struct transposition *t, size_t value, size_t axis)
{
    unsigned after = value_axes(t->call.out) & ~((2U << axis) - 1);
    const char *text = emit_sizes(t->e, value, after);

    return strchr(text, '*') ? emit_text(t->e, "(%s)", text) : text;
}

static const char *size_of(const struct transposition *t, size_t axis)
{
    return t->e->writer->extents.of[t->node->out][axis];
}

/* All axes but the two transposed ones. value_axes() / 2 removes the last one. */
static unsigned outer_axes(const struct transposition *t)
{
    return value_axes(t->call.out) / 2 & ~(1U << t->down);
}

/*
 * The distance in memory of neighbours across in the operand, and of neighbours down in the result.
 */
static const char *stride_in(const struct transposition *t)
{
    return stride(t, t->node->in[0], t->axes[t->rank - 1]);
}

static const char *stride_out(const struct transposition *t)
{
    return stride(t, t->node->out, t->down);
}

/* Advance both pointers to the plane of the two transposed axes. */
static void write_plane(const struct transposition *t)
{
    struct emitter *e = t->e;

    if (!outer_axes(t))
        return;
    emit_line(e, "    const int plane = $global_id2;");
    writer_axes(e->writer, t->node->out, outer_axes(t), "plane", "    ");
    for (size_t axis = 0; axis < t->rank; axis++)
        if (outer_axes(t) >> axis & 1)
            emit_line(e, "    p_%s += plane%zu * %s;\n    p_%s += plane%zu * %s;",
                      t->call.in[0]->name, axis, stride(t, t->node->in[0], t->axes[axis]),
                      t->call.out->name, axis, stride(t, t->node->out, axis));
}

/*
 * Transpose a square in local memory. Its lines are padded, so that the elements of a column lie in
 * different banks.
 */
static void write_shared(const struct transposition *t)
{
    struct emitter *e = t->e;
    const char *loop =
        emit_text(e, "#pragma unroll\n    for (int i = first; i < %d; i += %d)", t->side, t->lines);

    emit_line(e, "    $local float square[%d][%d];", t->side, t->side + 1);
    emit_line(e, "    const int lane = $local_id0 %% %d, first = $local_id0 / %d;", t->side,
              t->side);
    emit_line(e, "    const int down = $group_id0 * %d, across = $group_id1 * %d;", t->side,
              t->side);
    write_plane(t);
    emit_line(e, "\n%s", loop);
    emit_line(e, "        if (across + i < %s && down + lane < %s)", size_of(t, t->rank - 1),
              size_of(t, t->down));
    emit_line(e, "            square[i][lane] = p_%s[(across + i) * %s + down + lane];",
              t->call.in[0]->name, stride_in(t));
    emit_line(e, "    $barrier;\n%s", loop);
    emit_line(e, "        if (down + i < %s && across + lane < %s)", size_of(t, t->down),
              size_of(t, t->rank - 1));
    emit_line(e, "            p_%s[(down + i) * %s + across + lane] = square[lane][i];\n}",
              t->call.out->name, stride_out(t));
}

static void write_start(const struct transposition *t)
{
    struct emitter *e = t->e;

    emit_line(e, "    const int down_end = min((int)$global_id0 * %d + %d, %s);", t->block,
              t->block, size_of(t, t->down));
    emit_line(e, "    const int across_end = min((int)$global_id1 * %d + %d, %s);", t->block,
              t->block, size_of(t, t->rank - 1));
    write_plane(t);
    emit_line(e,
              "\n    for (int down = $global_id0 * %d; down < down_end; down += %d)\n"
              "    for (int across = $global_id1 * %d; across < across_end; across += %d) {",
              t->block, t->width, t->block, t->width);
    emit_line(e, "        $global const float *from = p_%s + across * %s + down;",
              t->call.in[0]->name, stride_in(t));
    emit_line(e, "        $global float *to = p_%s + down * %s + across;\n", t->call.out->name,
              stride_out(t));
}

static void write_square(const struct transposition *t)
{
    struct emitter *e = t->e;
    const char *type = emit_vector_type(e, "float", t->width);

    emit_line(e, "        if (down + %d <= down_end && across + %d <= across_end) {", t->width,
              t->width);
    emit_line(e, "            %s line[%d];\n", type, t->width);
    emit_line(e, "#pragma unroll\n            for (int i = 0; i < %d; i++)", t->width);
    emit_line(e, "                line[i] = %s;",
              emit_vector_load(e, t->width, emit_text(e, "from + i * %s", stride_in(t))));
    for (int distance = t->width / 2; distance >= 1; distance /= 2) {
        emit_line(e, "#pragma unroll\n            for (int i = 0; i < %d; i++)", t->width);
        emit_line(e, "                if ((i & %d) == 0) {", distance);
        emit_line(e, "                    const %s a = line[i], b = line[i + %d];\n", type,
                  distance);
        emit_line(e, "                    line[i] = %s;",
                  emit_vector_exchange(e, t->width, distance, false));
        emit_line(e, "                    line[i + %d] = %s;\n                }", distance,
                  emit_vector_exchange(e, t->width, distance, true));
    }
    emit_line(e, "#pragma unroll\n            for (int i = 0; i < %d; i++)", t->width);
    emit_line(
        e, "                %s;",
        emit_vector_store(e, t->width, "line[i]", emit_text(e, "to + i * %s", stride_out(t))));
    emit_line(e, "            continue;\n        }");
}

static void write_edge(const struct transposition *t)
{
    emit_line(t->e, "        for (int i = 0; i < min(%d, down_end - down); i++)", t->width);
    emit_line(t->e, "            for (int j = 0; j < min(%d, across_end - across); j++)", t->width);
    emit_line(t->e, "                to[i * %s + j] = from[j * %s + i];\n    }\n}", stride_out(t),
              stride_in(t));
}

static void launch(const struct transposition *t)
{
    struct emitter *e = t->e;

    struct space space = {.local = {"1", "1", "1"}, .rank = 3};
    int block = t->side ? t->side : t->block;

    space.global[0] = emit_text(e, "ceildiv(%s, %d)", size_of(t, t->down), block);
    space.global[1] = emit_text(e, "ceildiv(%s, %d)", size_of(t, t->rank - 1), block);
    space.global[2] = emit_sizes(e, t->node->out, outer_axes(t));
    if (t->side) {
        space.local[0] = emit_text(e, "%d", t->side * t->lines);
        space.global[0] = emit_text(e, "%s * %s", space.global[0], space.local[0]);
    } else if (e->schedule->of[KNOB_GROUP] != 1) {
        space.local[0] = NULL;
    }
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

static struct transposition transposition_of(struct emitter *e)
{
    size_t node = e->group->nodes[0];
    const int *of = e->schedule->of;
    struct transposition t = {.e = e,
                              .call = graph_call(&e->writer->graph, node),
                              .node = emit_node_at(e, node),
                              .width = of[KNOB_VEC]};

    t.rank = t.call.out->shape.rank;
    family_permutation(&t.call, t.axes);
    t.down = result_axis(&t, t.rank - 1);
    t.block = t.width * of[KNOB_BLOCK];
    if (of[KNOB_GROUP] > 1) {
        t.side = of[KNOB_BLOCK] > 1 ? MOST_SIDE : LEAST_SIDE;
        t.lines = of[KNOB_GROUP] > t.side ? of[KNOB_GROUP] / t.side : 1;
    }
    return t;
}

void emit_transpose(struct emitter *e)
{
    struct transposition t = transposition_of(e);

    e->kernel.name = emit_text(e, "turn_%zu", e->number);
    emit_args(e, 0);
    writer_head(e->writer, &e->kernel);
    if (t.side) {
        write_shared(&t);
    } else {
        write_start(&t);
        if (t.width > 1)
            write_square(&t);
        write_edge(&t);
    }
    launch(&t);
}
