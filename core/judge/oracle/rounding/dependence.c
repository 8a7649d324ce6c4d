#include "core/judge/oracle/rounding/dependence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/oracle_family.h"
#include "core/model/op/op_product.h"

static bool is_elementwise(const struct graph_node *node)
{
    const struct oracle_rule *rule = oracle_rule_of(node->op->name);

    return rule && rule->evaluate == oracle_elements;
}

static int64_t count_of(const struct graph *graph, size_t value)
{
    return shape_elements(&graph->values.items[value].shape);
}

/* Mark the values from whose elements those of a marked value are computed, one from one. */
static void mark_sources(const struct graph *graph, size_t end, unsigned mark, unsigned *marks)
{
    for (size_t n = end; n-- > 0;) {
        const struct graph_node *node = &graph->nodes.items[n];

        for (size_t i = 0; i < node->in_count; i++)
            if (marks[node->out] & mark && is_elementwise(node) &&
                count_of(graph, node->in[i]) == count_of(graph, node->out))
                marks[node->in[i]] |= mark;
    }
}

static bool is_rounded(const struct value *value, const struct rounding *rounding)
{
    if (!dtype_is_float(value->dtype) || value->role == TENSOR_CONSTANT)
        return false;
    return !tensor_is_given(value->role) || rounding_changes_given(rounding, value->dtype);
}

bool dependence_in(const struct graph *graph, size_t node, const struct rounding *rounding)
{
    const struct graph_node *place = &graph->nodes.items[node];
    unsigned *marks;
    bool is = false;

    if (place->in_count != 2 || !is_elementwise(place))
        return false;
    marks = mem_alloc_zeroed(graph->values.count, sizeof(*marks));
    for (unsigned i = 0; i < 2; i++) {
        marks[place->in[i]] |= 1U << i;
        mark_sources(graph, node, 1U << i, marks);
    }
    for (size_t v = 0; v < graph->values.count; v++)
        is |= marks[v] == 3 && count_of(graph, v) == count_of(graph, place->out) &&
              is_rounded(&graph->values.items[v], rounding);
    free(marks);
    return is;
}

/* The value whose elements a value has, unchanged and moved. */
static size_t source_of(const struct graph *graph, size_t value, size_t end)
{
    for (size_t n = end; n-- > 0;) {
        const struct graph_node *node = &graph->nodes.items[n];

        if (node->out == value && node->op->view)
            value = node->in[0];
    }
    return value;
}

static bool is_one_number(const struct value *value)
{
    return value->role == TENSOR_CONSTANT ||
           (tensor_is_given(value->role) && value->fill.kind == FILL_CONSTANT);
}

/* The first operand from which a node selects elements, and how many of them follow. */
struct selection {
    size_t first, count;
};

static struct selection selection_of(const struct graph_node *node)
{
    static const char *const names[] = {"max",        "min",          "cummax",
                                        "gather",     "index_select", "max_pool1d",
                                        "max_pool2d", "max_pool3d",   NULL};

    if (strcmp(node->op->name, "where") == 0)
        return (struct selection){1, 2};
    if (strcmp(node->op->name, "concat") == 0)
        return (struct selection){0, node->in_count};
    return (struct selection){0, node->op->view || op_is_one_of(node->op, names)};
}

/* The value whose elements a node's result consists of, beside constants; the result if none is. */
static size_t selected_from(const struct graph *graph, const struct graph_node *node,
                            const size_t *sources)
{
    struct selection selection = selection_of(node);
    size_t source = graph->values.count;

    for (size_t i = 0; i < selection.count; i++) {
        size_t operand = node->in[selection.first + i];

        if (is_one_number(&graph->values.items[operand]))
            continue;
        if (source != graph->values.count && source != sources[operand])
            return node->out;
        source = sources[operand];
    }
    return source == graph->values.count ? node->out : source;
}

/* True if zeros of a value may be different small numbers, in whose order a kernel may put them. */
static bool may_vanish(const struct graph *graph, size_t value, size_t end)
{
    static const char *const names[] = {"softmax", "exp", "sigmoid", NULL};
    bool may = false;

    for (size_t n = 0; n < end; n++)
        may |= graph->nodes.items[n].out == value && op_is_one_of(graph->nodes.items[n].op, names);
    return may;
}

enum equality dependence_equality(const struct graph *graph, size_t node)
{
    const struct graph_node *own = &graph->nodes.items[node];
    const struct oracle_rule *rule = oracle_rule_of(own->op->name);
    size_t *sources;
    bool is_selected;

