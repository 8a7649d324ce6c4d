#include "core/agent/builtin/plan/algebra/algebra_vectors.h"

#include "core/base/json.h"

static const int64_t least_depth = 64; /* steps of a sum that many work-items share */

/*
 * Products of a few rows leave most of a GPU idle: a work-group adds up all steps of its tile, one
 * after the other, at about 20 ns a step. Rows of this depth have work-groups of their own, which
 * read each line once for each row from the L2 cache. Where matrix units take a product, that pays
 * for fewer steps in all.
 */
static const int64_t few_rows = 16, few_results = 4096, long_depth = 512, few_steps = 1 << 23;

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
           p->product.k >= least_depth &&
           (!r->problem.tolerance.allows_mixed || p->product.n % 2 != 0);
}

/*
 * True for a product of a few rows with the lines of a matrix, with few results and long sums. The
 * rows are stored: computing them in the multiplication would store all its products.
 */
static bool is_of_few_rows(const struct rewriting *r, const struct candidate_product *p)
{
    const struct product *product = &p->product;
    int64_t results = product->m * product->n;

    return rewriting_maker(r, node_operand(r, p->node, 0)) == r->nodes.count &&
           product->m <= few_rows && product->n > 1 && product->batch.rank == 0 &&
           !product->a_transposed && product->b_transposed && p->call.in[1]->shape.rank == 2 &&
           results <= few_results && product->k >= long_depth &&
           (product->n % 2 != 0 || results * product->k <= few_steps);
}

/*
 * Multiply the lines of the matrix by each row, element by element, and add up each line. A single
 * row is multiplied as it is: behind a reshape the products would be stored.
 */
static void multiply_lines(struct rewriting *r, struct candidate_product *p)
{
    const struct shape rows = {3, {p->product.m, 1, p->product.k}};
    const struct shape *given = &p->call.in[0]->shape;
    const bool is_row = p->product.m == 1 && given->dims[given->rank - 1] == p->product.k;
    const char *vectors = node_operand(r, p->node, 0), *name;
    const int64_t last = is_row && given->rank < 3 ? 1 : is_row ? (int64_t)given->rank - 1 : 2;
    struct json *made;

    if (!is_row)
        vectors = algebra_product_reshape(r, p, vectors, &rows);
    name = rewriting_insert(
        r, p->node, &(struct new_node){"mul", {node_operand(r, p->node, 1), vectors}}, &made);
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

bool algebra_multiply_few_rows(struct rewriting *r, struct candidate_product *p)
{
    if (!is_of_few_rows(r, p))
        return false;
    multiply_lines(r, p);
    return true;
}

/*
 * True for a product of many small matrices, or of very many short rows with a small one: a
 * work-item computes each result alone, so that other elements' operations can be part of its
 * kernel. The tiles of a product's kernel would be nearly empty.
 */
static bool is_of_small_matrices(const struct candidate_product *p)
{
    const int64_t small = 8, many = 1 << 16;
    const struct product *product = &p->product;
    int64_t matrices = shape_elements(&product->batch);

    return product->k <= small && product->n <= small &&
           (product->m <= small || product->batch.rank == 0) && matrices * product->m >= many;
}

/* Step `k` of an operand's sums: a column of the first operand, a row of the second one. */
static const char *step_of(struct rewriting *r, struct candidate_product *p, size_t operand,
                           int64_t k)
{
    const struct new_node slice = {"slice", {node_operand(r, p->node, operand), NULL}};
    bool is_column = operand == 0 ? !p->product.a_transposed : p->product.b_transposed;
    struct shape shape = p->call.in[operand]->shape;
    struct json *made;
    const char *name = rewriting_insert(r, p->node++, &slice, &made);

    json_put_number(made, "dim", (double)(shape.rank - (is_column ? 1 : 2)));
    json_put_number(made, "start", (double)k);
    json_put_number(made, "end", (double)(k + 1));
    if (is_column == (operand == 0))
        return name;
    shape.dims[shape.rank - 2] = operand == 0 ? p->product.m : 1;
    shape.dims[shape.rank - 1] = operand == 0 ? 1 : p->product.n;
    return algebra_product_reshape(r, p, name, &shape);
}

bool algebra_multiply_small(struct rewriting *r, struct candidate_product *p)
{
    const char *sum = NULL;
    struct json *made;

    if (p->call.in[0]->shape.rank < 2 || p->call.in[1]->shape.rank < 2 || !is_of_small_matrices(p))
        return false;
    for (int64_t k = 0; k < p->product.k; k++) {
        const char *column = step_of(r, p, 0, k), *row = step_of(r, p, 1, k);
        const char *next =
            rewriting_insert(r, p->node++, &(struct new_node){"mul", {column, row}}, &made);

        sum = sum ? rewriting_insert(r, p->node++, &(struct new_node){"add", {sum, next}}, &made)
                  : next;
    }
    if (p->product.bias)
        sum = rewriting_insert(
            r, p->node, &(struct new_node){"add", {sum, node_operand(r, p->node, 2)}}, &made);
    p->node += p->product.bias != NULL;
    algebra_product_become_reshape(r, p, sum);
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
