#include "core/agent/builtin/emit/emit_pooling_group.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/codegen/wide_kernels.h"
#include "core/model/op/op_window.h"

/*
 * Pooling by work-groups. SHARERS work-items compute a piece of a line of the result. First they
 * combine the lines of the operand that its windows cover, column by column, so that neighbours
 * load neighbours and each element is loaded once for all windows of the piece. Then they combine
 * the columns of each window in local memory. The work-items of a work-group have neighbouring
 * lines, whose windows overlap in the first-level cache.
 */

enum { SHARERS = 32, MOST_COLUMNS = 512, MOST_UNROLLED = 16, FIRST_SPATIAL = 2 };

struct pieces {
    struct emitter *e;
    struct op_call call;
    const struct graph_node *node;
    struct window window;
    size_t rank;
    bool is_max;
    int parts;                /* pieces of a work-group */
    int64_t outputs, columns; /* of a piece: elements of the result, and columns that they need */
    int64_t count;            /* pieces of a line */
    int width;                /* of the vectors that a work-item loads */
};

static int64_t columns_for(const struct window_axis *w, int64_t outputs)
{
    return (outputs - 1) * w->stride + (w->kernel - 1) * w->dilation + 1;
}

bool emit_pooling_group_fits(const struct op_call *call, const struct schedule *schedule)
{
    const struct window window = window_of(call);

    return schedule->of[KNOB_GROUP] >= SHARERS && schedule->of[KNOB_GROUP] % SHARERS == 0 &&
           columns_for(&window.axes[WINDOW_AXES - 1], 1) <= MOST_COLUMNS;
}

/* The lines of the operand that a window covers. */
static int64_t count_lines(const struct pieces *p)
{
    int64_t lines = 1;

    for (size_t axis = FIRST_SPATIAL; axis + 1 < p->rank; axis++)
        lines *= window_axis_of(&p->window, p->rank, axis)->kernel;
    return lines;
}

/* True if every window lies in the operand along the axis, at any size. */
static bool is_inside(const struct pieces *p, size_t axis)
{
    const struct attribute *ceil_mode = op_attribute(&p->call, "ceil_mode");

    return window_axis_of(&p->window, p->rank, axis)->padding == 0 &&
           !(ceil_mode && ceil_mode->integers[0]);
}

/* With many lines, vectors let a warp load longer parts of each line at a time. */
static int width_of(const struct pieces *p)
{
    enum { MANY_LINES = 8 };
    const struct emitter *e = p->e;
    int width = e->schedule->of[KNOB_VEC];

    return e->writer->dialect->is_aligned && count_lines(p) >= MANY_LINES &&
                   is_inside(p, p->rank - 1) &&
                   e->writer->extents.is_fixed[p->node->in[0]][p->rank - 1] &&
                   p->call.in[0]->shape.dims[p->rank - 1] % width == 0
               ? width
               : 1;
}

/* Let pieces begin, and their columns end, with whole vectors. */
static void round_piece(struct pieces *p, const struct window_axis *w)
{
    while (p->outputs * w->stride % p->width != 0)
        p->outputs++;
    p->columns = (columns_for(w, p->outputs) + p->width - 1) / p->width * p->width;
    p->count = (w->out + p->outputs - 1) / p->outputs;
}

static struct pieces pieces_of(struct emitter *e)
{
    size_t node = e->group->nodes[0];
    struct pieces p = {.e = e,
                       .call = graph_call(&e->writer->graph, node),
                       .node = emit_node_at(e, node),
                       .parts = e->schedule->of[KNOB_GROUP] / SHARERS};
    const struct window_axis *w;
    int64_t most;

    p.window = window_of(&p.call);
    p.rank = p.call.out->shape.rank;
    p.is_max = strstr(p.call.op->name, "max");
    w = window_axis_of(&p.window, p.rank, p.rank - 1);
    most = (MOST_COLUMNS - (w->kernel - 1) * w->dilation - 1) / w->stride + 1;
    p.count = (w->out + most - 1) / most;
    p.outputs = (w->out + p.count - 1) / p.count;
    p.width = width_of(&p);
    round_piece(&p, w);
    return p;
}

static const char *combined(const struct pieces *p, const char *a, const char *b)
{
    return emit_text(p->e, p->is_max ? "larger(%s, %s)" : "%s + %s", a, b);
}

static const char *size_of(const struct pieces *p, size_t value, size_t axis)
{
    return p->e->writer->extents.of[value][axis];
}

