#include "core/agent/builtin/emit/emit_pooling.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_pooling_group.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/emit/emit_vector.h"
#include "core/model/op/op_window.h"

/*
 * A work-item computes some lines of the result. For each it first combines the lines of the
 * operand that its windows cover, vector by vector, to one line in private memory with padding at
 * both ends. Then it combines neighbours in this line.
 */

struct pooling {
    struct emitter *e;
    struct op_call call;
    const struct graph_node *node;
    struct window window;
    size_t rank;
    bool is_max;
    int width;
    int64_t in, line; /* elements of a line of the operand, and of the combined line */
};

enum { FIRST_SPATIAL = 2 };

static const char *size_of(const struct pooling *p, size_t value, size_t axis)
{
    return p->e->writer->extents.of[value][axis];
}

static const char *combined(const struct pooling *p, const char *a, const char *b)
{
    return emit_text(p->e, p->is_max ? "larger(%s, %s)" : "%s + %s", a, b);
}

static const char *identity(const struct pooling *p)
{
    return p->is_max ? "-INFINITY" : "0";
}

/* Declare the line's coordinates along all axes but the last, and the combined line. */
static void write_start(const struct pooling *p)
{
    struct emitter *e = p->e;
    int items = e->schedule->of[KNOB_ITEMS];
    size_t out = p->node->out;
    unsigned axes = (1U << (p->rank - 1)) - 1;
    const char *plane = emit_sizes(e, p->node->in[0], (1U << p->rank) - (1U << FIRST_SPATIAL));

    emit_line(e, "    const int end = min((int)$global_id0 * %d + %d, %s);\n", items, items,
              emit_sizes(e, out, axes));
    emit_line(e, "    for (int o = $global_id0 * %d; o < end; o++) {", items);
    writer_axes(e->writer, out, axes, "o", "        ");
    emit_line(e, "        $global const float *plane = p_%s + (o0 * %s + o1) * (%s);",
              p->call.in[0]->name, size_of(p, p->node->in[0], 1), plane);
    emit_line(e, "        float line[%lld];", (long long)p->line);
    emit_line(e, "        int lines = 0;\n");
}

/* Combine the line at `from` with the combined line, or copy it there if it is the first. */
static void write_combine(const struct pooling *p, int width, const char *start)
{
    struct emitter *e = p->e;
    const char *at = emit_text(
        e, "line + %lld + x", (long long)window_axis_of(&p->window, p->rank, p->rank - 1)->padding);
    const char *loaded = emit_vector_load(e, width, "from + x");

    emit_line(e, "            for (int x = %s; x + %d <= %lld; x += %d)", start, width,
              (long long)p->in, width);
    emit_line(
        e, "                %s;",
        emit_vector_store(e, width,
                          emit_text(e, "lines ? %s : %s",
                                    combined(p, emit_vector_load(e, width, at), loaded), loaded),
                          at));
}

static void write_lines(const struct pooling *p)
{
    struct emitter *e = p->e;
    const struct window_axis *last = window_axis_of(&p->window, p->rank, p->rank - 1);
    const char *line = "0";

    if (last->padding > 0 || p->line > p->in) {
        emit_line(e, "        for (int x = 0; x < %lld; x++)\n            line[x] = %s;",
                  (long long)last->padding, identity(p));
        emit_line(e, "        for (int x = %lld; x < %lld; x++)\n            line[x] = %s;",
                  (long long)last->padding + p->in, (long long)p->line, identity(p));
    }
    for (size_t axis = FIRST_SPATIAL; axis + 1 < p->rank; axis++) {
        const struct window_axis *w = window_axis_of(&p->window, p->rank, axis);
        const char *size = size_of(p, p->node->in[0], axis);

        emit_pooling_open_axis(e, w, axis, size, "");
        line = emit_text(e, "(%s * %s + x%zu)", line, size, axis);
    }
    emit_line(e, "            $global const float *from = plane + %s * %s;\n", line,
              size_of(p, p->node->in[0], p->rank - 1));
    if (p->width > 1)
        write_combine(p, p->width, "0");
    if (p->in % p->width != 0 || p->width == 1)
        write_combine(
            p, 1,
            emit_text(e, "%lld", (long long)p->in / p->width * (p->width > 1 ? p->width : 0)));
    emit_line(e, "            lines++;");
    for (size_t axis = FIRST_SPATIAL; axis + 1 < p->rank; axis++)
        emit_line(e, "        }");
}

