#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_KERNEL_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_KERNEL_H

#include "core/agent/builtin/emit/emit.h"
#include "core/model/op/op_convolution.h"

/* What the ways to convolve share. */

enum { FIRST_SPATIAL = 2 };

struct convolution_kernel {
    struct emitter *e;
    struct op_call call;
    const struct graph_node *node;
    struct convolution shape;
    size_t rank;
    const char *frame, *weights;           /* scratch */
    const char *line;                      /* of the frame: elements of each phase */
    const char *channels, *filters, *taps; /* of a group; of a channel */
    const char *tiles;                     /* of filters, in a group */
};

/* The window along one of the axes that it moves on; the first is the outermost. */
const struct window_axis *convolution_axis(const struct convolution_kernel *c, size_t axis);

/* The axis whose elements are neighbours. */
size_t convolution_last(const struct convolution_kernel *c);

/* A size of a value, and the product of those from `first` to before `end`. */
const char *convolution_size(const struct convolution_kernel *c, size_t value, size_t axis);
const char *convolution_sizes(const struct convolution_kernel *c, size_t value, size_t first,
                              size_t end);

/* The frame's size along an axis before the last, and its lines of one channel. */
const char *convolution_framed(const struct convolution_kernel *c, size_t axis);
const char *convolution_framed_lines(const struct convolution_kernel *c);

/* `<name><axis>` for the axes before the last, from the number of a line. */
void convolution_lines(const struct convolution_kernel *c, const char *name, const char *number,
                       bool is_framed);

/* Whether work-groups compute it as a product from local memory. */
bool convolution_has_gemm(const struct convolution_kernel *c);

/* The whole kernel, then. */
void convolution_gemm(const struct convolution_kernel *c);

#endif
