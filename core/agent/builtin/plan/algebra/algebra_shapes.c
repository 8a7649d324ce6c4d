#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_parts.h"
#include "core/agent/builtin/plan/algebra/algebra_product.h"
#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/agent/builtin/plan/algebra/algebra_vectors.h"
#include "core/agent/builtin/plan/family.h"
#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/model/op/op_product.h"
#include "core/model/op/op_window.h"

/*
 * Rewrites operations to the form that has the fastest kernels. The product of a batch of matrices
 * with one matrix becomes a product of two matrices. A product with a vector becomes one of rows
 * (algebra_vectors.h). A product with few results and long sums becomes a
 * batch of products, whose results are added up. Pooling of whole channels becomes a reduction, and
 * a normalization of one channel for each image one of rows. A cross entropy computes only the
 * logarithms that it picks.
 */

/* True if a whole batch of first matrices, whose rows are in order, shares one second matrix. */
static bool is_shared(const struct candidate_product *p)
{
    const struct shape *b = &p->call.in[1]->shape;

    for (size_t axis = 0; axis + 2 < b->rank; axis++)
        if (b->dims[axis] != 1)
            return false;
    return !p->is_linear && p->product.batch.rank > 0 && !p->product.a_transposed &&
           shape_elements(&p->product.batch) * p->product.m ==
               shape_elements(&p->call.in[0]->shape) / p->product.k;
}

/* Multiply all matrices of the batch at once. */
static void merge_batch(struct rewriting *r, struct candidate_product *p)
{
    const struct shape *b = &p->call.in[1]->shape;
    const struct shape rows = {2, {shape_elements(&p->product.batch) * p->product.m, p->product.k}};
    const struct shape matrix = {2, {b->dims[b->rank - 2], b->dims[b->rank - 1]}};
    const char *operands[] = {algebra_product_reshape(r, p, node_operand(r, p->node, 0), &rows),
                              node_operand(r, p->node, 1)};
    const struct new_node new = {"matmul", {operands[0], operands[1]}};
    struct new_node product = new;
    struct json *made;
    const char *name;

    if (b->rank > 2)
        product.in[1] = algebra_product_reshape(r, p, operands[1], &matrix);
    name = rewriting_insert(r, p->node++, &product, &made);
    json_put_bool(made, "transpose_b", p->product.b_transposed);
    algebra_product_become_reshape(r, p, name);
}

/*
 * A tile of results of a work-group; few tiles leave most of a GPU idle if the sums are long. Each
 * product of the batch has sums of this length at least.
 */
static const int64_t tile_rows = 128, tile_columns = 64, few_tiles = 32, many_tiles = 256;
static const int64_t long_depth = 1 << 15, least_part = 1 << 10;

/* The number of parts of the sums, a power of two; 1: the product stays whole. */
static int64_t depth_parts(const struct candidate_product *p)
{
    const struct product *product = &p->product;
    int64_t tiles = ((product->m + tile_rows - 1) / tile_rows) *
                    ((product->n + tile_columns - 1) / tile_columns);
    int64_t parts = 1;

    if (product->batch.rank || product->bias || p->call.in[0]->shape.rank != 2 ||
        p->call.in[1]->shape.rank != 2 || product->n == 1 || product->k < long_depth ||
        tiles > few_tiles)
        return 1;
    while (parts * tiles < many_tiles && product->k % (2 * parts * least_part) == 0)
        parts *= 2;
    return parts;
}

/*
 * An operand as a batch of parts of the sum. If the sum runs along its lines, they are copied;
 * else the parts are neighbours in memory.
 */
static const char *part_operand(struct rewriting *r, struct candidate_product *p, size_t operand,
                                int64_t parts)
{
    bool is_first = operand == 0;
    bool is_along = is_first ? !p->product.a_transposed : p->product.b_transposed;
    int64_t lines = is_first ? p->product.m : p->product.n, length = p->product.k / parts;
    const struct shape along = {3, {lines, parts, length}}, across = {3, {parts, length, lines}};
    const int64_t order[] = {1, 0, 2};
    struct new_node new = {"permute", {NULL, NULL}};
    struct json *made;
    const char *name = algebra_product_reshape(r, p, node_operand(r, p->node, operand),
                                               is_along ? &along : &across);

    if (!is_along)
        return name;
    new.in[0] = name;
    name = rewriting_insert(r, p->node++, &new, &made);
    json_put_integers(made, "dims", order, COUNT(order));
    return name;
}

