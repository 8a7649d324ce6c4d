#include "core/judge/oracle/edge/whole_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

/* True if the elements from `bytes` on are whole numbers that all types hold. */
static bool are_small_whole(const struct value *value, const unsigned char *bytes)
{
    enum { PIECE = 256 };
    size_t count = value_elements(value), size = dtype_bytes(value->dtype);
    double x[PIECE];

    for (size_t at = 0; at < count; at += PIECE) {
        size_t piece = count - at < PIECE ? count - at : PIECE;

        dtype_to_double(value->dtype, bytes + at * size, x, piece);
        for (size_t i = 0; i < piece; i++)
            if (!(fabs(x[i]) <= whole_number_limit(true)) || x[i] != rint(x[i]))
                return false;
    }
    return true;
}

/* True if that holds for a tensor that the model has made, as a mask that it keeps with its params.
 */
static bool is_made_whole(const struct given *given, const struct value *value)
{
    for (size_t set = 0; set < given->count; set++)
        if (!are_small_whole(value, given->bytes + set * given->stride))
            return false;
    return given->count > 0;
}

/* True if the elements of a tensor that is given, or of a constant, are whole numbers. */
static bool is_given_whole(const struct value *value)
{
    if (value->role == TENSOR_CONSTANT || value->fill.kind == FILL_CONSTANT)
        return value->fill.a == rint(value->fill.a);
    if (value->fill.kind == FILL_MODEL)
        return is_made_whole(&value->given, value);
    return value->fill.kind == FILL_MASK || value->fill.kind == FILL_INTEGERS ||
           value->fill.kind == FILL_PERMUTATION;
}

/* True if the result has whole numbers if its operands have. */
static bool keeps_whole(const struct graph *graph, const struct graph_node *node)
{
    static const char *const names[] = {
        "cast", "sum", "cumsum", "cummax", "max",     "min",     "add",          "sub",
        "mul",  "abs", "neg",    "where",  "minimum", "maximum", "index_reduce", "scatter_reduce",
        NULL};

    return op_is_one_of(node->op, names) || !dtype_is_float(graph->values.items[node->out].dtype) ||
           node->op->kind == OP_MOVEMENT;
}

bool *whole_numbers_of(const struct graph *graph)
{
    bool *whole = mem_alloc_zeroed(graph->values.count + 1, sizeof(*whole));

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        whole[i] = (tensor_is_given(value->role) || value->role == TENSOR_CONSTANT) &&
                   is_given_whole(value);
    }
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *node = &graph->nodes.items[n];
        bool all = keeps_whole(graph, node);

        for (size_t i = 0; i < node->in_count; i++)
            all &= whole[node->in[i]];
        whole[node->out] = all;
    }
    return whole;
}

static bool are_whole_attributes(const struct op_call *call)
{
    bool are = true;

    for (size_t i = 0; call->op->attributes[i].name; i++)
        are &= call->attributes[i].number == rint(call->attributes[i].number);
    return are;
}

/* True if whole operands make a whole result in every implementation. */
static bool stays_whole(const struct graph *graph, size_t n)
{
    static const char *const with_numbers[] = {"add", "sub", "clamp", "pad", NULL};
    const struct graph_node *node = &graph->nodes.items[n];
    const struct op_call call = graph_call(graph, n);
    bool is_limited = strcmp(node->op->name, "clamp") == 0 || strcmp(node->op->name, "relu") == 0;

    return (keeps_whole(graph, node) || is_limited) &&
           (!op_is_one_of(node->op, with_numbers) || are_whole_attributes(&call));
}

/* True for x - clamp(x, -limit, limit) with a limit of 2^23 or more. */
static bool is_rest(const struct graph *graph, const size_t *makers, size_t n)
{
    const struct graph_node *node = &graph->nodes.items[n], *clamp;
    struct op_call call;

    if (strcmp(node->op->name, "sub") != 0 || makers[node->in[1]] == 0)
        return false;
    clamp = &graph->nodes.items[makers[node->in[1]] - 1];
    call = graph_call(graph, makers[node->in[1]] - 1);
    return strcmp(clamp->op->name, "clamp") == 0 && clamp->in[0] == node->in[0] &&
           call.attributes[0].number <= -0x1p23 && call.attributes[1].number >= 0x1p23 &&
           graph_call(graph, n).attributes[0].number == 1;
}

