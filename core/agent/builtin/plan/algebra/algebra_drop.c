#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/base/array.h"
#include "core/base/json.h"

static bool is_one_of(const char *op, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(op, names[i]) == 0)
            return true;
    return false;
}

static bool has_same_shape(const struct value *a, const struct value *b)
{
    return a->shape.rank == b->shape.rank &&
           memcmp(a->shape.dims, b->shape.dims, a->shape.rank * sizeof(a->shape.dims[0])) == 0;
}

/* True for operations that return their operand if the shape stays the same and no element moves.
 */
static bool is_view(const char *op)
{
    static const char *const views[] = {"reshape",   "expand", "squeeze",
                                        "unsqueeze", "slice",  "pad"};

    return is_one_of(op, views, COUNT(views));
}

/* True for reductions that return their operand if each row has one element. */
static bool is_reduction(const char *op)
{
    static const char *const reductions[] = {"sum", "mean", "max", "min", "prod", "logsumexp"};

    return is_one_of(op, reductions, COUNT(reductions));
}

/* True if operand 1 is the operation's neutral number, as in x + 0 or x * 1. */
static bool has_neutral_number(const struct rewriting *r, size_t i)
{
    static const char *const products[] = {"mul", "div", "pow"}, *const sums[] = {"add", "sub"};
    const struct json *in = json_get(r->nodes.items[i], "in");
    bool is_number = json_type(json_at(in, 1)) == JSON_NUMBER;

    return is_number &&
           ((is_one_of(node_op(r, i), products, COUNT(products)) && node_number(r, i, 1) == 1) ||
            (is_one_of(node_op(r, i), sums, COUNT(sums)) && node_number(r, i, 1) == 0));
}

/* True if the operand has no negative element, so that a further relu returns it. */
static bool is_relu_again(const struct rewriting *r, size_t i, const char *operand)
{
    static const char *const positive[] = {"relu", "sigmoid", "exp", "abs", "softplus", "softmax"};
    size_t maker = rewriting_maker(r, operand);

    return strcmp(node_op(r, i), "relu") == 0 && maker < r->nodes.count &&
           is_one_of(node_op(r, maker), positive, COUNT(positive));
}

/* True for a slice in the opposite order, and for a pad that cuts off at one end. */
static bool moves_elements(const struct rewriting *r, size_t i)
{
    const struct json *pads = json_get(r->nodes.items[i], "pad");
    bool moves = json_get_number(r->nodes.items[i], "step", 1) < 0;

    for (size_t n = 0; n < json_count(pads); n++)
        moves |= json_number(json_at(pads, n), 1) != 0;
    return moves;
}

static bool is_identity(const struct rewriting *r, size_t i)
{
    const char *op = node_op(r, i), *operand = node_operand(r, i, 0);
    const struct value *in = operand ? rewriting_value(r, operand) : NULL;
    const struct value *out = rewriting_value(r, node_out(r, i));

    if (!in || !out || in->dtype != out->dtype)
        return false;
    if (strcmp(op, "dropout") == 0 || strcmp(op, "cast") == 0 || is_relu_again(r, i, operand))
        return true;
    if (!r->is_fixed || !has_same_shape(in, out) || moves_elements(r, i))
        return false;
    return is_view(op) || is_reduction(op) || has_neutral_number(r, i);
}

/* Drop the node; false if neither its result nor its operand may be renamed. */
static bool drop(struct rewriting *r, size_t i)
{
    const char *operand = node_operand(r, i, 0), *out = node_out(r, i);
    size_t maker = rewriting_maker(r, operand);

    if (rewriting_value(r, out)->role != TENSOR_OUTPUT) {
        rewriting_replace(r, out, operand);
    } else {
        if (maker == r->nodes.count || rewriting_uses(r, operand) != 1)
            return false;
        node_set_out(r, maker, out);
    }
    rewriting_drop(r, i);
    return true;
}

bool algebra_drop(struct rewriting *r, struct json *steps)
{
    bool is_any = false;

    for (size_t i = 0; i < r->nodes.count; i++) {
        struct strbuf before = {0}, after = {0};

        if (r->nodes.items[i] && is_identity(r, i)) {
            node_describe(r, i, &before);
            strbuf_addf(&after, "%s", node_operand(r, i, 0));
            if (drop(r, i)) {
                algebra_push(steps, &before, &after);
                is_any = true;
            }
        }
        strbuf_release(&before);
        strbuf_release(&after);
    }
    return is_any;
}
