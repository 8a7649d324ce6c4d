#ifndef CORE_MODEL_OP_OP_H
#define CORE_MODEL_OP_OP_H

#include "core/model/op/attribute.h"
#include "core/model/op/region.h"
#include "core/model/tensor.h"

/*
 * The operations of a graph: their names, attributes, shape rules and costs. The oracle defines
 * their results (core/judge/oracle/oracle.h). Shapes follow NumPy's broadcasting; names and
 * attributes follow PyTorch's functions. PyTorch uses max and min for two functions each: here
 * `max` and `min` reduce, `maximum` and `minimum` compare two tensors.
 */

enum { OP_MAX_INPUTS = 8 };

/* One use of an operation. Borrows everything. */
struct op_call {
    const struct op *op;
    const struct value *in[OP_MAX_INPUTS];
    size_t in_count;
    const struct value *out;            /* NULL while infer() determines its shape */
    const struct attribute *attributes; /* one for each row of op->attributes, in the same order */
};

/* The class of an operation, by which fusion and code generators decide. */
enum op_class {
    OP_ELEMENTWISE, /* each output element depends on the elements at the same place */
    OP_REDUCTION,   /* along axes */
    OP_ROWWISE,     /* turns rows into rows of the same length: softmax, norms, cumsum */
    OP_CHANNELWISE, /* norms with weight and bias per channel, axis 1: batch, group, instance */
    OP_PRODUCT,     /* matmul and linear (op_product.h) */
    OP_CONVOLUTION, /* convolution and its transpose (op_convolution.h) */
    OP_ATTENTION,   /* scaled_dot_product_attention and rope (op_attention.h) */
    OP_RECURRENCE,  /* recurrent layers over all steps (op_recurrence.h) */
    OP_WINDOW,      /* pooling */
    OP_SCATTER,     /* adds elements to those that an index names (op_lookup.h) */
    OP_MOVEMENT,    /* moves elements without changing them: transpose, slice, gather */
};

/* Element i of the result is the operand's element at offset + sum of i[axis] * strides[axis]. */
struct tensor_view {
    ptrdiff_t offset;
    ptrdiff_t strides[SHAPE_MAX_RANK]; /* in elements */
};

/* A question to an operation: which elements of an operand do elements of its result depend on? */
struct op_demand {
    size_t operand;
    const struct region *wanted; /* elements of the result; their places are known */
    unsigned nonzero;            /* bit i: operand i has no zeros */
};

struct op {
    const char *name;
    enum op_class kind;
    size_t min_inputs, max_inputs;
    const struct attribute_spec *attributes; /* ends with a row without a name */

    /*
     * Determine shape and element type of the result. `place` is the node in its file; the errors
     * name the operands' shapes and the expected ones.
     */
    enum status (*infer)(const struct op_call *call, const struct json_ref *place,
                         struct value *out, struct error *err);

    /*
     * Bit i is set when a reduction or row-wise operation works along axis i of its first operand.
     */
    unsigned (*axes)(const struct op_call *call);

    /*
     * The cost in floating-point operations: 2 for a multiply-add; 1 for add, mul, min, max,
     * compare and each transcendental function; 0 for movement. Without `flops` it is `cost` times
     * the elements of the result or of the first operand, whichever has more.
     */
    double cost;
    double (*flops)(const struct op_call *call);

    /* Convolution and pooling: the number of last axes that windows move along. */
    unsigned spatial;

    /* The result has no zeros if no operand has any. */
    bool keeps_nonzero;

    /* Movements whose result is a strided view of the operand; NULL for all others. */
    struct tensor_view (*view)(const struct op_call *call);

    /* The elements of an operand that the operation reads; NULL when it reads all. */
    double (*reads)(const struct op_call *call, size_t operand);

    /*
     * Add to `needed` elements of an operand on which the wanted ones depend whatever the contents
     * are: a correct kernel cannot know the result without them. In doubt an element is left out;
     * NULL leaves out all.
     */
    void (*needs)(const struct op_call *call, const struct op_demand *demand,
                  struct region_list *needed);

    /*
     * For documentation: the operands' names in order, "x, weight[, bias]", and the element types
     * that the operands may have and the result gets.
     */
    const char *operands, *types;
};

/* The floating-point operations of a call, by the conventions above. */
double op_flops(const struct op_call *call);

/*
 * The elements of an operand that the operation reads as it is written: the part of a view, of
 * windows or of a table.
 */
double op_reads(const struct op_call *call, size_t operand);

/* True if the operation's name is one of `names`, which end with NULL. */
bool op_is_one_of(const struct op *op, const char *const *names);

/* The same for the beginning of the operation's name. */
bool op_begins_with_one_of(const struct op *op, const char *const *names);

/*
 * The attribute of that name, with its default when the node does not give it. NULL when the
 * operation has no such attribute.
 */
const struct attribute *op_attribute(const struct op_call *call, const char *name);

#endif
