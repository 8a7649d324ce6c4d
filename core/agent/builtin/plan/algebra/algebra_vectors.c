#include "core/agent/builtin/plan/algebra/algebra_vectors.h"

#include "core/base/json.h"

static const int64_t least_depth = 64; /* steps of a sum that many work-items share */

/*
 * True for a product of rows with one vector, in which the steps of the sum are neighbours in
 * memory.
 */
static bool is_with_vector(const struct candidate_product *p)
{
    return p->product.n == 1 && p->product.batch.rank == 0 && !p->product.a_transposed &&
           !p->product.bias && p->product.k >= least_depth;
}

/* Multiply the rows by the vector, element by element, and add up each row. */
static void multiply_rows(struct rewriting *r, struct candidate_product *p)
{
    const struct shape row = {1, {p->product.k}};
    const int64_t last = (int64_t)p->call.in[0]->shape.rank - 1;
    const char *x = node_operand(r, p->node, 0), *name;
    const char *vector = algebra_product_reshape(r, p, node_operand(r, p->node, 1), &row);
    const struct new_node new = {"mul", {x, vector}};
    struct json *made;

    name = rewriting_insert(r, p->node++, &new, &made);
    json_put_bool(algebra_product_become_sum(r, p->node, name, last), "keepdim", true);
}

/*
 * True for a product of one row with the lines of a matrix. Its time is that of reading the matrix,
 * which may be halved in advance where operands may be rounded.
 */
static bool is_of_row(const struct rewriting *r, const struct candidate_product *p)
{
    return p->product.m == 1 && p->product.n > 1 && p->product.batch.rank == 0 &&
           p->product.b_transposed && p->call.in[1]->shape.rank == 2 &&
           p->product.k >= least_depth && !r->problem.tolerance.allows_mixed;
}

/* Multiply the lines of the matrix by the row, element by element, and add up each line. */
static void multiply_lines(struct rewriting *r, struct candidate_product *p)
{
    const struct shape row = {1, {p->product.k}};
    const char *vector = algebra_product_reshape(r, p, node_operand(r, p->node, 0), &row), *name;
    const int64_t last = 1;
    struct json *made;

    name = rewriting_insert(
        r, p->node, &(struct new_node){"mul", {node_operand(r, p->node, 1), vector}}, &made);
    name = rewriting_insert(r, ++p->node, &(struct new_node){"sum", {name, NULL}}, &made);
    json_put_integers(made, "dim", &last, 1);
    p->node++;
    if (p->product.bias)
        name = rewriting_insert(
            r, p->node, &(struct new_node){"add", {name, node_operand(r, p->node, 2)}}, &made);
    p->node += p->product.bias != NULL;
    algebra_product_become_reshape(r, p, name);
}

bool algebra_multiply_vector(struct rewriting *r, struct candidate_product *p)
{
    bool is_row = is_of_row(r, p);

    if (!is_row && !is_with_vector(p))
        return false;
    (is_row ? multiply_lines : multiply_rows)(r, p);
    return true;
}

static bool rewrite_node(struct rewriting *r, size_t node)
{
    struct candidate_product p;

    return algebra_product_read(r, node, &p) && algebra_multiply_vector(r, &p);
}

bool algebra_vectors(struct rewriting *r, struct json *steps)
{
    return algebra_rewrite_nodes(r, rewrite_node, steps);
}