/* Multiply parts of the sums as a batch, and add up the results. */
static void split_depth(struct rewriting *r, struct candidate_product *p)
{
    int64_t parts = depth_parts(p);
    const char *a = part_operand(r, p, 0, parts), *b = part_operand(r, p, 1, parts);
    const struct new_node new = {"matmul", {a, b}};
    struct json *made;
    const char *name = rewriting_insert(r, p->node++, &new, &made);

    json_put_bool(made, "transpose_a", p->product.a_transposed);
    json_put_bool(made, "transpose_b", p->product.b_transposed);
    (void)algebra_product_become_sum(r, p->node, name, 0);
}

/* True for pooling whose only window is the whole of each channel, without padding. */
static bool is_global_pooling(const struct rewriting *r, size_t node)
{
    const struct op_call call = graph_call(&r->graph, node);
    struct window window;

    if (!r->is_fixed || call.op->kind != OP_WINDOW || !node_operand(r, node, 0) ||
        !family_is_f32(&call))
        return false;
    window = window_of(&call);
    for (size_t i = WINDOW_AXES - call.op->spatial; i < WINDOW_AXES; i++) {
        const struct window_axis *w = &window.axes[i];

        if (w->out != 1 || (window.kind != WINDOW_ADAPTIVE && (w->kernel != w->in || w->padding)))
            return false;
    }
    return true;
}

/*
 * Replace the pooling by a reduction of the channels; a single work-item would loop over the whole
 * window.
 */
static void reduce_channels(struct rewriting *r, size_t node)
{
    const struct op_call call = graph_call(&r->graph, node);
    const char *in = node_operand(r, node, 0);
    const char *op = strstr(call.op->name, "max") ? "max" : "mean";
    struct json *made = json_object_new(), *list = json_put(made, "in", json_array_new());
    int64_t axes[SHAPE_MAX_RANK];

    for (size_t i = 0; i < call.op->spatial; i++)
        axes[i] = (int64_t)(call.out->shape.rank - call.op->spatial + i);
    json_put_string(made, "op", op);
    json_push(list, json_string_new(in));
    json_put_string(made, "out", node_out(r, node));
    json_put_integers(made, "dim", axes, call.op->spatial);
    json_put_bool(made, "keepdim", true);
    rewriting_drop(r, node);
    r->nodes.items[node] = made;
}

/*
 * The matrix whose rows a normalization of one channel for each image works on, in another shape;
 * NULL for other operations.
 */
static const char *normed_rows(const struct rewriting *r, size_t node)
{
    const struct op_call call = graph_call(&r->graph, node);
    const struct shape *shape = &call.in[0]->shape;
    const struct value *rows;
    const char *name;

    if (!r->is_fixed || strcmp(node_op(r, node), "instance_norm") != 0 || call.in_count != 1 ||
        !node_operand(r, node, 0) || !family_is_f32(&call) || shape->dims[1] != 1)
        return NULL;
    name = before_reshapes(r, node_operand(r, node, 0));
    rows = rewriting_value(r, name);
    return rows && rows->shape.rank == 2 && rows->shape.dims[0] == shape->dims[0] ? name : NULL;
}

/* Drop reshapes that nothing reads any more, from the one that makes `name` on. */
static void drop_unread(struct rewriting *r, const char *name)
{
    char *last = mem_strdup(name);

    for (size_t maker = rewriting_maker(r, last);
         node_is_reshape(r, maker) && rewriting_uses(r, last) == 0;
         maker = rewriting_maker(r, last)) {
        free(last);
        last = mem_strdup(node_operand(r, maker, 0));
        rewriting_drop(r, maker);
    }
    free(last);
}

