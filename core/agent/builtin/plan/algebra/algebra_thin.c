#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_product.h"
#include "core/base/json.h"

/*
 * A product with sums of a few terms and few columns fills little of a tile: its kernel takes many
 * times as long as its results take to store. It becomes the sum of its terms, column by row, which
 * other elementwise operations take into their kernels.
 */
static const int64_t most_terms = 4, most_columns = 8, least_results = 1 << 12;

static bool is_thin(const struct candidate_product *p)
{
    const struct product *product = &p->product;

    return product->k <= most_terms && product->n <= most_columns && !product->a_transposed &&
           p->call.in[0]->shape.rank >= 2 && p->call.in[1]->shape.rank >= 2 &&
           shape_elements(&p->call.out->shape) >= least_results;
}

/* Insert a slice of one element of an operand along an axis, before the node. */
static const char *slice_of(struct rewriting *r, struct candidate_product *p, size_t operand,
                            size_t axis, int64_t at)
{
    const struct new_node new = {"slice", {node_operand(r, p->node, operand), NULL}};
    struct json *made;
    const char *name = rewriting_insert(r, p->node++, &new, &made);

    json_put_number(made, "dim", (double)axis);
    json_put_number(made, "start", (double)at);
    json_put_number(made, "end", (double)at + 1);
    return name;
}

/* Row `at` of the second operand, [..., 1, n]. */
static const char *row_of(struct rewriting *r, struct candidate_product *p, int64_t at)
{
    const size_t rank = p->call.in[1]->shape.rank;
    const char *slice = slice_of(r, p, 1, rank - (p->product.b_transposed ? 1 : 2), at);
    struct json *made;
    const char *name;

    if (!p->product.b_transposed)
        return slice;
    name = rewriting_insert(r, p->node++, &(struct new_node){"transpose", {slice, NULL}}, &made);
    json_put_number(made, "dim0", (double)rank - 2);
    json_put_number(made, "dim1", (double)rank - 1);
    return name;
}

/* Turn the node into an operation of two operands. */
static void become(struct rewriting *r, const struct candidate_product *p, const char *op,
                   const char *const in[2])
{
    struct json *node = r->nodes.items[p->node], *operands = json_array_new();

    json_put_string(node, "op", op);
    json_remove(node, "transpose_a");
    json_remove(node, "transpose_b");
    json_push(operands, json_string_new(in[0]));
    json_push(operands, json_string_new(in[1]));
    json_put(node, "in", operands);
}

/* The last operation, of the last term or of the bias, is the node itself. */
static bool rewrite_node(struct rewriting *r, size_t node)
{
    struct candidate_product p;
    const char *sum = NULL;
    struct json *made;

    if (!algebra_product_read(r, node, &p) || !is_thin(&p))
        return false;
    for (int64_t k = 0; k < p.product.k; k++) {
        const char *column = slice_of(r, &p, 0, p.call.in[0]->shape.rank - 1, k);
        const char *row = row_of(r, &p, k), *term;
        bool is_last = k + 1 == p.product.k && !p.product.bias;

        if (is_last && !sum) {
            become(r, &p, "mul", (const char *[]){column, row});
            break;
        }
        term = rewriting_insert(r, p.node++, &(struct new_node){"mul", {column, row}}, &made);
        if (is_last)
            become(r, &p, "add", (const char *[]){sum, term});
        else
            sum = sum ? rewriting_insert(r, p.node++, &(struct new_node){"add", {sum, term}}, &made)
                      : term;
    }
    if (p.product.bias)
        become(r, &p, "add", (const char *[]){sum, node_operand(r, p.node, 2)});
    return true;
}

bool algebra_thin(struct rewriting *r, struct json *steps)
{
    return algebra_rewrite_nodes(r, rewrite_node, steps);
}
