#include <string.h>

#include "core/codegen/plain_kernel.h"
#include "core/model/op/op_convolution.h"

/*
 * Loops over the window of an element of the result. They declare the coordinates `x2`, `x3` ... in
 * operand 0.
 */
struct taps {
    struct plain *plain;
    struct window window;
    size_t depth; /* nesting depth of the innermost loop */
};

static const char *indent(const struct taps *taps)
{
    static const char spaces[] = "                                ";

    return spaces + sizeof(spaces) - 1 - 4 * (taps->depth + 1);
}

/* The text " <operation> <number>"; "" if the operation has no effect. */
static const char *term(struct plain *p, const char *operation, int64_t number, int64_t neutral)
{
    return number == neutral ? "" : plain_text(p, " %s %lld", operation, (long long)number);
}

static void open_forward(struct taps *taps, size_t axis, const struct window_axis *w)
{
    struct plain *p = taps->plain;
    const struct attribute *ceil_mode = op_attribute(&p->call, "ceil_mode");

    plain_add(p, "%sconst int x%zu = i%zu%s + k%zu%s%s;\n", indent(taps), axis, axis,
              term(p, "*", w->stride, 1), axis, term(p, "*", w->dilation, 1),
              term(p, "-", w->padding, 0));
    if (w->padding > 0 || (ceil_mode && ceil_mode->integers[0]))
        plain_add(p, "%sif (x%zu < 0 || x%zu >= %s)\n%s    continue;\n", indent(taps), axis, axis,
                  plain_size(p, p->node->in[0], axis), indent(taps));
}

static void open_transposed(struct taps *taps, size_t axis, const struct window_axis *w)
{
    struct plain *p = taps->plain;

    plain_add(p, "%sconst int t%zu = i%zu%s - k%zu%s, x%zu = t%zu / %lld;\n", indent(taps), axis,
              axis, term(p, "+", w->padding, 0), axis, term(p, "*", w->dilation, 1), axis, axis,
              (long long)w->stride);
    plain_add(p, "%sif (t%zu < 0 || t%zu %% %lld != 0 || x%zu >= %s)\n%s    continue;\n",
              indent(taps), axis, axis, (long long)w->stride, axis,
              plain_size(p, p->node->in[0], axis), indent(taps));
}

static void open_axis(struct taps *taps, size_t axis)
{
    struct plain *p = taps->plain;
    const struct window_axis *w = &taps->window.axes[WINDOW_AXES - p->call.op->spatial + axis - 2];
    const char *in = plain_size(p, p->node->in[0], axis);
    const char *out = plain_size(p, p->node->out, axis);

    if (taps->window.kind == WINDOW_ADAPTIVE) {
        plain_add(p, "%sfor (int x%zu = i%zu * %s / %s; x%zu * %s < (i%zu + 1) * %s; x%zu++) {\n",
                  indent(taps), axis, axis, in, out, axis, out, axis, in, axis);
        taps->depth++;
        return;
    }
    plain_add(p, "%sfor (int k%zu = 0; k%zu < %s; k%zu++) {\n", indent(taps), axis, axis,
              p->call.in_count > 1 ? plain_size(p, p->node->in[1], axis)
                                   : plain_text(p, "%lld", (long long)w->kernel),
              axis);
    taps->depth++;
    if (taps->window.kind == WINDOW_TRANSPOSED)
        open_transposed(taps, axis, w);
    else
        open_forward(taps, axis, w);
}

static void open_loops(struct taps *taps)
{
    for (size_t axis = 2; axis < 2 + taps->plain->call.op->spatial; axis++)
        open_axis(taps, axis);
}

/* Close the loops deeper than `depth`. */
static void close_loops_to(struct taps *taps, size_t depth)
{
    while (taps->depth > depth) {
        taps->depth--;
        plain_add(taps->plain, "%s}\n", indent(taps));
    }
}

static void close_loops(struct taps *taps)
{
    close_loops_to(taps, 0);
}

/* The coordinates of the element of the operand that the loops have reached, in `channel`. */
static struct coordinates tap_coordinates(const struct taps *taps, const char *channel)
{
    struct coordinates coords = plain_coordinates(taps->plain);

    coordinates_axes(&coords, value_axes(taps->plain->call.out) & ~3U, "x");
    coordinates_set(&coords, 1, channel);
    return coords;
}

/* Channel numbers in the kernel of a convolution; `c` counts within a group of input channels. */
struct channels {
    const char *in, *out;           /* channels of a group, in operand and result */
    const char *from, *weight_from; /* the operand's channel, for x and as an axis of the weight */
    const char *weight_to;          /* the result's channel, as an axis of the weight */
};