/* Normalize the rows of the matrix instead. */
static void norm_rows(struct rewriting *r, size_t node, const char *rows)
{
    const struct shape shape = rewriting_value(r, node_out(r, node))->shape;
    double eps = json_get_number(r->nodes.items[node], "eps", 1e-5);
    struct json *made;
    const char *name = rewriting_insert(r, node, &(struct new_node){"layer_norm", {rows}}, &made);
    struct json *last = r->nodes.items[node + 1];
    char *view = mem_strdup(node_operand(r, node + 1, 0));

    json_put_number(made, "eps", eps);
    json_put_string(last, "op", "reshape");
    json_remove(last, "eps");
    json_put_integers(last, "shape", shape.dims, shape.rank);
    node_set_operand(r, node + 1, 0, json_string_new(name));
    drop_unread(r, view);
    free(view);
}

/*
 * True for a gather from logarithms of a softmax along the same axis, as in a cross entropy: it
 * needs a few of them in each row.
 */
static bool is_picked_logarithm(const struct rewriting *r, size_t node)
{
    struct op_call call, softmax;
    size_t maker, axis;

    if (!r->is_fixed || strcmp(node_op(r, node), "gather") != 0 || !node_operand(r, node, 0) ||
        !node_operand(r, node, 1))
        return false;
    maker = rewriting_maker(r, node_operand(r, node, 0));
    if (maker == r->nodes.count || strcmp(node_op(r, maker), "log_softmax") != 0 ||
        rewriting_uses(r, node_out(r, maker)) != 1)
        return false;
    call = graph_call(&r->graph, node);
    softmax = graph_call(&r->graph, maker);
    axis = call_axis(&call, "dim", 0);
    for (size_t i = 0; i < call.in[0]->shape.rank; i++)
        if (i != axis && call.in[0]->shape.dims[i] != call.in[1]->shape.dims[i])
            return false;
    return softmax.op->axes(&softmax) == 1U << axis;
}

/* Gather from the operand of the softmax, and subtract the logarithm of the sum of
 * exponentials. */
static void pick_operands(struct rewriting *r, size_t node)
{
    const struct op_call call = graph_call(&r->graph, node);
    const int64_t axis = (int64_t)call_axis(&call, "dim", 0);
    size_t maker = rewriting_maker(r, node_operand(r, node, 0));
    const char *x = node_operand(r, maker, 0);
    const struct new_node sums = {"logsumexp", {x, NULL}},
                          picks = {"gather", {x, node_operand(r, node, 1)}};
    struct json *made, *in = json_array_new();
    const char *sum = rewriting_insert(r, node, &sums, &made), *picked;

    json_put_integers(made, "dim", &axis, 1);
    json_put_bool(made, "keepdim", true);
    picked = rewriting_insert(r, node + 1, &picks, &made);
    json_put_number(made, "dim", (double)axis);
    made = r->nodes.items[node + 2];
    json_put_string(made, "op", "sub");
    json_remove(made, "dim");
    json_push(in, json_string_new(picked));
    json_push(in, json_string_new(sum));
    json_put(made, "in", in);
    rewriting_drop(r, maker);
}

/* Apply a rule at the node; false if none applies. */
static bool rewrite_node(struct rewriting *r, size_t node)
{
    const char *rows = normed_rows(r, node);
    struct candidate_product p;

    if (rows) {
        norm_rows(r, node, rows);
        return true;
    }
    if (is_global_pooling(r, node)) {
        reduce_channels(r, node);
        return true;
    }
    if (is_picked_logarithm(r, node)) {
        pick_operands(r, node);
        return true;
    }
    if (!algebra_product_read(r, node, &p))
        return false;
    if (algebra_multiply_small(r, &p) || algebra_multiply_vector(r, &p) ||
        algebra_multiply_few_rows(r, &p))
        return true;
    if (!is_shared(&p))
        return false;
    merge_batch(r, &p);
    return true;
}

bool algebra_shapes(struct rewriting *r, struct json *steps)
{
    return algebra_rewrite_nodes(r, rewrite_node, steps);
}

/* Split the sums of a product. */
static bool split_node(struct rewriting *r, size_t node)
{
    struct candidate_product p;

    if (!algebra_product_read(r, node, &p) || depth_parts(&p) == 1)
        return false;
    split_depth(r, &p);
    return true;
}

bool algebra_depth(struct rewriting *r, struct json *steps)
{
    return algebra_rewrite_nodes(r, split_node, steps);
}
