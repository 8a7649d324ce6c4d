#ifndef CORE_MODEL_TENSOR_H
#define CORE_MODEL_TENSOR_H

#include "core/model/dtype.h"
#include "core/model/expr.h"

/*
 * A tensor as a problem declares it, with sizes as expressions over the
 * dimensions, and as it is at concrete dimensions: a value.
 */

enum tensor_role {
    TENSOR_INPUT,    /* new at every call */
    TENSOR_PARAM,    /* constant for a model: work on it alone may be done once */
    TENSOR_OUTPUT,   /* what is compared */
    TENSOR_INNER,    /* between two nodes of the graph; not in the file's tensors */
    TENSOR_CONSTANT, /* a number among a node's operands */
};

/* Whether a candidate finds it there, and only reads it: an input or a param. */
bool tensor_is_given(enum tensor_role role);

/*
 * How a tensor gets its values (core/judge/oracle/fill.h makes them).  In a file:
 * {"uniform": [a, b]}, {"mask": a}, {"permutation": []}.  The ends of integers
 * may be expressions over the dimensions.
 */
enum fill_kind {
    FILL_UNIFORM,     /* a: low, b: high */
    FILL_NORMAL,      /* a: mean, b: standard deviation */
    FILL_INTEGERS,    /* a: lowest, b: highest, both possible */
    FILL_CONSTANT,    /* a: the value */
    FILL_PERMUTATION, /* of 0 ... n-1 along the last axis */
    FILL_MASK,        /* 1 with probability a, else 0 */
    FILL_MODEL,       /* as the file of a PyTorch problem makes it: one of `given` */
};

enum { FILL_KIND_COUNT = FILL_MODEL + 1 };

/* Contents that were made ahead, in the tensor's own type, `stride` bytes from each to the next. */
struct given {
    const unsigned char *bytes; /* NULL: there are none, and the tensor is zeros */
    size_t stride, count;
};

struct fill {
    enum fill_kind kind;
    double a, b;
};

/* As declared.  What is JSON is borrowed from the problem's document. */
struct tensor {
    char *name;
    enum tensor_role role;
    enum dtype dtype;
    const struct json *shape; /* array of expressions */
    const struct json *fill;  /* NULL for an output */
    struct given
        given; /* for a FILL_MODEL, once somebody has made it (core/judge/torch/bridge.h) */
};

/* At concrete dimensions.  The name is borrowed. */
struct value {
    const char *name; /* a constant's is empty */
    enum tensor_role role;
    enum dtype dtype;
    struct shape shape;
    struct fill fill;   /* of inputs, params and constants */
    struct given given; /* for a FILL_MODEL; borrowed from who made it */
};

/* Read the declaration at `at`, whose name the tensor gets, as far as no dimensions are needed. */
enum status tensor_read(const struct json_ref *at, struct tensor *tensor,
                        struct error *err) MUST_CHECK;
void tensor_release(struct tensor *tensor);

/* `at` is the declaration again, for errors. */
enum status tensor_resolve(const struct tensor *tensor, const struct json_ref *at,
                           const struct scope *scope, struct value *value,
                           struct error *err) MUST_CHECK;

enum { NAME_MAX_LENGTH = 63 };

/* Names become kernel arguments: C identifiers of at most NAME_MAX_LENGTH characters. */
enum status name_check(const struct json_ref *at, const char *name, struct error *err) MUST_CHECK;

#endif
