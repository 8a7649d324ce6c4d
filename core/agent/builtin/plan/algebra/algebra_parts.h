#ifndef CORE_AGENT_BUILTIN_PLAN_ALGEBRA_PARTS_H
#define CORE_AGENT_BUILTIN_PLAN_ALGEBRA_PARTS_H

#include "core/agent/builtin/plan/algebra/algebra_graph.h"

/* Slices of values, and the steps of a tensor of three axes, for the rules of algebra_rules.h. */

enum { TIME_AXIS = 0, STEP_RANK = 3 };

/* A slice of a value along one axis. */
struct part {
    const char *of; /* borrowed from the graph */
    size_t axis;
    int64_t start, end;
};

/* True if the node is there and is this operation. */
bool node_is(const struct rewriting *r, size_t node, const char *op);

/* The node that computes a value; the number of nodes if none does, or the name is NULL. */
size_t node_of(const struct rewriting *r, const char *name);

/* The name of an operand, borrowed from the graph; NULL for a number, or if there is none. */
const char *node_operand_name(const struct rewriting *r, size_t node, size_t number);

/* True if both names are the same, or both are NULL. */
bool is_same_name(const char *a, const char *b);

/* False if the value is no slice, or one in another order than its operand. */
bool part_read(const struct rewriting *r, const char *name, struct part *part);

/* Read one step of a tensor of three axes, along its first or second one, which has gone. */
bool part_read_step(const struct rewriting *r, const char *name, struct part *step);

/* True if both are slices of the same value along the same axis. */
bool part_is_beside(const struct part *a, const struct part *b);

/* True if the node exists and only gives its operand another shape. */
bool node_is_reshape(const struct rewriting *r, size_t node);

/* The value that the reshapes before `name` begin with. */
const char *before_reshapes(const struct rewriting *r, const char *name);

/* Set the attributes of a slice. */
void part_put(struct json *slice, const struct part *part);

/* Insert a slice of the value `of` before node `at`; returns its name, which the node owns. */
const char *part_insert(struct rewriting *r, size_t at, const char *of, const struct part *part);

/* Set a node's operands, without those that are NULL. */
void node_set_operands(struct json *node, const char *const *names, size_t count);

/* Let the node take one step of `all` instead; inserts a slice before it. */
void node_take_step(struct rewriting *r, size_t node, const char *all, int64_t step);

/* Drop operations whose results nothing reads. */
void rewriting_drop_unread(struct rewriting *r);

#endif
