#ifndef CORE_MODEL_PROBLEM_H
#define CORE_MODEL_PROBLEM_H

#include "core/model/expr.h"
#include "core/model/tensor.h"

/*
 * A problem: a computation as a graph of known operations over named tensors with symbolic
 * dimensions. FORMATS.md describes the file ("Problem"). A problem does not change after it is
 * read; graph_build() resolves it for concrete dimensions.
 */

struct dim {
    char *name;
    int64_t value;
    bool is_dynamic; /* a candidate must be correct for other values of it, too */
};

/* One operation of the graph.  Names are borrowed from the document. */
struct node {
    const char *op;
    const struct json *in;         /* array of tensor names and numbers */
    const char *out;               /* the name of its result */
    const struct json *attributes; /* the whole object of the node, including op, in and out */
};

/*
 * The allowed error of an output. A class without numbers means a derived tolerance: the error of a
 * float may be as large as rounding to the types of the class makes it for each element
 * (core/judge/oracle/rounding/rounding.h); integers and bools must be exact.
 *
 * Otherwise, and for a problem without a graph, an element is accepted when
 *
 * got - want
 *
 * <= atol * scale + rtol *
 *
 * want
 *
 * . The scale is the root mean square of the expected output, or 1 when `kernelbench` selects the
 * rule of that benchmark.
 *
 * An output is accepted when at least the share `matched` of its elements is accepted.
 */
struct tolerance {
    double atol, rtol, matched;
    bool kernelbench;
    bool allows_mixed; /* the tolerance's class permits computing in 16 bits */
    bool is_derived;
};

/* A further set of dimensions to verify at: `values[i]` is for `dims.items[i]`. */
struct dim_values {
    int64_t *values;
};

/*
 * Memory with the contents of tensors that the PyTorch model of the problem makes. The bridge owns
 * it (core/judge/torch/bridge.h).
 */
struct lent_memory {
    const unsigned char *bytes;
    size_t size;     /* 0 for none */
    unsigned serial; /* changes whenever the contents change */
};

/* The PyTorch file that the problem was taken from. Borrowed from the document. */
struct torch_file {
    const char *source; /* NULL when the problem is not from PyTorch */
    const char *file;
    const struct json *unknown; /* array of texts: the file's operations that the graph lacks */
    /* object: the position of each tensor among the inputs, or "layer.weight"; NULL if unknown */
    const struct json *keys;
    const struct json *numbers; /* array of [position, value]: inputs that are numbers; or NULL */
    const struct json *inputs;  /* how many there are, numbers included; or NULL */
    const struct json *outputs; /* how tuples, lists and dicts hold them; NULL: as a flat tuple */
};

struct problem {
    struct json *document; /* the parsed file */
    char *file;            /* the file's name in error messages */
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
    } nodes; /* in an order in which they can be computed; empty when the graph is unknown */
    struct {
        struct dim_values *items;
        size_t count, capacity;
    } also;
    struct tolerance tolerance;
    struct torch_file torch;
    struct lent_memory lent;
};

/* Free everything in it; all zeros afterwards. */
void problem_release(struct problem *problem);

/* The tensor of that name, or NULL. */
const struct tensor *problem_tensor(const struct problem *problem, const char *name);

/*
 * The dimensions as bindings: the main ones for `also` 0, else those of also.items[also - 1].
 * `bindings` has room for dims.count.
 */
struct scope problem_scope(const struct problem *problem, size_t also, struct binding *bindings);

#endif
