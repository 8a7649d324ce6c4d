#ifndef CORE_AGENT_BUILTIN_PLAN_ALGEBRA_GRAPH_H
#define CORE_AGENT_BUILTIN_PLAN_ALGEBRA_GRAPH_H

#include "core/base/strbuf.h"
#include "core/model/graph.h"

/*
 * A problem's graph while the rules of algebra.h rewrite it: the nodes as JSON, as in the problem's
 * file, and the shapes of the graph that was read last.
 */
struct rewriting {
    struct problem problem; /* the problem that was read last */
    struct binding *bindings;
    struct graph graph;
    bool is_fixed;    /* no dimension is dynamic */
    bool has_columns; /* a product's epilogue computes statistics of its columns */
    bool has_batch;   /* a work-group reduces a channel of a small batch */
    struct {
        struct json **items; /* NULL for a dropped node */
        size_t count, capacity;
    } nodes;
    size_t fresh; /* number of new names */
    struct {
        struct declared_shape {
            char *name;
            struct shape shape;
        } * items;
        size_t count, capacity;
    } declared; /* tensors that are declared in another shape from now on */
};

/* Read the problem's text. rewriting_release() frees it, also after a failure. */
enum status rewriting_read(struct rewriting *r, const struct json *document,
                           struct error *err) MUST_CHECK;
void rewriting_release(struct rewriting *r);

/* The document with the nodes as they are now; the caller frees it. */
struct json *rewriting_document(const struct rewriting *r);

/*
 * The operation of node `i`; the name of an operand, NULL for a number; that number; the name of
 * its result.
 */
const char *node_op(const struct rewriting *r, size_t i);
const char *node_operand(const struct rewriting *r, size_t i, size_t operand);
double node_number(const struct rewriting *r, size_t i, size_t operand);
const char *node_out(const struct rewriting *r, size_t i);

/* The value with a name; NULL if it was inserted after the graph was read. */
const struct value *rewriting_value(const struct rewriting *r, const char *name);

/* The index of the node that computes a value; the number of nodes if none does. */
size_t rewriting_maker(const struct rewriting *r, const char *name);

/* The number of operands that are this value, plus 1 if it is an output. */
size_t rewriting_uses(const struct rewriting *r, const char *name);

/* Replace operand `from` by `to` in all nodes. */
void rewriting_replace(struct rewriting *r, const char *from, const char *to);

/* Set an operand, or the name of the result. */
void node_set_operand(struct rewriting *r, size_t i, size_t operand, struct json *value);
void node_set_out(struct rewriting *r, size_t i, const char *name);

/* Drop node `i`, so that rewriting_document() leaves it out. */
void rewriting_drop(struct rewriting *r, size_t i);

/*
 * Declare a tensor of the problem in another shape with as many elements.
 */
void rewriting_declare(struct rewriting *r, const char *name, const struct shape *shape);

/* A node to be inserted; its second operand may be NULL. */
struct new_node {
    const char *op, *in[2];
};

/*
 * Insert a node before node `at`. Returns the name of its result, which the node owns. `made`
 * receives the node, so that the caller can add attributes.
 */
const char *rewriting_insert(struct rewriting *r, size_t at, const struct new_node *new,
                             struct json **made);

/* Append "t2 = sum(t1, dim 1)" to a list of operations. */
void node_describe(const struct rewriting *r, size_t i, struct strbuf *out);

#endif
