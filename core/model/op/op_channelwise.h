#ifndef CORE_MODEL_OP_OP_CHANNELWISE_H
#define CORE_MODEL_OP_OP_CHANNELWISE_H

#include "core/model/op/op.h"

/*
 * Batch, group and instance norm of [batch, channels, ...] as what they
 * share: each group of a sample's channels is centred and scaled, then each
 * channel gets its weight and bias.  In memory a group is one dense piece.
 */
struct channel_norm {
    int64_t samples, channels, groups; /* groups of a sample's channels */
    int64_t space;                     /* elements of one channel */
    bool has_statistics;               /* mean and variance are operands 1 and 2 */
    size_t weight, bias;               /* operands; 0 without */
};

/* The operands of a call of a norm over channels.  Borrows from the call. */
struct channel_norm channel_norm_of(const struct op_call *call);

#endif
