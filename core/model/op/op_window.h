#ifndef CORE_MODEL_OP_OP_WINDOW_H
#define CORE_MODEL_OP_OP_WINDOW_H

#include "core/model/op/op.h"

/*
 * Convolutions and pooling as what they share: for each place of the result,
 * a window of places of the first operand, along one to three axes.  Dumoulin
 * and Visin, "A guide to convolution arithmetic for deep learning", 2016,
 * draws them all.
 */

enum window_kind {
    WINDOW_FORWARD,    /* convolution and pooling */
    WINDOW_TRANSPOSED, /* a forward window with result and operand exchanged */
    WINDOW_ADAPTIVE,   /* pooling to a given size: windows of unequal sizes */
};

/* Along one axis, in elements. */
struct window_axis {
    int64_t in, out;
    int64_t kernel; /* places in a window; of an adaptive one, the most */
    int64_t stride, padding, dilation;
};

enum { WINDOW_AXES = 3 };

/* Of all windows of an operation together: minutes of an oracle's time. */
#define WINDOW_MAX_PLACES 1e11

/* Always three axes: those that the operation does not have come first and have one place. */
struct window {
    enum window_kind kind;
    struct window_axis axes[WINDOW_AXES];
};

/* Along each axis, from the attributes and shapes of a call. */
struct window window_of(const struct op_call *call);

/* Which place of the operand is the k-th in the window of place `out`; -1 where it is padding. */
int64_t window_tap(enum window_kind kind, const struct window_axis *axis, int64_t out, int64_t k);

/* How many taps all windows together have that are no padding. */
double window_taps(const struct window *window);

/* For the op_*.c files: attributes in range and sizes that leave a result. */
enum status window_check(const struct op_call *call, const struct json_ref *place,
                         struct error *err) MUST_CHECK;

/* The shape of the result: batch, `channels`, and the places of the windows. */
struct shape window_result(const struct op_call *call, int64_t channels);

#endif
