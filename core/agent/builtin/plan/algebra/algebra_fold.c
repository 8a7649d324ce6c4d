#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/plan/algebra/algebra_rules.h"
#include "core/base/json.h"
#include "core/base/mem.h"

/*
 * The sum over n of (x W)[n] equals x times the sum over n of W[n]. Linear operations between
 * product and sum are kept: factors stay as they are, and added values are summed as well.
 */

enum { MAX_BETWEEN = 8 };

struct fold {
    size_t reduction, product;
    size_t between[MAX_BETWEEN]; /* linear operations, the last one first */
    size_t operand[MAX_BETWEEN]; /* for each, the operand that comes from the product */
    size_t count;
    double columns;
    bool is_sum;
};

static bool is_op(const struct rewriting *r, size_t i, const char *name)
{
    return strcmp(node_op(r, i), name) == 0;
}

/* True if the reduction is along the last axis alone. */
static bool is_along_columns(const struct rewriting *r, size_t i, const struct value *in)
{
    const struct json *dim = json_get(r->nodes.items[i], "dim");
    const struct json *first = json_type(dim) == JSON_ARRAY ? json_first(dim) : dim;
    double axis = json_number(first, 0.5);

    if (json_type(dim) == JSON_ARRAY && json_count(dim) != 1)
        return false;
    return axis == -1 || axis == (double)in->shape.rank - 1;
}

static bool is_product(const struct rewriting *r, size_t i)
{
    const struct value *second =
        node_operand(r, i, 1) ? rewriting_value(r, node_operand(r, i, 1)) : NULL;

    if (!second || second->shape.rank != 2 || second->role == TENSOR_INPUT)
        return false;
    return is_op(r, i, "linear") ||
           (is_op(r, i, "matmul") && !json_get_bool(r->nodes.items[i], "transpose_a", false));
}

/* True if operand `k` is a number, or a vector of params with an element for each column. */
static bool is_added(const struct rewriting *r, size_t i, size_t k, double columns)
{
    const char *name = node_operand(r, i, k);
    const struct value *value = name ? rewriting_value(r, name) : NULL;

    if (!name)
        return true;
    return value && value->role == TENSOR_PARAM && value->shape.rank == 1 &&
           (double)value->shape.dims[0] == columns;
}

/*
 * The operand of a linear operation that comes from the product; 2 if the operation is not linear.
 */
static size_t passing_operand(const struct rewriting *r, size_t i, double columns)
{
    const struct value *out = rewriting_value(r, node_out(r, i));
    bool is_sum = is_op(r, i, "add") || is_op(r, i, "sub");

    if (is_op(r, i, "neg"))
        return 0;
    for (size_t k = 0; k < 2 && out && (is_sum || is_op(r, i, "mul") || is_op(r, i, "div")); k++) {
        const struct value *in =
            node_operand(r, i, k) ? rewriting_value(r, node_operand(r, i, k)) : NULL;
        bool is_number = !node_operand(r, i, 1 - k);

        if (in && in->role == TENSOR_INNER && in->shape.rank == out->shape.rank &&
            (is_sum ? is_added(r, i, 1 - k, columns)
                    : is_number && !(is_op(r, i, "div") && k == 1)))
            return k;
    }
    return 2;
}

/* Follow the operand of the reduction up to a product. */
static bool find_product(const struct rewriting *r, struct fold *fold)
{
    const char *name = node_operand(r, fold->reduction, 0);

    for (fold->count = 0; name; fold->count++) {
        size_t maker = rewriting_maker(r, name);
        size_t operand;

        if (maker == r->nodes.count || rewriting_uses(r, name) != 1)
            return false;
        fold->product = maker;
        if (is_product(r, maker))
            return true;
        operand = passing_operand(r, maker, fold->columns);
        if (operand == 2 || fold->count == MAX_BETWEEN)
            return false;
        fold->between[fold->count] = maker;
        fold->operand[fold->count] = operand;
        name = node_operand(r, maker, operand);
    }
    return false;
}

static bool find(const struct rewriting *r, struct fold *fold)
{
    for (fold->reduction = 0; fold->reduction < r->nodes.count; fold->reduction++) {
        const struct value *in;

        if (!r->nodes.items[fold->reduction])
            continue;
        fold->is_sum = is_op(r, fold->reduction, "sum");
        if (!fold->is_sum && !is_op(r, fold->reduction, "mean"))
            continue;
        in = rewriting_value(r, node_operand(r, fold->reduction, 0));
        if (!in || in->shape.rank < 2 || in->shape.dims[in->shape.rank - 1] < 2 ||
            !is_along_columns(r, fold->reduction, in) || in->dtype == DTYPE_I32)
            continue;
        fold->columns = (double)in->shape.dims[in->shape.rank - 1];
        if (find_product(r, fold))
            return true;
    }
    return false;
}