/* The number of pieces of all lines. */
static const char *all_pieces(const struct pieces *p)
{
    return emit_text(p->e, "%s * %lld", emit_sizes(p->e, p->node->out, (1U << (p->rank - 1)) - 1),
                     (long long)p->count);
}

/* The numbers of the piece, of its line `o` and of its first element `begin`. */
static void write_start(const struct pieces *p)
{
    struct emitter *e = p->e;

    emit_line(e, "    $local float columns[%d][%lld];", p->parts, (long long)p->columns);
    emit_line(e, "    const int lane = $local_id0 %% %d, part = $local_id0 / %d;", SHARERS,
              SHARERS);
    emit_line(e, "    const int piece = $group_id0 * %d + part;", p->parts);
    emit_line(e, "    const bool is_there = piece < %s;", all_pieces(p));
    emit_line(e, "    const int own = is_there ? piece : 0;");
    emit_line(e, "    const int o = own / %lld, begin = own %% %lld * %lld;", (long long)p->count,
              (long long)p->count, (long long)p->outputs);
    writer_axes(e->writer, p->node->out, (1U << (p->rank - 1)) - 1, "o", "    ");
}

void emit_pooling_open_axis(struct emitter *e, const struct window_axis *w, size_t axis,
                            const char *size, const char *before)
{
    emit_line(e, "%s        for (int k%zu = 0; k%zu < %lld; k%zu++) {", before, axis, axis,
              (long long)w->kernel, axis);
    emit_line(e, "            const int x%zu = o%zu * %lld + k%zu * %lld - %lld;", axis, axis,
              (long long)w->stride, axis, (long long)w->dilation, (long long)w->padding);
    if (size)
        emit_line(e, "            if (x%zu < 0 || x%zu >= %s)\n                continue;", axis,
                  axis, size);
}

/* Loops over the lines of a window; returns the number of the line in its plane, as C text. */
static const char *open_lines(const struct pieces *p)
{
    const char *line = "0";

    for (size_t axis = FIRST_SPATIAL; axis + 1 < p->rank; axis++) {
        const struct window_axis *w = window_axis_of(&p->window, p->rank, axis);
        const char *size = size_of(p, p->node->in[0], axis);

        emit_pooling_open_axis(p->e, w, axis, is_inside(p, axis) ? NULL : size,
                               w->kernel <= MOST_UNROLLED ? "#pragma unroll\n" : "");
        line = axis == FIRST_SPATIAL ? emit_text(p->e, "x%zu", axis)
                                     : emit_text(p->e, "(%s * %s + x%zu)", line, size, axis);
    }
    return line;
}

/* The columns that a work-item loads at a time: some loads are under way in every warp. */
static int64_t count_early(const struct pieces *p)
{
    enum { WANTED = 18, MOST = 8 };
    int64_t lines = count_lines(p);

    if (WANTED / lines >= MOST)
        return MOST;
    return lines < WANTED ? WANTED / lines : 1;
}

/*
 * Combine the elements of a column. Columns behind the last window, and those of a piece that is
 * not there, repeat others where that makes tests of every load unnecessary: tests would let only
 * few loads be under way.
 */
static void write_column(const struct pieces *p)
{
    struct emitter *e = p->e;
    const struct window_axis *w = window_axis_of(&p->window, p->rank, p->rank - 1);
    const char *size = size_of(p, p->node->in[0], p->rank - 1), *line;
    const char *x =
        emit_text(e, "begin * %lld + col - %lld", (long long)w->stride, (long long)w->padding);
    bool is_tested = !is_inside(p, p->rank - 1);

    if (!is_tested)
        x = emit_text(e, "min(%s, %s - %d)", x, size, p->width);
    emit_line(e, "        const int x = %s;", x);
    emit_line(e, "        %s found = %s;\n", emit_vector_type(e, "float", p->width),
              emit_vector_splat(e, p->is_max ? "-INFINITY" : "0", p->width));
    line = open_lines(p);
    if (is_tested)
        emit_line(e, "            if (is_there && x >= 0 && x < %s)", size);
    emit_line(e, "            %sfound = %s;", is_tested ? "    " : "",
              combined(p, "found",
                       emit_vector_load_aligned(
                           e, p->width, emit_text(e, "plane + (%s * %s + x)", line, size))));
    for (size_t axis = FIRST_SPATIAL; axis + 1 < p->rank; axis++)
        emit_line(e, "        }");
}

