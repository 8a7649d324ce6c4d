#ifndef CORE_MODEL_GRAPH_H
#define CORE_MODEL_GRAPH_H

#include "core/model/op/op.h"
#include "core/model/problem.h"

/*
 * A graph is a problem at concrete dimensions: every tensor has its shape and fill, every node its
 * operands and attributes, and the nodes are in an order in which they can be computed. Names are
 * borrowed from the problem, which must outlive the graph.
 */

struct graph_node {
    const struct op *op;
    size_t in[OP_MAX_INPUTS]; /* indices into values */
    size_t in_count;
    size_t out;
    struct attribute attributes[ATTRIBUTES_MAX];
};

struct graph {
    struct {
        struct value
            *items; /* the problem's tensors in its order, then the inner values and constants */
        size_t count, capacity;
    } values;
    struct {
        struct graph_node *items;
        size_t count, capacity;
    } nodes; /* in the file's order: nodes.items[i] is graph[i] */
    struct {
        size_t *slots; /* values plus one by the hash of their names, or 0 */
        size_t count, capacity;
    } names; /* of all values but constants, for graph_find() */
};

/* The limit for the whole graph: the oracle takes minutes for this many operations. */
#define GRAPH_MAX_FLOPS 1e13

/*
 * Build the graph; `scope` must give every dimension of the problem a value. STATUS_INVALID if
 * shapes or types do not match at these dimensions; the error names the node.
 */
enum status graph_build(struct graph *graph, const struct problem *problem,
                        const struct scope *scope, struct error *err) MUST_CHECK;
/* The same for a problem whose outputs get the shapes that the nodes compute. */
enum status graph_infer(struct graph *graph, const struct problem *problem,
                        const struct scope *scope, struct error *err) MUST_CHECK;
void graph_release(struct graph *graph);

/* The call of a node, for the functions of its operation. Borrows from `graph`. */
struct op_call graph_call(const struct graph *graph, size_t node);

/* True if the node's results change by steps: integers, truth values and signs. */
bool graph_makes_steps(const struct graph *graph, size_t node);

/* The index of the value called `name`, or values.count. */
size_t graph_find(const struct graph *graph, const char *name);

/* True if one of the graph's operations has a name that begins with one of `names`, which end with
 * NULL. */
bool graph_has_op(const struct graph *graph, const char *const *names);

/*
 * The floating-point operations of one run of the graph, by the conventions of op.h, and the bytes
 * that it moves as it is written: the elements of inputs and params that its operations read
 * (op_reads() in op.h) are read once, each output is written once.
 */
double graph_flops(const struct graph *graph);
double graph_bytes(const struct graph *graph);

/* The bytes of one value among these; 0 for inner values and constants. */
double graph_value_bytes(const struct graph *graph, size_t value);

#endif
