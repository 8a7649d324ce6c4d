#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/agent/builtin/plan/family.h"
#include "core/base/json.h"
#include "core/model/op/op_product.h"
#include "core/model/op/op_window.h"

/*
 * The mean of each k neighbouring columns of a product is a product with the means of k columns of
 * the params. So average pooling over the features of a linear layer leaves a product that is k
 * times smaller.
 */

struct pooled {
    size_t product, view, pooling;
    int64_t columns, size; /* of the product; columns of a window */
    bool is_turned;        /* a column of the product is a line of the param */
};

/* The product whose result the view shows as lines of one channel; false for others. */
static bool find_product(const struct rewriting *r, struct pooled *p)
{
    const char *view = node_operand(r, p->pooling, 0), *product;
    const struct value *shown = view ? rewriting_value(r, view) : NULL, *weight;

    p->view = shown ? rewriting_maker(r, view) : r->nodes.count;
    if (p->view == r->nodes.count || rewriting_uses(r, view) != 1 ||
        strcmp(node_op(r, p->view), "reshape") != 0)
        return false;
    product = node_operand(r, p->view, 0);
    p->product = product ? rewriting_maker(r, product) : r->nodes.count;
    if (p->product == r->nodes.count || rewriting_uses(r, product) != 1 ||
        !node_operand(r, p->product, 1))
        return false;
    weight = rewriting_value(r, node_operand(r, p->product, 1));
    p->is_turned = strcmp(node_op(r, p->product), "linear") == 0 ||
                   json_get_bool(r->nodes.items[p->product], "transpose_b", false);
    return graph_call(&r->graph, p->product).op->kind == OP_PRODUCT && weight &&
           weight->role == TENSOR_PARAM && weight->shape.rank == 2 &&
           rewriting_value(r, product)->shape.rank == 2 && shown->shape.rank == 3 &&
           shown->shape.dims[1] == 1 &&
           shown->shape.dims[2] == rewriting_value(r, product)->shape.dims[1];
}

/* True for the mean of windows that lie side by side and cover all columns. */
static bool is_whole_mean(const struct rewriting *r, struct pooled *p)
{
    const struct op_call call = graph_call(&r->graph, p->pooling);
    struct window_axis w;

    if (strcmp(node_op(r, p->pooling), "avg_pool1d") != 0 || !family_is_f32(&call))
        return false;
    w = window_of(&call).axes[WINDOW_AXES - 1];
    p->columns = w.in;
    p->size = w.kernel;
    return w.kernel > 1 && w.stride == w.kernel && w.padding == 0 && w.in % w.kernel == 0;
}

static bool find(const struct rewriting *r, struct pooled *p)
{
    for (p->pooling = 0; p->pooling < r->nodes.count; p->pooling++)
        if (r->nodes.items[p->pooling] && is_whole_mean(r, p) && find_product(r, p))
            return true;
    return false;
}

/* Replace an operand of the product by its means over `size` neighbours along an axis. */
static void replace_by_means(struct rewriting *r, struct pooled *p, size_t operand, size_t axis)
{
    const char *name = node_operand(r, p->product, operand);
    struct shape shape = rewriting_value(r, name)->shape;
    struct json *made;

    for (size_t i = shape.rank++; i > axis; i--)
        shape.dims[i] = shape.dims[i - 1];
    shape.dims[axis] /= p->size;
    shape.dims[axis + 1] = p->size;
    name = rewriting_insert(r, p->product++, &(struct new_node){"reshape", {name}}, &made);
    json_put_integers(made, "shape", shape.dims, shape.rank);
    name = rewriting_insert(r, p->product++, &(struct new_node){"mean", {name}}, &made);
    json_put_number(made, "dim", (double)axis + 1);
    p->view += 2;
    p->pooling += 2;
    node_set_operand(r, p->product, operand, json_string_new(name));
}

static void describe(const struct rewriting *r, size_t first, const struct pooled *p,
                     struct strbuf *out)
{
    for (size_t i = first; i <= p->product; i++)
        node_describe(r, i, out);
    node_describe(r, p->view, out);
}

bool algebra_pool(struct rewriting *r, struct json *steps)
{
    struct strbuf before = {0}, after = {0};
    struct pooled p = {0};
    struct shape shape;
    size_t first;

    if (!r->is_fixed || !find(r, &p))
        return false;
    first = p.product;
    describe(r, first, &p, &before);
    node_describe(r, p.pooling, &before);
    shape = rewriting_value(r, node_out(r, p.pooling))->shape;
    replace_by_means(r, &p, 1, p.is_turned ? 0 : 1);
    if (node_operand(r, p.product, 2))
        replace_by_means(r, &p, 2, 0);
    json_put_integers(r->nodes.items[p.view], "shape", shape.dims, shape.rank);
    node_set_out(r, p.view, node_out(r, p.pooling));
    rewriting_drop(r, p.pooling);
    describe(r, first, &p, &after);
    algebra_push(steps, &before, &after);
    strbuf_release(&before);
    strbuf_release(&after);
    return true;
}
