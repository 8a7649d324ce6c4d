#ifndef CORE_MODEL_TENSOR_H
#define CORE_MODEL_TENSOR_H

#include "core/model/dtype.h"
#include "core/model/expr.h"

/*
 * Tensors in two forms: as the problem declares them, with sizes that are expressions over the
 * dimensions, and at concrete dimensions (struct value).
 */

enum tensor_role {
    TENSOR_INPUT,    /* changes with every run */
    TENSOR_PARAM,    /* constant for a model: a plan's prepare step may process it once */
    TENSOR_OUTPUT,   /* compared with the expected values */
    TENSOR_INNER,    /* passed between two nodes; not among the file's tensors */
    TENSOR_CONSTANT, /* a number among a node's operands */
};

/* True for an input or a param: the candidate is given the tensor and only reads it. */
bool tensor_is_given(enum tensor_role role);

/*
 * The ways to fill a tensor (core/judge/oracle/fill.h). In a file: {"uniform": [a, b]}, {"mask":
 * a}, {"permutation": []}. The ends of integers may be expressions over the dimensions.
 */
enum fill_kind {
    FILL_UNIFORM,     /* a: low, b: high */
    FILL_NORMAL,      /* a: mean, b: standard deviation */
    FILL_INTEGERS,    /* a: lowest, b: highest, both included */
    FILL_CONSTANT,    /* a: the value */
    FILL_PERMUTATION, /* a permutation of 0 ... n-1 along the last axis */
    FILL_MASK,        /* 1 with probability a, else 0 */
    FILL_SIGNS,       /* 1 with probability a, else -1 */
    FILL_MODEL,       /* made by the problem's PyTorch file: one of `given` */
};

enum { FILL_KIND_COUNT = FILL_MODEL + 1 };

/* The names in files: "input", "uniform". Static. */
const char *tensor_role_name(enum tensor_role role);
const char *fill_name(enum fill_kind kind);

/* Sets of contents that were made in advance, in the tensor's own type, `stride` bytes apart. */
struct given {
    const unsigned char *bytes; /* NULL when there are none yet; the tensor then reads as zeros */
    size_t stride, count;
    size_t common; /* elements that all sets have in common (needs_count_common()) */
};

struct fill {
    enum fill_kind kind;
    double a, b;
};

/* A declared tensor. JSON values are borrowed from the problem's document. */
struct tensor {
    char *name;
    enum tensor_role role;
    enum dtype dtype;
    const struct json *shape; /* array of expressions */
    const struct json *fill;  /* NULL for an output */
    struct given
        given; /* for FILL_MODEL, after the bridge has made it (core/judge/torch/bridge.h) */
};

/* True if the file of a PyTorch problem makes the contents: the fill is {"model": []}. */
bool tensor_is_from_model(const struct tensor *tensor);

/* A tensor at concrete dimensions. The name is borrowed. */
struct value {
    const char *name; /* empty for a constant */
    enum tensor_role role;
    enum dtype dtype;
    struct shape shape;
    struct fill fill;   /* fill of inputs, params and constants */
    struct given given; /* for FILL_MODEL; borrowed from the tensor */
};

/* The number of its elements, 1 for a scalar. */
size_t value_elements(const struct value *value);

/*
 * Read the declaration at `at`, whose key becomes the tensor's name, without resolving dimensions.
 */
enum status tensor_read(const struct json_ref *at, struct tensor *tensor,
                        struct error *err) MUST_CHECK;
void tensor_release(struct tensor *tensor);

/* Resolve the tensor for concrete dimensions. `at` is its declaration, for error messages. */
enum status tensor_resolve(const struct tensor *tensor, const struct json_ref *at,
                           const struct scope *scope, struct value *value,
                           struct error *err) MUST_CHECK;

enum { NAME_MAX_LENGTH = 63 };

/*
 * Check a name. Names become kernel arguments, so they are C identifiers of at most NAME_MAX_LENGTH
 * characters.
 */
enum status name_check(const struct json_ref *at, const char *name, struct error *err) MUST_CHECK;

#endif
