#ifndef CORE_MODEL_OP_OP_CONVOLUTION_H
#define CORE_MODEL_OP_OP_CONVOLUTION_H

#include "core/model/op/op_window.h"

/*
 * Convolutions and their transposes as sums over channels and windows: each
 * group of channels of the result from its own group of the first operand.
 */
struct convolution {
    struct window window;
    int64_t batch, groups;
    int64_t in_channels, out_channels; /* of one group */
    const struct value *bias;          /* [out_channels * groups]; NULL without */
};

/* The operands and sizes of a call of a convolution or of its transpose.  Borrows from the call. */
struct convolution convolution_of(const struct op_call *call);

#endif
