#ifndef CORE_MODEL_OP_H
#define CORE_MODEL_OP_H

#include "core/base/json.h"
#include "core/model/dtype.h"
#include "core/model/problem.h"

/*
 * The operations that a graph is made of: their names, attributes, shape
 * rules and costs.  What they compute is defined by the oracle
 * (core/judge/oracle.h); shapes follow NumPy's broadcasting, names and
 * attributes follow PyTorch's functions of the same name.
 */

enum { OP_MAX_INPUTS = 8 };

/* A tensor at concrete dimensions. */
struct value {
    const char *name;
    enum tensor_role role;
    enum dtype dtype;
    struct shape shape;
};

/* One use of an operation.  Borrows everything. */
struct op_call {
    const struct op *op;
    const struct value *in[OP_MAX_INPUTS];
    size_t in_count;
    const struct value *out;       /* NULL while its shape is being inferred */
    const struct json *attributes; /* an object; keys that the op does not know are errors */
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
    const char *const *attributes; /* NULL-terminated names, beyond op, in and out */

    /*
     * Shape and element type of the result.  `place` is the node in its
     * file, for errors, which name the operand shapes and what was expected.
     */
    enum status (*infer)(const struct op_call *call, const struct json_ref *place,
                         struct value *out, struct error *err);

    /*
     * Floating-point operations: 2 for a multiply-add, 1 for add, mul, min,
     * max, compare and for each transcendental function; movement is free.
     */
    double (*flops)(const struct op_call *call);
};

/* NULL when there is no such operation. */
const struct op *op_find(const char *name);

/* All of them, sorted by name, ended by a row without a name. */
extern const struct op op_table[];

#endif
