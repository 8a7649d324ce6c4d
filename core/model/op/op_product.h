#ifndef CORE_MODEL_OP_OP_PRODUCT_H
#define CORE_MODEL_OP_OP_PRODUCT_H

#include "core/model/op/op.h"

/*
 * matmul and linear in a common form: for each matrix of a batch, the product of an m x k and a k x
 * n matrix. A turned operand is stored transposed.
 */
struct product {
    int64_t m, n, k;
    bool a_transposed, b_transposed;
    struct shape batch;       /* shape of the result's batch; rank 0 for a single product */
    const struct value *bias; /* [n], added to every row; NULL for none */
};

/* The product of a call of matmul or linear, after its shapes were inferred. */
struct product product_of(const struct op_call *call);

#endif
