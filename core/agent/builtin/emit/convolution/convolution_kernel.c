#include "core/agent/builtin/emit/convolution/convolution_kernel.h"

#include "core/agent/builtin/emit/emit_space.h"

const struct window_axis *convolution_axis(const struct convolution_kernel *c, size_t axis)
{
    return window_axis_of(&c->shape.window, c->rank, axis);
}

size_t convolution_last(const struct convolution_kernel *c)
{
    return c->rank - 1;
}

const char *convolution_size(const struct convolution_kernel *c, size_t value, size_t axis)
{
    return c->e->writer->extents.of[value][axis];
}

const char *convolution_sizes(const struct convolution_kernel *c, size_t value, size_t first,
                              size_t end)
{
    return emit_text(c->e, "(%s)", emit_sizes(c->e, value, (1U << end) - (1U << first)));
}

const char *convolution_framed(const struct convolution_kernel *c, size_t axis)
{
    return emit_text(c->e, "(%s + %lld)", convolution_size(c, c->node->in[0], axis),
                     2 * (long long)convolution_axis(c, axis)->padding);
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
