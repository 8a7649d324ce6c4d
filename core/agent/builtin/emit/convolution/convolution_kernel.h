#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_KERNEL_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_KERNEL_H

#include "core/agent/builtin/emit/emit.h"
#include "core/model/op/op_convolution.h"

/*
 * Sizes and names that both convolution kernels use: convolution.c, in which a work-item computes a
 * tile alone, and convolution_gemm.c, in which a work-group shares blocks in local memory.
 */

enum { FIRST_SPATIAL = 2 };

struct convolution_kernel {
    struct emitter *e;
    struct op_call call;
    const struct graph_node *node;
    struct convolution shape;
    size_t rank;
    const char *frame, *weights; /* scratch buffers */
    const char *channels, *filters,
        *taps;          /* channels and filters of a group, and taps of a channel, as C text */
    const char *tiles;  /* tiles of filters in a group, as C text */
    const char *places; /* result places of an image in a phase, as C text */
};

/* The window along a spatial axis, counted in the tensor's axes. */
const struct window_axis *convolution_axis(const struct convolution_kernel *c, size_t axis);

/* The last axis, whose elements are neighbours in memory. */
size_t convolution_last(const struct convolution_kernel *c);

/* The size of a value along an axis, and the product of its sizes from axis `first` up to `end`. */
const char *convolution_size(const struct convolution_kernel *c, size_t value, size_t axis);
const char *convolution_sizes(const struct convolution_kernel *c, size_t value, size_t first,
                              size_t end);

#endif
