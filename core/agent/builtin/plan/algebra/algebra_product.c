#include "core/agent/builtin/plan/algebra/algebra_product.h"

#include <string.h>

#include "core/base/json.h"

bool algebra_product_read(const struct rewriting *r, size_t node, struct candidate_product *p)
{
    const char *op = node_op(r, node);

    p->is_linear = strcmp(op, "linear") == 0;
    if (!r->is_fixed || (!p->is_linear && strcmp(op, "matmul") != 0) || !node_operand(r, node, 0) ||
        !node_operand(r, node, 1))
        return false;
    p->node = node;
    p->call = graph_call(&r->graph, node);
    p->product = product_of(&p->call);
    for (size_t i = 0; i < p->call.in_count; i++)
        if (p->call.in[i]->dtype != DTYPE_F32)
            return false;
    return p->call.out->dtype == DTYPE_F32;
}

const char *algebra_product_reshape(struct rewriting *r, struct candidate_product *p,
                                    const char *operand, const struct shape *shape)
{
    const struct new_node new = {"reshape", {operand, NULL}};
    struct json *made;
    const char *name = rewriting_insert(r, p->node++, &new, &made);

    json_put_integers(made, "shape", shape->dims, shape->rank);
    return name;
}

void algebra_product_become_reshape(struct rewriting *r, const struct candidate_product *p,
                                    const char *operand)
{
    const struct shape *shape = &p->call.out->shape;
    struct json *node = r->nodes.items[p->node], *in = json_array_new();

    json_put_string(node, "op", "reshape");
    json_remove(node, "transpose_a");
    json_remove(node, "transpose_b");
    json_push(in, json_string_new(operand));
    json_put(node, "in", in);
    json_put_integers(node, "shape", shape->dims, shape->rank);
}

struct json *algebra_product_become_sum(struct rewriting *r, size_t at, const char *name,
                                        int64_t axis)
{
    struct json *node = r->nodes.items[at], *in = json_array_new();

    json_put_string(node, "op", "sum");
    json_remove(node, "transpose_a");
    json_remove(node, "transpose_b");
    json_push(in, json_string_new(name));
    json_put(node, "in", in);
    json_put_integers(node, "dim", &axis, 1);
    return node;
}
