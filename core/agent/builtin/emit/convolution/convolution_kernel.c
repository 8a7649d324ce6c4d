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
