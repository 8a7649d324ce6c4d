#ifndef CORE_AGENT_BUILTIN_PLAN_ALGEBRA_GRAPH_H
#define CORE_AGENT_BUILTIN_PLAN_ALGEBRA_GRAPH_H

#include "core/base/strbuf.h"
#include "core/model/graph.h"

/*
 * A problem's graph while its rules (algebra.h) rewrite it: the nodes as JSON, as they stand in the
 * problem's file, beside the shapes of the graph that was read last.
 */
struct rewriting {
    struct problem problem; /* what was read last */
    struct binding *bindings;
    struct graph graph;
    bool is_fixed; /* no dimension may have another size */
    struct {
        struct json **items; /* NULL: dropped */
        size_t count, capacity;
    } nodes;
    size_t fresh; /* names that were made */
};

/* Read the problem's text. rewriting_release() frees it, also after a failure. */
enum status rewriting_read(struct rewriting *r, const struct json *document,
                           struct error *err) MUST_CHECK;
void rewriting_release(struct rewriting *r);

/* The document with the nodes as they are now; the caller frees it. */
struct json *rewriting_document(const struct rewriting *r);

/* The node at `i`; its operation; the name of its operand, or NULL for a number; its result. */
const char *node_op(const struct rewriting *r, size_t i);
const char *node_operand(const struct rewriting *r, size_t i, size_t operand);
double node_number(const struct rewriting *r, size_t i, size_t operand);
const char *node_out(const struct rewriting *r, size_t i);

/* The value of that name; NULL for one that was made since the graph was read. */
const struct value *rewriting_value(const struct rewriting *r, const char *name);

/* The node that makes the value, or the number of nodes. */
size_t rewriting_maker(const struct rewriting *r, const char *name);

/* How many operands the value is, and one more if it is an output. */
size_t rewriting_uses(const struct rewriting *r, const char *name);

/* Let the nodes read `to` in place of `from`. */
void rewriting_replace(struct rewriting *r, const char *from, const char *to);

/* Set an operand, or the name of the result. */
void node_set_operand(struct rewriting *r, size_t i, size_t operand, struct json *value);
void node_set_out(struct rewriting *r, size_t i, const char *name);

void rewriting_drop(struct rewriting *r, size_t i);

/* A node to be inserted; its second operand may be NULL. */
struct new_node {
    const char *op, *in[2];
};

/*
 * Insert a node before node `at` and return the name of its result, which the node owns.
 * Attributes are put with the node that is returned in `made`.
 */
const char *rewriting_insert(struct rewriting *r, size_t at, const struct new_node *new,
                             struct json **made);

/* Append "t2 = sum(t1, dim 1)" to a list of operations. */
void node_describe(const struct rewriting *r, size_t i, struct strbuf *out);

#endif