    if (!rule || !rule->compares)
        return EQUAL_BY_CHANCE;
    if (source_of(graph, own->in[0], node) == source_of(graph, own->in[1], node))
        return may_vanish(graph, source_of(graph, own->in[0], node), node) ? EQUAL_BUT_ZEROS
                                                                           : EQUAL_MOVED;
    sources = mem_alloc_zeroed(graph->values.count + 1, sizeof(*sources));
    for (size_t v = 0; v < graph->values.count; v++)
        sources[v] = v;
    for (size_t n = 0; n < node; n++)
        sources[graph->nodes.items[n].out] = selected_from(graph, &graph->nodes.items[n], sources);
    is_selected = sources[own->in[0]] == sources[own->in[1]];
    free(sources);
    return is_selected ? EQUAL_SELECTED : EQUAL_BY_CHANCE;
}

static bool has_name(const struct graph_node *node, const char *first, const char *second)
{
    return strcmp(node->op->name, first) == 0 || strcmp(node->op->name, second) == 0;
}

/* The node that computes a value, or NULL. */
static const struct graph_node *maker_of(const struct graph *graph, size_t value)
{
    for (size_t n = 0; n < graph->nodes.count; n++)
        if (graph->nodes.items[n].out == value)
            return &graph->nodes.items[n];
    return NULL;
}

static bool is_given_f32(const struct graph *graph, size_t value)
{
    const struct value *source = &graph->values.items[source_of(graph, value, graph->nodes.count)];

    return tensor_is_given(source->role) && source->dtype == DTYPE_F32;
}

/* True if the node subtracts the rows of two given tensors from each other, each from all. */
static bool subtracts_pairs(const struct graph *graph, const struct graph_node *node)
{
    size_t count = value_elements(&graph->values.items[node->out]);

    return strcmp(node->op->name, "sub") == 0 &&
           graph->values.items[node->out].role == TENSOR_INNER &&
           value_elements(&graph->values.items[node->in[0]]) < count &&
           value_elements(&graph->values.items[node->in[1]]) < count &&
           is_given_f32(graph, node->in[0]) && is_given_f32(graph, node->in[1]);
}

static bool is_square(const struct graph *graph, const struct graph_node *node)
{
    const struct value *other = node->in_count > 1 ? &graph->values.items[node->in[1]] : NULL;

    if (!other)
        return false;
    return strcmp(node->op->name, "mul") == 0
               ? node->in[0] == node->in[1]
               : strcmp(node->op->name, "pow") == 0 && other->role == TENSOR_CONSTANT &&
                     other->fill.a == 2;
}

/* The most terms that a sum of the value's elements has; 0 if nothing adds them up. */
static double terms_of_sums(const struct graph *graph, size_t value)
{
    double most = 0;

    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *user = &graph->nodes.items[n];

        if (user->in[0] == value && has_name(user, "sum", "mean"))
            most = fmax(most, (double)count_of(graph, value) / (double)count_of(graph, user->out));
    }
    return most;
}

/* The terms of the sums of squared differences of pairs; 0 for other nodes, and for few. */
static double terms_of_pairs(const struct graph *graph, const struct graph_node *node)
{
    enum { FEWEST_COORDINATES = 4 };
    const struct graph_node *difference =
        is_square(graph, node) ? maker_of(graph, node->in[0]) : NULL;
    double terms =
        difference && subtracts_pairs(graph, difference) ? terms_of_sums(graph, node->out) : 0;

    return terms >= FEWEST_COORDINATES ? terms : 0;
}

/* Three roundings of the largest numbers, and those of three sums of products. */
double dependence_pairs(const struct graph *graph, size_t node, const struct rounding *rounding)
{
    double terms = terms_of_pairs(graph, &graph->nodes.items[node]);

    return terms > 0 && !rounding->is_mixed ? 3 + terms : 0;
}

/* True if the user scales the value by another one, or squares the differences of pairs. */
static bool is_scaled_by(const struct graph *graph, const struct graph_node *user, size_t value)
{
    bool is_product = strcmp(user->op->name, "mul") == 0;

    if (user->in[0] == value && terms_of_pairs(graph, user) > 0)
        return true;
    return has_name(user, "mul", "div") && user->in[0] != user->in[1] &&
           (user->in[0] == value || (is_product && user->in[1] == value));
}

bool dependence_may_distribute(const struct graph *graph, size_t node)
{
    const struct graph_node *place = &graph->nodes.items[node];
    const struct value *sum = &graph->values.items[place->out];
    bool is_scaled = false;

    for (size_t n = node + 1; n < graph->nodes.count; n++)
        is_scaled |= is_scaled_by(graph, &graph->nodes.items[n], place->out);
    return is_scaled && has_name(place, "add", "sub") && sum->role == TENSOR_INNER &&
           dtype_is_float(sum->dtype);
}

