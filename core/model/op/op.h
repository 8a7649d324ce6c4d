#ifndef CORE_MODEL_OP_OP_H
#define CORE_MODEL_OP_OP_H

#include "core/model/op/attribute.h"
#include "core/model/tensor.h"

/*
 * The operations that a graph is made of: their names, attributes, shape
 * rules and costs.  What they compute is defined by the oracle
 * (core/judge/oracle/oracle.h); shapes follow NumPy's broadcasting, names and
 * attributes follow PyTorch's functions of the same name.  Where that has one
 * name for two things, `max` and `min` reduce, `maximum` and `minimum` compare
 * two tensors.
 */

enum { OP_MAX_INPUTS = 8 };

/* One use of an operation.  Borrows everything. */
struct op_call {
    const struct op *op;
    const struct value *in[OP_MAX_INPUTS];
    size_t in_count;
    const struct value *out;            /* NULL while its shape is being inferred */
    const struct attribute *attributes; /* one for each row of op->attributes, in its order */
};

/* What kind of thing an operation is: planners and code generators work by this. */
enum op_class {
    OP_ELEMENTWISE, /* each output element from the elements at its place */
    OP_REDUCTION,   /* along axes */
    OP_ROWWISE,     /* each row to a row of the same length: softmax, norms, cumsum */
    OP_CHANNELWISE, /* norms whose weight and bias belong to axis 1: batch, group, instance */
    OP_PRODUCT,     /* matmul and linear (op_product.h) */
    OP_CONVOLUTION, /* and its transpose (op_convolution.h) */
    OP_ATTENTION,   /* scaled_dot_product_attention and rope (op_attention.h) */
    OP_WINDOW,      /* pooling */
    OP_MOVEMENT,    /* elements change place, not value: transpose, slice, gather */
};

/* Element i of the result is the operand's at offset + the sum of i[axis] * strides[axis]. */
struct tensor_view {
    ptrdiff_t offset;
    ptrdiff_t strides[SHAPE_MAX_RANK]; /* in elements */
};

struct op {
    const char *name;
    enum op_class kind;
    size_t min_inputs, max_inputs;
    const struct attribute_spec *attributes; /* ends with a row without a name */

    /*
     * Shape and element type of the result.  `place` is the node in its
     * file, for errors, which name the operand shapes and what was expected.
     */
    enum status (*infer)(const struct op_call *call, const struct json_ref *place,
                         struct value *out, struct error *err);

    /* Bit i: a reduction or row-wise operation works along axis i of its first operand. */
    unsigned (*axes)(const struct op_call *call);

    /*
     * Floating-point operations: 2 for a multiply-add, 1 for add, mul, min,
     * max, compare and for each transcendental function; movement is free.
     * Where `flops` is NULL, `cost` for each element of the result or of the
     * first operand, whichever has more.
     */
    double cost;
    double (*flops)(const struct op_call *call);

    /* Of a convolution or pooling: the axes, the last ones, that its windows move along. */
    size_t spatial;

    /* Of a movement that only finds the operand's elements at other places; NULL otherwise. */
    struct tensor_view (*view)(const struct op_call *call);

    /* How many elements of an operand have to be read; NULL where that is all of them. */
    double (*reads)(const struct op_call *call, size_t operand);
};

/* Floating-point operations of one call, by the conventions above. */
double op_flops(const struct op_call *call);

/* Elements of an operand that have to be read: of a table only what is looked up. */
double op_reads(const struct op_call *call, size_t operand);

/* The attribute of that name, its default where the node gives none; NULL if the operation has
 * none. */
const struct attribute *op_attribute(const struct op_call *call, const char *name);

#endif