static bool are_all(const struct graph_node *node, const enum wholeness *whole,
                    enum wholeness least)
{
    bool are = true;

    for (size_t i = 0; i < node->in_count; i++)
        are &= whole[node->in[i]] >= least;
    return are;
}

/* The node that makes a value; NULL for one that is given. */
static const struct graph_node *maker_of(const struct graph *graph, const size_t *makers,
                                         size_t value)
{
    return makers[value] > 0 ? &graph->nodes.items[makers[value] - 1] : NULL;
}

/* The integers that a value is; `value` itself if it is no cast. */
static size_t uncast(const struct graph *graph, const size_t *makers, size_t value)
{
    const struct graph_node *maker = maker_of(graph, makers, value);

    return maker && strcmp(maker->op->name, "cast") == 0 ? maker->in[0] : value;
}

static bool are_same(const struct graph *graph, size_t a, size_t b)
{
    const struct value *x = &graph->values.items[a], *y = &graph->values.items[b];

    return a == b ||
           (x->role == TENSOR_CONSTANT && y->role == TENSOR_CONSTANT && x->fill.a == y->fill.a);
}

/* True if a node looks at the value, to correct what it belongs to. */
static bool is_looked_at(const struct graph *graph, size_t value)
{
    static const char *const looks[] = {"lt", "ge", "abs", "cast", "mul", NULL};

    for (size_t n = 0; n < graph->nodes.count; n++)
        if (graph->nodes.items[n].in[0] == value && op_is_one_of(graph->nodes.items[n].op, looks))
            return true;
    return false;
}

/* True if the graph computes what is left of `dividend`, and corrects the quotient by that. */
static bool is_corrected(const struct graph *graph, size_t quotient, size_t dividend,
                         size_t divisor)
{
    for (size_t m = 0; m < graph->nodes.count; m++) {
        const struct graph_node *times = &graph->nodes.items[m];

        if (strcmp(times->op->name, "mul") != 0 || times->in[0] != quotient ||
            !are_same(graph, times->in[1], divisor))
            continue;
        for (size_t n = m + 1; n < graph->nodes.count; n++) {
            const struct graph_node *rest = &graph->nodes.items[n];

            if (strcmp(rest->op->name, "sub") == 0 && rest->in[0] == dividend &&
                rest->in[1] == times->out)
                return is_looked_at(graph, rest->out);
        }
    }
    return false;
}

/*
 * True for a quotient of integers that is computed in floating point and then corrected by the
 * remainder. What follows is the same for each implementation, however it rounds the quotient.
 */
static bool is_quotient(const struct graph *graph, const size_t *makers, size_t n,
                        const enum wholeness *whole)
{
    const struct graph_node *node = &graph->nodes.items[n];
    const struct graph_node *div = maker_of(graph, makers, node->in[0]);
    size_t dividend, divisor;

    if (strcmp(node->op->name, "cast") != 0 || !div || strcmp(div->op->name, "div") != 0)
        return false;
    dividend = uncast(graph, makers, div->in[0]);
    divisor = uncast(graph, makers, div->in[1]);
    return whole[dividend] == WHOLE_EXACT && whole[divisor] == WHOLE_EXACT &&
           is_corrected(graph, node->out, dividend, divisor);
}