static void describe(const struct rewriting *r, const struct fold *fold, struct strbuf *out)
{
    node_describe(r, fold->product, out);
    for (size_t i = fold->count; i-- > 0;)
        node_describe(r, fold->between[i], out);
    node_describe(r, fold->reduction, out);
}

/*
 * Insert the reduction of `name` along an axis before node `at`; a vector keeps the axis. Returns
 * the name of the result, which the caller frees.
 */
static char *reduce(struct rewriting *r, const struct fold *fold, size_t at, const char *name,
                    double axis)
{
    struct json *made;
    const char *out =
        rewriting_insert(r, at, &(struct new_node){fold->is_sum ? "sum" : "mean", {name}}, &made);

    json_put_number(made, "dim", axis);
    if (rewriting_value(r, name)->shape.rank == 1)
        json_put_bool(made, "keepdim", true);
    return mem_strdup(out);
}

/* Adjust the fold's node indices after an insertion before `at`. */
static void shift(struct fold *fold, size_t at)
{
    fold->reduction += fold->reduction >= at;
    fold->product += fold->product >= at;
    for (size_t i = 0; i < fold->count; i++)
        fold->between[i] += fold->between[i] >= at;
}

/* Replace the values that are added between product and reduction by their sums or means. */
static void reduce_between(struct rewriting *r, struct fold *fold)
{
    for (size_t i = 0; i < fold->count; i++) {
        size_t at = fold->between[i], other = 1 - fold->operand[i];
        const char *name = is_op(r, at, "neg") ? NULL : node_operand(r, at, other);
        bool is_sum = is_op(r, at, "add") || is_op(r, at, "sub");

        if (name) {
            char *reduced = reduce(r, fold, at, name, -1);

            shift(fold, at);
            node_set_operand(r, fold->between[i], other, json_string_new(reduced));
            free(reduced);
        } else if (is_sum && fold->is_sum) {
            node_set_operand(r, at, other,
                             json_number_new(fold->columns * node_number(r, at, other)));
        }
    }
}

/* Replace the product by one with the reduced operand. */
static void reduce_product(struct rewriting *r, struct fold *fold)
{
    size_t at = fold->product;
    bool is_turned =
        is_op(r, at, "linear") || json_get_bool(r->nodes.items[at], "transpose_b", false);
    char *x = mem_strdup(node_operand(r, at, 0)), *w = mem_strdup(node_operand(r, at, 1));
    char *bias = node_operand(r, at, 2) ? mem_strdup(node_operand(r, at, 2)) : NULL;
    char *out = mem_strdup(node_out(r, at));
    char *reduced = reduce(r, fold, at, w, is_turned ? -2 : -1);
    char *offset = bias ? reduce(r, fold, at + 1, bias, -1) : NULL;
    struct json *made;
    const char *sum;

    at += bias ? 2 : 1;
    sum = rewriting_insert(r, at, &(struct new_node){"mul", {x, reduced}}, &made);
    sum = rewriting_insert(r, at + 1, &(struct new_node){"sum", {sum}}, &made);
    json_put_number(made, "dim", -1);
    json_put_bool(made, "keepdim", true);
    if (offset)
        (void)rewriting_insert(r, at + 2, &(struct new_node){"add", {sum, offset}}, &made);
    rewriting_drop(r, at + (offset ? 3 : 2));
    node_set_out(r, at + (offset ? 2 : 1), out);
    for (size_t i = 0; i < (offset ? 5U : 3U); i++)
        shift(fold, fold->product);
    free(x);
    free(w);
    free(bias);
    free(out);
    free(reduced);
    free(offset);
}

/* Drop the reduction: its operand now has a single column. */
static void end_with(struct rewriting *r, const struct fold *fold)
{
    struct json *node = r->nodes.items[fold->reduction];
    size_t last = rewriting_maker(r, node_operand(r, fold->reduction, 0));

    if (json_get_bool(node, "keepdim", false)) {
        node_set_out(r, last, node_out(r, fold->reduction));
        rewriting_drop(r, fold->reduction);
        return;
    }
    json_put_string(node, "op", "squeeze");
    json_put_number(node, "dim", -1);
}

bool algebra_fold(struct rewriting *r, struct json *steps)
{
    struct fold fold = {0};
    struct strbuf before = {0}, after = {0};
    size_t first;

    if (!r->is_fixed || !find(r, &fold))
        return false;
    describe(r, &fold, &before);
    reduce_between(r, &fold);
    first = fold.product;
    reduce_product(r, &fold);
    end_with(r, &fold);
    for (size_t i = first; i <= fold.reduction; i++)
        if (r->nodes.items[i])
            node_describe(r, i, &after);
    algebra_push(steps, &before, &after);
    strbuf_release(&before);
    strbuf_release(&after);
    return true;
}
