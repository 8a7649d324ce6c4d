#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/base/json.h"
#include "core/base/mem.h"

/*
 * Since (a b) c = a (b c), products of products are reordered if that takes fewer operations in a
 * run.
 */

/* A reordering must save this share of the operations. */
static const double least_saving = 0.1;

struct chain {
    size_t inner, outer;
    const struct value *a, *b, *c; /* the factors from left to right */
    bool is_inner_left;            /* (a b) c as it is written */
};

static const struct value *factor(const struct rewriting *r, size_t i, size_t operand)
{
    const char *name = node_operand(r, i, operand);
    const struct value *value = name ? rewriting_value(r, name) : NULL;

    return value && value->shape.rank == 2 ? value : NULL;
}

static bool is_plain_matmul(const struct rewriting *r, size_t i)
{
    const struct json *node = r->nodes.items[i];

    return strcmp(node_op(r, i), "matmul") == 0 && !json_get_bool(node, "transpose_a", false) &&
           !json_get_bool(node, "transpose_b", false);
}

/*
 * The operations of a product of two factors; 0 if both depend on params alone, because `prepare`
 * computes it.
 */
static double operations(const struct value *a, const struct value *b)
{
    if (a->role == TENSOR_PARAM && b->role == TENSOR_PARAM)
        return 0;
    return (double)a->shape.dims[0] * (double)a->shape.dims[1] * (double)b->shape.dims[1];
}

/* The operations of (a b) c or of a (b c). */
static double cost(const struct chain *chain, bool is_left)
{
    double m = (double)chain->a->shape.dims[0], p = (double)chain->c->shape.dims[1];
    double outer =
        is_left ? m * (double)chain->c->shape.dims[0] * p : m * (double)chain->b->shape.dims[0] * p;

    return outer + (is_left ? operations(chain->a, chain->b) : operations(chain->b, chain->c));
}

/*
 * True if operand k of the outer product is a product too, and the other order takes fewer
 * operations.
 */
static bool is_chain(const struct rewriting *r, struct chain *chain, size_t k)
{
    const char *name = node_operand(r, chain->outer, k);

    chain->inner = name ? rewriting_maker(r, name) : r->nodes.count;
    if (chain->inner == r->nodes.count || !is_plain_matmul(r, chain->inner) ||
        rewriting_uses(r, name) != 1)
        return false;
    chain->is_inner_left = k == 0;
    chain->a = factor(r, k ? chain->outer : chain->inner, 0);
    chain->b = factor(r, chain->inner, k ? 0 : 1);
    chain->c = factor(r, k ? chain->inner : chain->outer, 1);
    return chain->a && chain->b && chain->c &&
           cost(chain, k != 0) < (1 - least_saving) * cost(chain, k == 0);
}

static bool find(const struct rewriting *r, struct chain *chain)
{
    for (chain->outer = 0; chain->outer < r->nodes.count; chain->outer++)
        if (r->nodes.items[chain->outer] && is_plain_matmul(r, chain->outer) &&
            (is_chain(r, chain, 0) || is_chain(r, chain, 1)))
            return true;
    return false;
}

static bool chain_products(struct rewriting *r, struct json *steps)
{
    struct chain chain = {0};
    struct strbuf before = {0}, after = {0};
    struct json *made;
    const char *product;
    size_t left;

    if (!find(r, &chain))
        return false;
    node_describe(r, chain.inner, &before);
    node_describe(r, chain.outer, &before);
    left = chain.is_inner_left;
    product = rewriting_insert(
        r, chain.outer,
        &(struct new_node){
            "matmul", {left ? chain.b->name : chain.a->name, left ? chain.c->name : chain.b->name}},
        &made);
    chain.outer++;
    node_set_operand(r, chain.outer, left, json_string_new(product));
    node_set_operand(r, chain.outer, !left, json_string_new(left ? chain.a->name : chain.c->name));
    node_describe(r, chain.outer - 1, &after);
    node_describe(r, chain.outer, &after);
    rewriting_drop(r, chain.inner);
    algebra_push(steps, &before, &after);
    strbuf_release(&before);
    strbuf_release(&after);
    return true;
}

