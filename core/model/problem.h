#ifndef CORE_MODEL_PROBLEM_H
#define CORE_MODEL_PROBLEM_H

#include "core/model/dtype.h"
#include "core/model/expr.h"

/*
 * A problem: what is to be computed, as a graph of known operations over
 * named tensors with symbolic dimensions.  The file format is in the design
 * document FORMATS ("Problem").  A problem is read once and never changes;
 * graph_build() makes it concrete.
 */

struct dim {
    char *name;
    int64_t value;
    bool is_dynamic; /* a candidate must hold for values of it that it has not seen */
};

enum tensor_role {
    TENSOR_INPUT,  /* new at every call */
    TENSOR_PARAM,  /* constant for a model: work on it alone may be done once */
    TENSOR_OUTPUT, /* what is compared */
    TENSOR_INNER,  /* between two nodes of the graph; not in the file */
};

/* How a tensor gets its values (core/judge/fill.h makes them). */
enum fill_kind {
    FILL_UNIFORM,     /* a: low, b: high */
    FILL_NORMAL,      /* a: mean, b: standard deviation */
    FILL_INTEGERS,    /* a: lowest, b: highest, both possible */
    FILL_CONSTANT,    /* a: the value */
    FILL_PERMUTATION, /* of 0 ... n-1 along the last axis */
    FILL_MASK,        /* 1 with probability a, else 0 */
};

struct fill {
    enum fill_kind kind;
    double a, b;
};

struct tensor {
    char *name;
    enum tensor_role role;
    enum dtype dtype;
    const struct json *shape; /* array of expressions; borrowed from the problem's document */
    struct fill fill;         /* not of outputs */
};

/* One operation of the graph.  Names are borrowed from the document. */
struct node {
    const char *op;
    const struct json *in;         /* array of tensor names */
    const char *out;               /* the name of what it computes */
    const struct json *attributes; /* the node's own object, op, in and out included */
};

/*
 * |got - want| <= atol * scale + rtol * |want|, elementwise, for at least
 * `matched` of the elements; scale is the root mean square of the expected
 * output, or 1 where `kernelbench` asks for that benchmark's rule.
 */
struct tolerance {
    double atol, rtol, matched;
    bool kernelbench;
    bool allows_mixed; /* the class lets a candidate compute in 16 bits */
};

/* One set of further dimensions to verify at: `values[i]` is for `dims.items[i]`. */
struct dim_values {
    int64_t *values;
};

struct problem {
    struct json *document; /* as it was read */
    char *name;
    char *summary;
    struct {
        struct dim *items;
        size_t count, capacity;
    } dims;
    struct {
        struct tensor *items;
        size_t count, capacity;
    } tensors;
    struct {
        struct node *items;
        size_t count, capacity;
    } nodes;
    struct {
        struct dim_values *items;
        size_t count, capacity;
    } also;
    struct tolerance tolerance;
};

/*
 * Read a problem from the text of its file and check it whole, the graph at
 * all its dimensions included.  `file` is what errors call it.
 */
enum status problem_parse(struct problem *problem, const char *text, size_t len, const char *file,
                          struct error *err) MUST_CHECK;
enum status problem_load(struct problem *problem, const char *path, struct error *err) MUST_CHECK;
void problem_release(struct problem *problem);

/* NULL when there is no such tensor. */
const struct tensor *problem_tensor(const struct problem *problem, const char *name);

/*
 * The dimensions as bindings, `also` counting the sets of values: 0 for the
 * main one, i + 1 for also.items[i].  `bindings` has room for dims.count.
 */
struct scope problem_scope(const struct problem *problem, size_t also, struct binding *bindings);

#endif