/* The divisor of a window's mean, as C text. */
static const char *count_text(const struct pooling *p)
{
    const struct window_axis *w = window_axis_of(&p->window, p->rank, p->rank - 1);
    const char *text = "lines", *from;

    if (op_attribute(&p->call, "count_include_pad")->integers[0]) {
        text = "1";
        for (size_t axis = FIRST_SPATIAL; axis < p->rank; axis++) {
            const struct window_axis *a = window_axis_of(&p->window, p->rank, axis);

            text = emit_text(
                p->e, "%s * min(%lld, %s + %lld - %s * %lld)", text, (long long)a->kernel,
                size_of(p, p->node->in[0], axis), 2 * (long long)a->padding,
                axis + 1 < p->rank ? emit_text(p->e, "o%zu", axis) : "x", (long long)a->stride);
        }
        return text;
    }
    from = emit_text(p->e, "(x * %lld - %lld)", (long long)w->stride, (long long)w->padding);
    return emit_text(p->e, "lines * (min(%s + %lld, %lld) - max(%s, 0))", from,
                     (long long)w->kernel, (long long)p->in, from);
}

/* Combine the neighbours in each window; `x` is the window's position along the line. */
static void write_windows(const struct pooling *p)
{
    struct emitter *e = p->e;
    const struct window_axis *w = window_axis_of(&p->window, p->rank, p->rank - 1);

    emit_line(e, "        $global float *to = p_%s + o * %s;\n", p->call.out->name,
              size_of(p, p->node->out, p->rank - 1));
    emit_line(e, "        for (int x = 0; x < %s; x++) {", size_of(p, p->node->out, p->rank - 1));
    emit_line(e, "            float found = line[x * %lld];\n", (long long)w->stride);
    for (int64_t k = 1; k < w->kernel; k++)
        emit_line(e, "            found = %s;",
                  combined(p, "found",
                           emit_text(e, "line[x * %lld + %lld]", (long long)w->stride,
                                     (long long)k * w->dilation)));
    emit_line(e, "            to[x] = %s;\n        }\n    }\n}",
              p->is_max ? "found" : emit_text(e, "found / (%s)", count_text(p)));
}

static void launch(const struct pooling *p)
{
    struct emitter *e = p->e;
    const char *lines = emit_sizes(e, p->node->out, (1U << (p->rank - 1)) - 1);
    struct space space = {.rank = 1};
    int group = e->schedule->of[KNOB_GROUP];

    space.global[0] = emit_text(e, "ceildiv(%s, %d)", lines, e->schedule->of[KNOB_ITEMS]);
    if (group == 1)
        space.local[0] = "1";
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

void emit_pooling(struct emitter *e)
{
    size_t node = e->group->nodes[0];
    struct pooling p = {.e = e,
                        .call = graph_call(&e->writer->graph, node),
                        .node = emit_node_at(e, node),
                        .width = e->schedule->of[KNOB_VEC]};
    const struct window_axis *w;

    if (e->schedule->of[KNOB_GROUP] > 1) {
        emit_pooling_group(e);
        return;
    }
    p.window = window_of(&p.call);
    p.rank = p.call.out->shape.rank;
    p.is_max = strstr(p.call.op->name, "max");
    w = window_axis_of(&p.window, p.rank, p.rank - 1);
    p.in = w->in;
    p.line = (w->out - 1) * w->stride + (w->kernel - 1) * w->dilation + 1;
    if (p.line < w->padding + w->in)
        p.line = w->padding + w->in;
    e->kernel.name = emit_text(e, "%s_%zu", p.call.op->name, e->number);
    emit_args(e, 0);
    writer_head(e->writer, &e->kernel);
    write_start(&p);
    write_lines(&p);
    write_windows(&p);
    launch(&p);
}
