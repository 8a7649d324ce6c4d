#ifndef CORE_MODEL_PROBLEM_H
#define CORE_MODEL_PROBLEM_H

#include "core/model/expr.h"
#include "core/model/tensor.h"

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

/* One operation of the graph.  Names are borrowed from the document. */
struct node {
    const char *op;
    const struct json *in;         /* array of tensor names and numbers */
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

/* Where the contents of tensors are that the problem's model has made; all of it is the bridge's.
 */
struct lent_memory {
    const unsigned char *bytes;
    size_t size;     /* 0: nothing is lent */
    unsigned serial; /* changes with what is lent */
};

/* The PyTorch file that a problem is taken from.  Borrowed from the document. */
struct torch_file {
    const char *source; /* NULL: the problem is no PyTorch file */
    const char *file;
    const struct json *unknown; /* array of texts: the operations that the graph does not have */
};

struct problem {
    struct json *document; /* as it was read */
    char *file;            /* what errors call it */
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
    } nodes; /* in an order in which they can be computed; none where the graph is not known */
    struct {
        struct dim_values *items;
        size_t count, capacity;
    } also;
    struct tolerance tolerance;
    struct torch_file torch;
    struct lent_memory lent;
};

/* Frees everything in it; all zeros afterwards. */
void problem_release(struct problem *problem);

/* NULL when there is no such tensor. */
const struct tensor *problem_tensor(const struct problem *problem, const char *name);

/*
 * The dimensions as bindings, `also` counting the sets of values: 0 for the
 * main one, i + 1 for also.items[i].  `bindings` has room for dims.count.
 */
struct scope problem_scope(const struct problem *problem, size_t also, struct binding *bindings);

#endif
