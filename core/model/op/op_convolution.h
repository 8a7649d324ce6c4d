#ifndef CORE_MODEL_OP_OP_CONVOLUTION_H
#define CORE_MODEL_OP_OP_CONVOLUTION_H

#include "core/model/op/op_window.h"

/*
 * Convolutions and their transposes as sums over channels and windows. Each group of result
 * channels depends on one group of the first operand's channels.
 */
struct convolution {
    struct window window;
    int64_t batch, groups;
    int64_t in_channels, out_channels; /* per group */
    const struct value *bias;          /* [out_channels * groups]; NULL for none */
};

/* The operands and sizes of a call of a convolution or its transpose. Borrows from the call. */
struct convolution convolution_of(const struct op_call *call);

#endif