static void write_columns(const struct pieces *p)
{
    struct emitter *e = p->e;
    const char *plane = emit_sizes(e, p->node->in[0], (1U << p->rank) - (1U << FIRST_SPATIAL));

    emit_line(e, "    $global const float *plane = p_%s + (long)(o0 * %s + o1) * (%s);\n",
              p->call.in[0]->name, size_of(p, p->node->in[0], 1), plane);
    emit_line(e, "#pragma unroll %lld\n    for (int col = lane * %d; col < %lld; col += %d) {",
              (long long)count_early(p), p->width, (long long)p->columns, SHARERS * p->width);
    write_column(p);
    emit_line(e, "        %s;\n    }\n    $barrier;",
              emit_vector_store_aligned(e, p->width, "found", "columns[part] + col"));
}

/* The elements of a window along an axis; without its padding, those that lie in the operand. */
static const char *count_along(const struct pieces *p, size_t axis, bool has_padding)
{
    const struct window_axis *w = window_axis_of(&p->window, p->rank, axis);
    const char *size = size_of(p, p->node->in[0], axis);
    const char *at = emit_text(p->e, axis + 1 < p->rank ? "o%zu" : "(begin + i)", axis);

    if (has_padding)
        return emit_text(p->e, "min(%lld, %s + %lld - %s * %lld)", (long long)w->kernel, size,
                         2 * (long long)w->padding, at, (long long)w->stride);
    at = emit_text(p->e, "(%s * %lld - %lld)", at, (long long)w->stride, (long long)w->padding);
    return emit_text(p->e, "(min(%s + %lld, %s) - max(%s, 0))", at, (long long)w->kernel, size, at);
}

/* The divisor of a window's mean. */
static const char *count_text(const struct pieces *p)
{
    const struct attribute *counts = op_attribute(&p->call, "count_include_pad");
    const char *text = "1.0f";

    for (size_t axis = FIRST_SPATIAL; axis < p->rank; axis++)
        text =
            emit_text(p->e, "%s * %s", text, count_along(p, axis, counts && counts->integers[0]));
    return text;
}

static void write_outputs(const struct pieces *p)
{
    struct emitter *e = p->e;
    const struct window_axis *w = window_axis_of(&p->window, p->rank, p->rank - 1);
    const char *out = size_of(p, p->node->out, p->rank - 1);

    emit_line(e, "    for (int i = lane; is_there && i < %lld && begin + i < %s; i += %d) {",
              (long long)p->outputs, out, SHARERS);
    emit_line(e, "        float found = columns[part][i * %lld];\n", (long long)w->stride);
    for (int64_t k = 1; k < w->kernel; k++)
        emit_line(e, "        found = %s;",
                  combined(p, "found",
                           emit_text(e, "columns[part][i * %lld + %lld]", (long long)w->stride,
                                     (long long)k * w->dilation)));
    emit_line(e, "        p_%s[o * %s + begin + i] = %s;\n    }\n}", p->call.out->name, out,
              p->is_max ? "found" : emit_text(e, "found / (%s)", count_text(p)));
}

/*
 * True if ints hold the numbers of all results and of the places in a plane, at any size. Planes
 * are found in 64 bits, and the operand may have any number of them.
 */
static bool has_int_planes(const struct pieces *p)
{
    const struct shape *in = &p->call.in[0]->shape, *out = &p->call.out->shape;
    int64_t plane = 1;

    for (size_t axis = 0; axis < in->rank; axis++) {
        plane *= axis < FIRST_SPATIAL ? 1 : in->dims[axis];
        if (!p->e->writer->extents.is_fixed[p->node->in[0]][axis])
            return false;
    }
    return plane <= WIDE_ELEMENTS && shape_elements(out) <= WIDE_ELEMENTS;
}

void emit_pooling_group(struct emitter *e)
{
    struct pieces p = pieces_of(e);
    struct space space = {
        .global[0] = emit_text(e, "ceildiv(%s, %d) * %d", all_pieces(&p), p.parts,
                               e->schedule->of[KNOB_GROUP]),
        .local[0] = emit_text(e, "%d", e->schedule->of[KNOB_GROUP]),
        .rank = 1,
    };

    e->kernel.name = emit_text(e, "%s_%zu", p.call.op->name, e->number);
    e->kernel.is_narrow = has_int_planes(&p);
    emit_args(e, 0);
    writer_head(e->writer, &e->kernel);
    write_start(&p);
    write_columns(&p);
    write_outputs(&p);
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}
