#include "core/agent/builtin/emit/convolution/convolution_window.h"

#include "core/agent/builtin/emit/emit_access.h"
#include "core/agent/builtin/emit/emit_space.h"
#include "core/agent/builtin/emit/emit_values.h"
#include "core/agent/builtin/plan/family.h"

enum {
    MOST_LINES = 8,   /* of the result, by a work-item */
    MOST_LOADS = 256, /* loads that a loop is unrolled for */
    USUAL_ITEMS = 256,
};

bool convolution_is_window(const struct convolution_kernel *c)
{
    return family_has_window(c->e->schedule, &c->shape);
}

/* The axis of the lines that a work-item computes together; 0 in one dimension. */
static size_t line_axis(const struct convolution_kernel *c)
{
    return c->rank > FIRST_SPATIAL + 1 ? convolution_last(c) - 1 : 0;
}

/* Lines of the result that a work-item computes. */
static int lines_of(const struct convolution_kernel *c)
{
    size_t axis = line_axis(c);
    int lines = 1;

    while (axis && lines < MOST_LINES && lines <= c->call.out->shape.dims[axis] / 2)
        lines *= 2;
    return lines;
}

/* Declare the coordinates of the work-item's column and its first line. */
static void write_place(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    const char *left = "$global_id0";

    for (size_t axis = c->rank; axis-- > FIRST_SPATIAL;) {
        const char *size = convolution_size(c, c->node->out, axis), *scale = "";
        int lines = lines_of(c);

        if (axis == line_axis(c) && lines > 1) {
            size = emit_text(e, "((%s + %d) / %d)", size, lines - 1, lines);
            scale = emit_text(e, " * %d", lines);
        }
        emit_line(e, "    const int o%zu = (int)(%s) %% %s%s;", axis, left, size, scale);
        left = emit_text(e, "%s / %s", left, size);
    }
    emit_line(e, "    const int plane_number = %s;", left);
    emit_line(e, "    const int image = plane_number / %s, filter = plane_number %% %s;",
              convolution_size(c, c->node->out, 1), convolution_size(c, c->node->out, 1));
    emit_line(e, "    if (image >= %s)\n        return;", convolution_size(c, c->node->out, 0));
}

/* Declare the operand's coordinate that the tap `tap` meets, as `y<axis>`. */
static void write_met(const struct convolution_kernel *c, size_t axis, const char *tap,
                      const char *indent)
{
    const struct window_axis *w = convolution_axis(c, axis);

    emit_line(c->e, "%sconst int y%zu = o%zu * %lld - %lld + %s;", indent, axis, axis,
              (long long)w->stride, (long long)w->padding, tap);
}

static const char *is_inside(const struct convolution_kernel *c, size_t axis)
{
    return emit_text(c->e, "y%zu >= 0 && y%zu < %s", axis, axis,
                     convolution_size(c, c->node->in[0], axis));
}

/* Open the loops over channels, and over taps along the axes before the lines. */
static void open_loops(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;

    emit_line(e, "    for (int channel = 0; channel < %s; channel++) {", c->channels);
    emit_line(e,
              "        $global const float *plane = p_%s + (image * %s + filter / %s * %s + "
              "channel) * %s;",
              c->call.in[0]->name, convolution_size(c, c->node->in[0], 1), c->filters, c->channels,
              convolution_sizes(c, c->node->in[0], FIRST_SPATIAL, c->rank));
    emit_line(e, "        $global const float *weights = p_%s + (filter * %s + channel) * %s;",
              c->call.in[1]->name, c->channels, c->taps);
    for (size_t axis = FIRST_SPATIAL; line_axis(c) && axis < line_axis(c); axis++) {
        emit_line(e, "        for (int k%zu = 0; k%zu < %s; k%zu++) {", axis, axis,
                  convolution_size(c, c->node->in[1], axis), axis);
        write_met(c, axis,
                  emit_text(e, "k%zu * %lld", axis, (long long)convolution_axis(c, axis)->dilation),
                  "        ");
        emit_line(e, "        if (!(%s))\n            continue;", is_inside(c, axis));
    }
}

/* The index of the line's first element, and of the tap's first weight: texts with `y` and `k`. */
static const char *index_of(const struct convolution_kernel *c, size_t value, const char *name,
                            size_t end)
{
    const char *index = "0";

    for (size_t axis = FIRST_SPATIAL; axis < end; axis++)
        index = emit_text(c->e, "(%s * %s + %s%zu)", index, convolution_size(c, value, axis), name,
                          axis);
    return index;
}

