#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/algebra_rules.h"
#include "core/agent/builtin/plan/family.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/model/op/op_product.h"

/*
 * Matrix units need lines of whole 16 bytes and pairs of columns (family_has_matrix()). The
 * operands of a large product with other sizes are padded with zeros, and the added columns are cut
 * off the result. The copies take a small part of the time that matrix units save.
 */

/* Matrix units take sizes that are multiples of these; columns are padded to whole vectors. */
static const int64_t step_depth = 8, step_columns = 2, padded_columns = 8;

/* With smaller sizes the copies take too long. */
static const int64_t least_size = 1024;

/* Elements to add to the sums and to the columns. */
struct pads {
    int64_t depth, columns;
};

static bool is_large(const struct product *product)
{
    return product->m >= least_size && product->n >= least_size && product->k >= least_size;
}

static bool find(const struct rewriting *r, size_t node, struct product *product, struct pads *pads)
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
    *pads = (struct pads){
        .depth = -product->k & (step_depth - 1),
        .columns = product->n % step_columns ? -product->n & (padded_columns - 1) : 0,
    };
    return pads->depth || pads->columns;
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
    const char *name;

    if (!by[0] && !by[1])
        return;
    name = insert_pad(r, *node, node_operand(r, *node, operand), by);
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
    struct pads pads;
    int64_t a[2], b[2];

    if (!find(r, node, &product, &pads))
        return false;
    a[0] = product.a_transposed ? pads.depth : 0;
    a[1] = product.a_transposed ? 0 : pads.depth;
    b[0] = product.b_transposed ? pads.columns : pads.depth;
    b[1] = product.b_transposed ? pads.depth : pads.columns;
    pad_operand(r, &node, 0, a);
    pad_operand(r, &node, 1, b);
    if (pads.columns && product.bias)
        pad_operand(r, &node, 2, (const int64_t[2]){0, pads.columns});
    if (pads.columns)
        cut_result(r, node, pads.columns);
    return true;
}

bool algebra_pads(struct rewriting *r, struct json *steps)
{
    return algebra_rewrite_nodes(r, rewrite_node, steps);
}
