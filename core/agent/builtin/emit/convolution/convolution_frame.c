#include "core/agent/builtin/emit/convolution/convolution_frame.h"

#include "core/agent/builtin/emit/convolution/convolution_phases.h"

static bool is_forward(const struct convolution_kernel *c)
{
    return c->shape.window.kind == WINDOW_FORWARD;
}

/* Places of the frame along an axis before the operand's first one; negative if that is left out.
 */
static int64_t before(const struct convolution_kernel *c, size_t axis)
{
    return -convolution_phase_reach(c, axis).low;
}

/* Places that the taps of one place reach beyond the first one. */
static int64_t reach_of(const struct convolution_kernel *c, size_t axis)
{
    const struct phase_reach reach = convolution_phase_reach(c, axis);

    return reach.high - reach.low;
}

/* The parts of a line, in which every s-th element of the operand is the next. */
static int64_t parts_of_line(const struct convolution_kernel *c)
{
    return convolution_phase_axis(c, convolution_last(c)).scale;
}

/* The elements of a part, enough for whole tiles of the result. */
static const char *part_of_line(const struct convolution_kernel *c)
{
    int n = c->e->schedule->of[KNOB_TILE_N];

    return emit_text(c->e, "((%s + %d) / %d * %d + %lld)",
                     convolution_phase_places(c, convolution_last(c)), n - 1, n, n,
                     (long long)(reach_of(c, convolution_last(c)) / parts_of_line(c)));
}

const char *convolution_framed_line(const struct convolution_kernel *c)
{
    return parts_of_line(c) == 1
               ? part_of_line(c)
               : emit_text(c->e, "(%lld * %s)", (long long)parts_of_line(c), part_of_line(c));
}

const char *convolution_framed(const struct convolution_kernel *c, size_t axis)
{
    if (is_forward(c))
        return emit_text(c->e, "(%s + %lld)", convolution_size(c, c->node->in[0], axis),
                         2 * (long long)convolution_axis(c, axis)->padding);
    return emit_text(c->e, "(%s + %lld)", convolution_phase_places(c, axis),
                     (long long)reach_of(c, axis));
}

const char *convolution_framed_lines(const struct convolution_kernel *c)
{
    const char *text = "1";

    for (size_t axis = FIRST_SPATIAL; axis < convolution_last(c); axis++)
        text = emit_text(c->e, "%s * %s", text, convolution_framed(c, axis));
    return emit_text(c->e, "(%s)", text);
}

void convolution_lines(const struct convolution_kernel *c, const char *name, const char *number,
                       bool is_framed)
{
    const char *left = number;

    for (size_t axis = convolution_last(c); axis-- > FIRST_SPATIAL;) {
        const char *size =
            is_framed ? convolution_framed(c, axis) : convolution_size(c, c->node->out, axis);
        bool is_first = axis == FIRST_SPATIAL;

        emit_line(c->e, is_first ? "    const int %s%zu = %s;" : "    const int %s%zu = %s %% %s;",
                  name, axis, left, size);
        left = emit_text(c->e, "%s / %s", left, size);
    }
}

/* The place that a phase's first tap meets at place 0. Forward windows begin at the frame's. */
static const char *shift_of(const struct convolution_kernel *c, size_t axis)
{
    return is_forward(c)
               ? "0"
               : emit_text(c->e, "%s + %lld", convolution_phase_number(c, axis, PHASE_SHIFT),
                           (long long)before(c, axis));
}

const char *convolution_met_place(const struct convolution_kernel *c, size_t axis)
{
    const struct phase_axis p = convolution_phase_axis(c, axis);

    return emit_text(c->e, "%c%zu * %lld + k%zu * %lld + %s", p.phases > 1 ? 'q' : 'o', axis,
                     (long long)p.scale, axis, (long long)p.reach, shift_of(c, axis));
}

const char *convolution_met_column(const struct convolution_kernel *c)
{
    size_t last = convolution_last(c);
    long long reach = convolution_phase_axis(c, last).reach, parts = parts_of_line(c);
    const char *tap = emit_text(c->e, "k%zu * %lld", last, reach);

    if (parts == 1)
        return emit_text(c->e, "%s + %s", tap, shift_of(c, last));
    return emit_text(c->e, "%s %% %lld * %s + %s / %lld", tap, parts, part_of_line(c), tap, parts);
}

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

/* The place along the operand's line, with what is before it, of element `at` of a frame's line. */
static const char *line_element(const struct convolution_kernel *c)
{
    if (parts_of_line(c) == 1)
        return "at";
    return emit_text(c->e, "at %% %s * %lld + at / %s", part_of_line(c),
                     (long long)parts_of_line(c), part_of_line(c));
}

void convolution_frame(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    const char *size = convolution_size(c, c->node->in[0], convolution_last(c));
    const char *width = convolution_framed_line(c);
    const char *planes = convolution_sizes(c, c->node->in[0], 0, FIRST_SPATIAL);
    const char *shape[] = {planes, convolution_framed_lines(c), width};
    struct kernel kernel = {.name = emit_text(e, "frame_%zu", e->number)};
    const char *is_inside, *index = "plane";

    writer_scratch(e->writer, c->frame, DTYPE_F32, shape, 3);
    kernel_add_value(&kernel, c->call.in[0], false);
    kernel_add_arg(&kernel, &(struct kernel_arg){c->frame, DTYPE_F32, true, NULL});
    writer_head(e->writer, &kernel);
    write_frame_position(e, shape);
    emit_line(e, "    const int column = %s - %lld;", line_element(c),
              (long long)before(c, convolution_last(c)));
    convolution_lines(c, "f", "line", true);
    is_inside = emit_text(e, "column >= 0 && column < %s", size);
    for (size_t axis = FIRST_SPATIAL; axis < convolution_last(c); axis++) {
        const char *x = emit_text(e, "(f%zu - %lld)", axis, (long long)before(c, axis));

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
