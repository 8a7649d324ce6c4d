#ifndef CORE_MODEL_GRAPH_H
#define CORE_MODEL_GRAPH_H

#include "core/model/op/op.h"
#include "core/model/problem.h"

/*
 * A problem at concrete dimensions: every tensor with its shape and fill,
 * every node with its operands and attributes resolved, in an order in which
 * they can be computed.  Borrows names from the problem, which must outlive it.
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
            *items; /* the problem's tensors in its order, then inner values and constants */
        size_t count, capacity;
    } values;
    struct {
        struct graph_node *items;
        size_t count, capacity;
    } nodes; /* as in the file: nodes.items[i] is graph[i] */
};

/* Of a whole graph: minutes of an oracle's time. */
#define GRAPH_MAX_FLOPS 1e13

/* `scope` gives every dimension of the problem a value. */
enum status graph_build(struct graph *graph, const struct problem *problem,
                        const struct scope *scope, struct error *err) MUST_CHECK;
void graph_release(struct graph *graph);

/* The call of a node, as the functions of its op take it; borrows from `graph`. */
struct op_call graph_call(const struct graph *graph, size_t node);

/* Index of the value called `name`, or values.count. */
size_t graph_find(const struct graph *graph, const char *name);

/*
 * Floating-point operations of one call, by the conventions of op.h, and the
 * bytes that any implementation must move: what is needed of each input and
 * param (op_reads() in op.h) read once, each output written once.
 */
double graph_flops(const struct graph *graph);
double graph_bytes(const struct graph *graph);

#endif
