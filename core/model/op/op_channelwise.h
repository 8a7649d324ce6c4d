#ifndef CORE_MODEL_OP_OP_CHANNELWISE_H
#define CORE_MODEL_OP_OP_CHANNELWISE_H

#include "core/model/op/op.h"

/*
 * Batch, group and instance norm of [batch, channels, ...] in a common form: each group of a
 * sample's channels is centred and scaled, then each channel gets its weight and bias. A group is
 * contiguous in memory.
 */
struct channel_norm {
    int64_t samples, channels, groups; /* groups divide the channels of a sample */
    int64_t space;                     /* elements of one channel */
    bool has_statistics;               /* mean and variance are given, as operands 1 and 2 */
    size_t weight, bias;               /* indices of operands; 0 for none */
};

/* The sizes and operands of a call of such a norm. */
struct channel_norm channel_norm_of(const struct op_call *call);

#endif
