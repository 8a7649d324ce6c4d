#ifndef CORE_MODEL_OP_H
#define CORE_MODEL_OP_H

#include "core/model/attribute.h"
#include "core/model/tensor.h"

/*
 * The operations that a graph is made of: their names, attributes, shape
 * rules and costs.  What they compute is defined by the oracle
 * (core/judge/oracle.h); shapes follow NumPy's broadcasting, names and
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
    OP_PRODUCT,     /* matmul, linear, convolutions, attention */
    OP_WINDOW,      /* pooling */
    OP_MOVEMENT,    /* elements change place, not value: transpose, slice, gather */
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
};

/* NULL when there is no such operation. */
const struct op *op_find(const char *name);

/* All of them, family by family; NULL after the last. */
const struct op *op_at(size_t index);

double op_flops(const struct op_call *call);

/* The attribute of that name, which the operation has; its default where the node gives none. */
const struct attribute *op_attribute(const struct op_call *call, const char *name);

#endif
