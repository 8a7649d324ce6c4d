#ifndef CORE_MODEL_OP_OP_WINDOW_H
#define CORE_MODEL_OP_OP_WINDOW_H

#include "core/model/op/op.h"

/*
 * Convolutions and pooling in a common form: each place of the result has a window of places of the
 * first operand, along one to three axes. For pictures see Dumoulin and Visin, "A guide to
 * convolution arithmetic for deep learning", 2016.
 */

enum window_kind {
    WINDOW_FORWARD,    /* convolution and pooling */
    WINDOW_TRANSPOSED, /* a forward window with result and operand exchanged: transposed convolution
                        */
    WINDOW_ADAPTIVE,   /* pooling to a given output size, with windows of different sizes */
};

/* Sizes along one axis, in elements. */
struct window_axis {
    int64_t in, out;
    int64_t kernel; /* places in a window; for adaptive ones, in the largest */
    int64_t stride, padding, dilation;
};

enum { WINDOW_AXES = 3 };

/* The limit for all windows of an operation: the oracle takes minutes for this many places. */
#define WINDOW_MAX_PLACES 1e11

/* Always has three axes. Axes that the operation lacks come first and have one place. */
struct window {
    enum window_kind kind;
    struct window_axis axes[WINDOW_AXES];
};

/* The windows of a call, from its attributes and shapes. */
struct window window_of(const struct op_call *call);

/* The window along an axis, from 2 on, of an operand with `rank` axes. */
const struct window_axis *window_axis_of(const struct window *window, size_t rank, size_t axis);

/* The operand's place that is the k-th in the window of result place `out`; -1 for padding. */
int64_t window_tap(enum window_kind kind, const struct window_axis *axis, int64_t out, int64_t k);

/* The number of places in all windows together without padding. */
double window_taps(const struct window *window);

/*
 * For `needs` (op.h): add the elements of the first operand in the windows of the wanted elements.
 * `channels` are those of the operand. Elements that form no region are left out.
 */
void window_needs(const struct op_call *call, const struct region *wanted,
                  const struct region_axis *channels, struct region_list *needed);

/* For the op_*.c files: check that the attributes are in range and the result is not empty. */
enum status window_check(const struct op_call *call, const struct json_ref *place,
                         struct error *err) MUST_CHECK;

/* The shape of the result: batch, `channels`, and the sizes that the windows leave. */
struct shape window_result(const struct op_call *call, int64_t channels);

#endif