/* True if an implementation has the value's elements as they are given. */
static bool is_exact(const struct graph *graph, size_t index, const struct rounding *rounding)
{
    const struct value *value = &graph->values.items[index];

    if (value->role == TENSOR_CONSTANT)
        return rounding_constant_variance(value->dtype, value->fill.a) == 0;
    return tensor_is_given(value->role) && !rounding_changes_given(rounding, value->dtype);
}

bool dependence_compares_exact_sum(const struct graph *graph, size_t node, size_t index,
                                   const struct rounding *rounding)
{
    const struct graph_node *own = &graph->nodes.items[node];
    const struct oracle_rule *rule = oracle_rule_of(own->op->name);

    for (size_t n = 0; n < node && rule && rule->compares; n++) {
        const struct graph_node *sum = &graph->nodes.items[n];

        if (sum->out == own->in[index])
            return dependence_may_distribute(graph, n) &&
                   is_exact(graph, source_of(graph, sum->in[0], n), rounding) &&
                   is_exact(graph, source_of(graph, sum->in[1], n), rounding);
    }
    return false;
}

/* The number of products that a node adds up, along one axis, to one result; 0 if it adds none. */
static double terms_added(const struct graph *graph, size_t node)
{
    const struct op_call call = graph_call(graph, node);
    unsigned axes = call.op->axes ? call.op->axes(&call) : 0;

    if (call.op->kind == OP_PRODUCT)
        return (double)product_of(&call).k;
    if (strcmp(call.op->name, "sum") != 0 || (axes & (axes - 1)) != 0)
        return 0;
    return (double)shape_elements(&call.in[0]->shape) / (double)shape_elements(&call.out->shape);
}

/*
 * How many products with a value's elements are added up to one result, and whether a sum adds up
 * what another node multiplied: it counts its terms' errors as shared in class f32.
 */
struct later {
    double terms;
    bool by_sum;
};

/* Follow the elements of a value, moved or multiplied. */
static struct later find_later(const struct graph *graph, size_t value)
{
    enum { MOVED = 1, MULTIPLIED = 2 };
    unsigned *marks = mem_alloc_zeroed(graph->values.count + 1, sizeof(*marks));
    struct later found = {0};

    marks[value] = MOVED;
    for (size_t n = 0; n < graph->nodes.count; n++) {
        const struct graph_node *user = &graph->nodes.items[n];
        bool is_product = user->op->kind == OP_PRODUCT;

        for (size_t i = 0; i < user->in_count; i++) {
            unsigned mark = marks[user->in[i]];
            double terms = (mark & MULTIPLIED) || (mark && is_product) ? terms_added(graph, n) : 0;

            if (terms > found.terms)
                found = (struct later){terms, !is_product};
            if (mark && user->op->view)
                marks[user->out] |= mark;
            if (mark && strcmp(user->op->name, "mul") == 0)
                marks[user->out] |= MULTIPLIED;
        }
    }
    free(marks);
    return found;
}

struct rounding_terms dependence_later_product(const struct graph *graph, size_t node,
                                               const struct rounding *rounding)
{
    const struct graph_node *own = &graph->nodes.items[node];
    struct later later = {0};

    if (strcmp(own->op->name, "cumsum") == 0 && dtype_is_float(graph->values.items[own->out].dtype))
        later = find_later(graph, own->out);
    if (later.terms < 2)
        return (struct rounding_terms){0};
    if (rounding->is_mixed)
        return (struct rounding_terms){.inherited = later.terms - 1};
    return (struct rounding_terms){.own = ROUNDING_VARIANCE * later.terms *
                                          (later.by_sum ? 1 : later.terms) / 3};
}

/* The number of operands that are the value; `user` is the last node that has one. */
static size_t count_uses(const struct graph *graph, size_t index, const struct graph_node **user)
{
    size_t uses = 0;

    for (size_t n = 0; n < graph->nodes.count; n++)
        for (size_t i = 0; i < graph->nodes.items[n].in_count; i++)
            if (graph->nodes.items[n].in[i] == index) {
                *user = &graph->nodes.items[n];
                uses++;
            }
    return uses;
}

bool last_rounding_is(const struct graph *graph, size_t index, const struct rounding *rounding)
{
    enum dtype dtype = graph->values.items[index].dtype;

    if (rounding->is_mixed || !dtype_is_float(dtype) || dtype_bytes(dtype) != 2)
        return false;
    for (;;) {
        const struct value *value = &graph->values.items[index];
        const struct graph_node *user = NULL;
        size_t uses = count_uses(graph, index, &user);
        const struct oracle_rule *rule = user ? oracle_rule_of(user->op->name) : NULL;

        if (uses == 0 || value->role == TENSOR_OUTPUT)
            return uses == 0 && value->role == TENSOR_OUTPUT && value->dtype == dtype;
        if (uses > 1 || !rule || !rule->keeps_elements)
            return false;
        index = user->out;
    }
}
