#ifndef CORE_MODEL_OP_OP_ATTENTION_H
#define CORE_MODEL_OP_OP_ATTENTION_H

#include "core/model/op/op.h"

/*
 * scaled_dot_product_attention as matrices: softmax(scale q k^T + mask) v for
 * each of `heads` query matrices.  Query matrix i works with key and value
 * matrix i / group: grouped queries share them.
 *
 * A bool mask lets through where it is true, another one is added.  A row
 * that nothing is let through to gives zeros, as in PyTorch since 2.5.
 */
struct attention {
    struct shape batch; /* of the query: all axes but the last two */
    int64_t heads, group;
    int64_t queries, keys;    /* rows of q; rows of k and v */
    int64_t width, out_width; /* columns of q and k; columns of v */
    double scale;
    bool is_causal;           /* query i sees keys 0 ... i */
    const struct value *mask; /* operand 3; NULL without */
};

/* The operands and sizes of a call of attention.  Borrows from the call. */
struct attention attention_of(const struct op_call *call);

/*
 * rope: pairs of elements of a row [..., D] are turned by angles, whose
 * cosines and sines are operands [..., D / 2] (Su et al., "RoFormer: Enhanced
 * Transformer with Rotary Position Embedding", 2021).  Pair i is elements i
 * and D / 2 + i, as in GPT-NeoX, Llama and gpt-oss; with `interleaved`,
 * elements 2 i and 2 i + 1, as in the paper and GPT-J.
 */

#endif