static struct channels number_channels(struct plain *p, const struct convolution *c)
{
    bool is_transposed = c->window.kind == WINDOW_TRANSPOSED, is_whole = c->groups == 1;
    const char *own = plain_size(p, p->node->in[1], 1);
    const char *all = plain_size(p, p->node->in[1], 0);
    const char *part = is_whole ? all : plain_text(p, "%s / %lld", all, (long long)c->groups);
    struct channels n = {.in = is_transposed ? part : own, .out = is_transposed ? own : part};

    n.from = is_whole ? "c" : "first + c";
    n.weight_from = is_transposed && !is_whole ? "(first + c)" : "c";
    n.weight_to = is_transposed && !is_whole ? plain_text(p, "i1 %% %s", n.out) : "i1";
    return n;
}

/* A work-item computes one element: the window in each input channel times the weight. */
bool plain_convolution(struct plain *p)
{
    struct convolution c = convolution_of(&p->call);
    struct channels n = number_channels(p, &c);
    bool is_transposed = c.window.kind == WINDOW_TRANSPOSED;
    struct taps taps = {.plain = p, .window = c.window};
    struct coordinates x = tap_coordinates(&taps, n.from), w = {0};

    coordinates_axes(&w, value_axes(p->call.in[1]) & ~3U, "k");
    coordinates_set(&w, is_transposed, n.weight_to);
    coordinates_set(&w, !is_transposed, n.weight_from);
    plain_head_of_elements(p);
    plain_add(p, "    float total = %s;\n", c.bias ? plain_operand(p, 2, "i1") : "0");
    if (c.groups > 1)
        plain_add(p, "    const int first = i1 / (%s) * (%s);\n", n.out, n.in);
    plain_add(p, "    for (int c = 0; c < %s; c++) {\n", n.in);
    taps.depth = 1;
    open_loops(&taps);
    plain_add(p, "%stotal += %s * %s;\n", indent(&taps), plain_operand_at(p, 0, &x),
              plain_operand_at(p, 1, &w));
    close_loops(&taps);
    plain_store(p, "i", "total", "    ");
    plain_launch_over(p, p->node->out, value_axes(p->call.out));
    return true;
}

/* The number of elements in a window, with the padding. */
static const char *padded_count(const struct taps *taps)
{
    struct plain *p = taps->plain;
    const char *count = "1.0f";

    for (size_t axis = 2; axis < 2 + p->call.op->spatial; axis++) {
        const struct window_axis *w =
            &taps->window.axes[WINDOW_AXES - p->call.op->spatial + axis - 2];

        count = plain_text(p, "%s * min(%lld, %s + %lld - i%zu * %lld)", count,
                           (long long)w->kernel, plain_size(p, p->node->in[0], axis),
                           2 * (long long)w->padding, axis, (long long)w->stride);
    }
    return count;
}

static void add_max(struct taps *taps, const char *x)
{
    struct plain *p = taps->plain;

    plain_add(p, "    float most = -INFINITY;\n");
    open_loops(taps);
    plain_add(p, "%smost = larger(most, %s);\n", indent(taps), x);
    close_loops(taps);
    plain_store(p, "i", "most", "    ");
}

/*
 * Add the window to `total`. Each line of it has a sum of its own: the rounding errors of one long
 * sum of similar numbers do not cancel.
 */
static void add_lines(struct taps *taps, const char *x, bool is_counted)
{
    struct plain *p = taps->plain;
    size_t last = 1 + p->call.op->spatial, depth;

    for (size_t axis = 2; axis < last; axis++)
        open_axis(taps, axis);
    depth = taps->depth;
    if (last > 2)
        plain_add(p, "%sfloat line = 0;\n", indent(taps));
    open_axis(taps, last);
    plain_add(p, "%s%s += %s;\n", indent(taps), last > 2 ? "line" : "total", x);
    if (is_counted)
        plain_add(p, "%scount += 1;\n", indent(taps));
    close_loops_to(taps, depth);
    if (last > 2)
        plain_add(p, "%stotal += line;\n", indent(taps));
    close_loops(taps);
}

static void add_mean(struct taps *taps, const char *x)
{
    struct plain *p = taps->plain;
    const struct attribute *padding = op_attribute(&p->call, "count_include_pad");
    bool counts_padding = padding && padding->integers[0];

    plain_add(p, counts_padding ? "    float total = 0;\n" : "    float total = 0, count = 0;\n");
    add_lines(taps, x, !counts_padding);
    plain_store(p, "i",
                counts_padding ? plain_text(p, "total / (%s)", padded_count(taps))
                               : "total / count",
                "    ");
}

/* A work-item computes the maximum or mean of one window. */
bool plain_pooling(struct plain *p)
{
    struct taps taps = {.plain = p, .window = window_of(&p->call)};
    struct coordinates coords = tap_coordinates(&taps, "i1");
    const char *x = plain_operand_at(p, 0, &coords);

    plain_head_of_elements(p);
    if (strstr(p->call.op->name, "max"))
        add_max(&taps, x);
    else
        add_mean(&taps, x);
    plain_launch_over(p, p->node->out, value_axes(p->call.out));
    return true;
}
