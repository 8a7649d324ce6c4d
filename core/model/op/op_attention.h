#ifndef CORE_MODEL_OP_OP_ATTENTION_H
#define CORE_MODEL_OP_OP_ATTENTION_H

#include "core/model/op/op.h"

/*
 * scaled_dot_product_attention in terms of matrices: softmax(scale q k^T + mask) v for each of
 * `heads` query matrices. Query matrix i uses key and value matrix i / group, so grouped queries
 * share them.
 *
 * A bool mask selects the scores where it is true; any other mask is added. A row without any
 * selected score gives zeros, as in PyTorch since 2.5.
 */
struct attention {
    struct shape batch; /* all axes of the query but the last two */
    int64_t heads, group;
    int64_t queries, keys;    /* rows of q; rows of k and v */
    int64_t width, out_width; /* columns of q and k; columns of v */
    double scale;
    bool is_causal;           /* query i uses keys 0 ... i only */
    const struct value *mask; /* operand 3; NULL for none */
};

/* The operands and sizes of an attention call. Borrows from the call. */
struct attention attention_of(const struct op_call *call);

/*
 * rope rotates pairs of elements of each row [..., D] by angles, whose cosines and sines are
 * operands [..., D / 2] (Su et al., "RoFormer: Enhanced Transformer with Rotary Position
 * Embedding", 2021). Pair i consists of elements i and D / 2 + i, as in GPT-NeoX, Llama and
 * gpt-oss; with `interleaved`, of elements 2 i and 2 i + 1, as in the paper and GPT-J.
 */

#endif