/* True if node `i` is a linear layer whose weight and bias are params. */
static bool is_layer(const struct rewriting *r, size_t i)
{
    const struct value *weight = factor(r, i, 1);
    const char *bias = node_operand(r, i, 2);

    return strcmp(node_op(r, i), "linear") == 0 && weight && weight->role == TENSOR_PARAM &&
           (!bias || rewriting_value(r, bias)->role == TENSOR_PARAM);
}

/*
 * Find the layer whose result only layer `outer` reads, if one layer in place of both takes fewer
 * operations.
 */
static size_t find_inner_layer(const struct rewriting *r, size_t outer)
{
    const char *name = node_operand(r, outer, 0);
    size_t inner = name ? rewriting_maker(r, name) : r->nodes.count;
    double in, between, out;

    if (inner == r->nodes.count || !is_layer(r, inner) || rewriting_uses(r, name) != 1)
        return r->nodes.count;
    in = (double)factor(r, inner, 1)->shape.dims[1];
    between = (double)factor(r, inner, 1)->shape.dims[0];
    out = (double)factor(r, outer, 1)->shape.dims[0];
    return in * out < (1 - least_saving) * between * (in + out) ? inner : r->nodes.count;
}

/*
 * Insert nodes before node `at` that compute the bias of both layers, of shape [out]: `weight`
 * times `first`, plus `second`. Returns the number of nodes, of which the last computes the bias.
 */
static size_t insert_bias(struct rewriting *r, size_t at, const char *first, const char *weight,
                          const char *second)
{
    struct json *made;
    const char *row = rewriting_insert(r, at, &(struct new_node){"unsqueeze", {first}}, &made);

    json_put_number(made, "dim", 0);
    row = rewriting_insert(r, at + 1, &(struct new_node){"linear", {row, weight}}, &made);
    row = rewriting_insert(r, at + 2, &(struct new_node){"squeeze", {row}}, &made);
    json_put_number(made, "dim", 0);
    if (second)
        (void)rewriting_insert(r, at + 3, &(struct new_node){"add", {row, second}}, &made);
    return second ? 4 : 3;
}

static void merge_layers(struct rewriting *r, size_t inner, size_t outer, struct strbuf *after)
{
    struct strbuf bias = {0};
    struct json *made, *in = json_array_new();
    const char *first = node_operand(r, inner, 2), *second = node_operand(r, outer, 2);
    const char *weight = rewriting_insert(
        r, outer,
        &(struct new_node){"matmul", {node_operand(r, outer, 1), node_operand(r, inner, 1)}},
        &made);
    size_t count = 1;

    if (first)
        count += insert_bias(r, outer + 1, first, node_operand(r, outer + 1, 1), second);
    if (first || second)
        strbuf_adds(&bias, first ? node_out(r, outer + count - 1) : second);
    json_push(in, json_string_new(node_operand(r, inner, 0)));
    json_push(in, json_string_new(weight));
    if (bias.len)
        json_push(in, json_string_new(strbuf_cstr(&bias)));
    json_put(r->nodes.items[outer + count], "in", in);
    for (size_t i = outer; i <= outer + count; i++)
        node_describe(r, i, after);
    rewriting_drop(r, inner);
    strbuf_release(&bias);
}

bool algebra_chain(struct rewriting *r, struct json *steps)
{
    struct strbuf before = {0}, after = {0};
    bool is_found = false;

    if (!r->is_fixed)
        return false;
    for (size_t i = 0; i < r->nodes.count && !is_found; i++) {
        size_t inner =
            r->nodes.items[i] && is_layer(r, i) ? find_inner_layer(r, i) : r->nodes.count;

        if (inner == r->nodes.count)
            continue;
        node_describe(r, inner, &before);
        node_describe(r, i, &before);
        merge_layers(r, inner, i, &after);
        algebra_push(steps, &before, &after);
        is_found = true;
    }
    strbuf_release(&before);
    strbuf_release(&after);
    return is_found || chain_products(r, steps);
}