/* Add the contribution of one element of the operand to each line whose window contains it. */
static void write_additions(const struct convolution_kernel *c, const char *weight)
{
    struct emitter *e = c->e;
    const struct window_axis *w = convolution_axis(c, line_axis(c));

    emit_line(e, "#pragma unroll\n            for (int l = 0; l < %d; l++) {", lines_of(c));
    emit_line(e, "                const int reach = j - l * %lld;", (long long)w->stride);
    emit_line(e, "                if (reach >= 0 && reach %% %lld == 0 && reach < %lld)",
              (long long)w->dilation, (long long)w->kernel * (long long)w->dilation);
    emit_line(e,
              "                    total[l] += weights[(%s * %lld + reach / %lld) * %lld + k] * x;",
              weight, (long long)w->kernel, (long long)w->dilation,
              (long long)convolution_axis(c, convolution_last(c))->kernel);
    emit_line(e, "            }");
}

/* Loads of a column: lines of the operand that the work-item's windows reach. */
static int64_t loads_of(const struct convolution_kernel *c)
{
    const struct window_axis *w;

    if (!line_axis(c))
        return 1;
    w = convolution_axis(c, line_axis(c));
    return (lines_of(c) - 1) * w->stride + (w->kernel - 1) * w->dilation + 1;
}

/* Write the loops over the taps along a line, and over the operand's lines. */
static void write_sum(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    const struct window_axis *w = convolution_axis(c, convolution_last(c));
    size_t last = convolution_last(c), lines = line_axis(c);
    const char *row = index_of(c, c->node->in[0], "y", last);

    open_loops(c);
    if (loads_of(c) * w->kernel <= MOST_LOADS)
        emit_line(e, "#pragma unroll");
    emit_line(e, "        for (int k = 0; k < %lld; k++) {", (long long)w->kernel);
    write_met(c, last, emit_text(e, "k * %lld", (long long)w->dilation), "        ");
    emit_line(e, "        const int column = %s ? y%zu : -1;", is_inside(c, last), last);
    emit_line(e, "#pragma unroll\n        for (int j = 0; j < %lld; j++) {",
              (long long)loads_of(c));
    if (lines)
        write_met(c, lines, "j", "            ");
    emit_line(e, "            const float x = column >= 0%s ? plane[%s * %s + column] : 0.0f;\n",
              lines ? emit_text(e, " && %s", is_inside(c, lines)) : "", row,
              convolution_size(c, c->node->in[0], last));
    if (lines)
        write_additions(c, index_of(c, c->node->in[1], "k", lines));
    else
        emit_line(e, "            total[0] += weights[k] * x;");
    emit_line(e, "        }\n        }");
    for (size_t axis = FIRST_SPATIAL; lines && axis < lines; axis++)
        emit_line(e, "        }");
    emit_line(e, "    }");
}

static void write_results(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    const struct position position = {
        .row = "row", .column = "c", .width = 1, .indent = "            "};
    const char *row = "plane_number";
    size_t lines = line_axis(c);

    for (size_t axis = FIRST_SPATIAL; axis < convolution_last(c); axis++)
        row = emit_text(e, "(%s) * %s + o%zu%s", row, convolution_size(c, c->node->out, axis), axis,
                        axis == lines ? " + l" : "");
    emit_line(e, "#pragma unroll\n    for (int l = 0; l < %d; l++) {", lines_of(c));
    emit_line(e, "        if (%s) {",
              lines ? emit_text(e, "o%zu + l < %s", lines, convolution_size(c, c->node->out, lines))
                    : "true");
    emit_line(e, "            const int row = %s, c = o%zu;", row, convolution_last(c));
    emit_row_axes(e, "            ");
    emit_line(e, "            const float v_%s = total[l]%s;", c->call.out->name,
              c->shape.bias ? emit_text(e, " + p_%s[filter]", c->shape.bias->name) : "");
    e->is_declared[c->node->out] = true;
    emit_results(e, &position);
    emit_line(e, "        }\n    }\n}");
}

static void launch(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;
    int items = e->schedule->of[KNOB_GROUP] ? e->schedule->of[KNOB_GROUP] : USUAL_ITEMS;
    struct space space = {.local = {emit_text(e, "%d", items)}, .rank = 1};
    const char *all = convolution_sizes(c, c->node->out, 0, FIRST_SPATIAL);

    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++)
        all = axis == line_axis(c)
                  ? emit_text(e, "%s * ceildiv(%s, %d)", all,
                              convolution_size(c, c->node->out, axis), lines_of(c))
                  : emit_text(e, "%s * %s", all, convolution_size(c, c->node->out, axis));
    space.global[0] = emit_text(e, "align(%s, %d)", all, items);
    writer_launch(e->writer, e->writer->launches, &e->kernel, &space);
}

void convolution_window(const struct convolution_kernel *c)
{
    struct emitter *e = c->e;

    emit_args(e, 0);
    writer_head(e->writer, &e->kernel);
    write_place(c);
    emit_line(e, "    float total[%d];\n", lines_of(c));
    emit_line(e, "#pragma unroll\n    for (int l = 0; l < %d; l++)\n        total[l] = 0;",
              lines_of(c));
    write_sum(c);
    write_results(c);
    launch(c);
}
