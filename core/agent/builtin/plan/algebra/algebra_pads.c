#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/agent/builtin/plan/family.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/model/op/op_product.h"

/*
 * Matrix units need pairs of columns (family_has_matrix()). The second operand of a large product
 * with an odd number of columns is padded with zeros, and the added columns are cut off the result.
 * The copies take a small part of the time that matrix units save.
 */

/* Matrix units take columns that are multiples of this; they are padded to whole vectors. */
static const int64_t step_columns = 2, padded_columns = 8;

/* With smaller sizes the copies take too long. */
static const int64_t least_size = 256;

static bool is_large(const struct product *product)
{
    return product->m >= least_size && product->n >= least_size && product->k >= least_size;
}

/* Find the number of columns to add. */
static bool find(const struct rewriting *r, size_t node, struct product *product, int64_t *columns)
{
    const char *op = node_op(r, node);
    struct op_call call;

    if (!r->is_fixed || (strcmp(op, "matmul") != 0 && strcmp(op, "linear") != 0) ||
        !node_operand(r, node, 0) || !node_operand(r, node, 1))
        return false;
    call = graph_call(&r->graph, node);
    *product = product_of(&call);
    if (!family_is_f32(&call) || call.in[0]->shape.rank != 2 || call.in[1]->shape.rank != 2 ||
        !is_large(product))
        return false;
    *columns = product->n % step_columns ? -product->n & (padded_columns - 1) : 0;
    return *columns > 0;
}

/* Insert a pad by `by[1]` elements along the last axis, and `by[0]` along the one before. */
static const char *insert_pad(struct rewriting *r, size_t at, const char *operand,
                              const int64_t by[2])
{
    const struct new_node new = {"pad", {operand, NULL}};
    const int64_t sizes[] = {0, by[1], 0, by[0]};
    struct json *made;
    const char *name = rewriting_insert(r, at, &new, &made);

    json_put_integers(made, "pad", sizes, by[0] ? 4 : 2);
    return name;
}

/* Pad an operand of the product by `by` elements along both axes; the product moves by a place. */
static void pad_operand(struct rewriting *r, size_t *node, size_t operand, const int64_t by[2])
{
    const char *name = insert_pad(r, *node, node_operand(r, *node, operand), by);

    ++*node;
    node_set_operand(r, *node, operand, json_string_new(name));
}

/* Let the product compute another value, from which its result is cut. */
static void cut_result(struct rewriting *r, size_t node, int64_t columns)
{
    const int64_t by[2] = {0, -columns};
    char *out = mem_strdup(node_out(r, node));
    const char *name = insert_pad(r, node + 1, out, by);

    node_set_out(r, node, name);
    node_set_operand(r, node + 1, 0, json_string_new(node_out(r, node)));
    node_set_out(r, node + 1, out);
    free(out);
}

static bool rewrite_node(struct rewriting *r, size_t node)
{
    struct product product;
    int64_t columns;

    if (!find(r, node, &product, &columns))
        return false;
    pad_operand(r, &node, 1,
                product.b_transposed ? (const int64_t[2]){columns, 0}
                                     : (const int64_t[2]){0, columns});
    if (product.bias)
        pad_operand(r, &node, 2, (const int64_t[2]){0, columns});
    cut_result(r, node, columns);
    return true;
}

bool algebra_pads(struct rewriting *r, struct json *steps)
{
    return algebra_rewrite_nodes(r, rewrite_node, steps);
}