/* The wholeness of a node's result. */
static enum wholeness follow(const struct graph *graph, const size_t *makers, size_t n,
                             const enum wholeness *whole)
{
    static const char *const products[] = {"matmul", "linear", "conv1d", "conv2d", "conv3d", NULL};
    const struct graph_node *node = &graph->nodes.items[n];
    enum dtype dtype = graph->values.items[node->out].dtype;
    bool is_integer = !dtype_is_float(dtype), stays = stays_whole(graph, n);
    bool is_product = op_is_one_of(node->op, products);

    if ((is_integer || (dtype == DTYPE_F64 && (stays || is_product))) &&
        are_all(node, whole, WHOLE_EXACT))
        return WHOLE_EXACT;
    if (is_integer && is_quotient(graph, makers, n, whole))
        return WHOLE_EXACT;
    if (is_rest(graph, makers, n))
        return WHOLE_REST;
    return is_integer || (stays && are_all(node, whole, WHOLE_STORED)) ? WHOLE_STORED : WHOLE_NOT;
}

/* The uses of values: all, and those that make nothing but an exact integer of them. */
struct uses {
    size_t *all, *exact; /* by value of the graph */
};

/* True if the value only serves to compute exact integers. */
static bool serves_exact(const struct graph *graph, const struct uses *uses, size_t value)
{
    return graph->values.items[value].role == TENSOR_INNER && uses->all[value] > 0 &&
           uses->exact[value] == uses->all[value];
}

/*
 * What a quotient of integers is computed from, in floating point, is exact too: an implementation
 * divides integers, and rounds nothing on the way to the quotient.
 */
static void follow_quotients(const struct graph *graph, const size_t *makers, enum wholeness *whole)
{
    struct uses uses = {mem_alloc_zeroed(graph->values.count + 1, sizeof(*uses.all)),
                        mem_alloc_zeroed(graph->values.count + 1, sizeof(*uses.exact))};

    for (size_t n = 0; n < graph->nodes.count; n++)
        for (size_t i = 0; i < graph->nodes.items[n].in_count; i++)
            uses.all[graph->nodes.items[n].in[i]]++;
    for (size_t n = graph->nodes.count; n-- > 0;) {
        const struct graph_node *node = &graph->nodes.items[n];
        bool is_integer = !dtype_is_float(graph->values.items[node->out].dtype);
        bool is_from_integers =
                 strcmp(node->op->name, "cast") == 0 && whole[node->in[0]] == WHOLE_EXACT,
             is_div = strcmp(node->op->name, "div") == 0;

        if (!is_integer && (is_div || is_from_integers) && serves_exact(graph, &uses, node->out))
            whole[node->out] = WHOLE_EXACT;
        if (is_integer ? is_quotient(graph, makers, n, whole)
                       : is_div && whole[node->out] == WHOLE_EXACT)
            for (size_t i = 0; i < node->in_count; i++)
                uses.exact[node->in[i]]++;
    }
    free(uses.all);
    free(uses.exact);
}

/* The wholeness of a tensor that is given, or of a constant. */
static enum wholeness given_wholeness(const struct value *value)
{
    bool is_constant = value->role == TENSOR_CONSTANT || value->fill.kind == FILL_CONSTANT;
    bool is_small = fabs(value->fill.a) <= whole_number_limit(true);

    if (value->role == TENSOR_CONSTANT || (tensor_is_given(value->role) && is_constant && is_small))
        return is_given_whole(value) ? WHOLE_EXACT : WHOLE_NOT;
    return tensor_is_given(value->role) && !dtype_is_float(value->dtype) ? WHOLE_EXACT : WHOLE_NOT;
}

enum wholeness *wholeness_of(const struct graph *graph)
{
    enum wholeness *whole = mem_alloc_zeroed(graph->values.count + 1, sizeof(*whole));
    size_t *makers = mem_alloc_zeroed(graph->values.count + 1, sizeof(*makers));

    for (size_t i = 0; i < graph->values.count; i++)
        whole[i] = given_wholeness(&graph->values.items[i]);
    for (size_t n = 0; n < graph->nodes.count; n++) {
        whole[graph->nodes.items[n].out] = follow(graph, makers, n, whole);
        makers[graph->nodes.items[n].out] = n + 1;
    }
    follow_quotients(graph, makers, whole);
    free(makers);
    return whole;
}

double whole_number_limit(bool is_mixed)
{
    return is_mixed ? 0x1p8 : 0x1p24;
}
