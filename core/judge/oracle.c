#include "core/judge/oracle.h"
#include "core/judge/bridge.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/fill.h"
#include "core/judge/oracle_family.h"
#include "core/judge/parallel.h"

struct oracle_values oracle_values_make(const struct graph *graph)
{
    return (struct oracle_values){
        .items = mem_alloc_zeroed(graph->values.count + 1, sizeof(double *)),
        .count = graph->values.count,
    };
}

void oracle_values_release(struct oracle_values *values)
{
    for (size_t i = 0; i < values->count; i++)
        free(values->items[i]);
    free(values->items);
    *values = (struct oracle_values){0};
}

static const struct oracle_rule *find_rule(const char *op)
{
    static const struct oracle_rule *const families[] = {
        oracle_elementwise, oracle_reduction,   oracle_rowwise, oracle_channelwise,
        oracle_product,     oracle_convolution, oracle_pooling, oracle_attention,
        oracle_movement,    oracle_lookup,      NULL,
    };

    for (size_t f = 0; families[f]; f++)
        for (const struct oracle_rule *rule = families[f]; rule->op; rule++)
            if (strcmp(rule->op, op) == 0)
                return rule;
    return NULL;
}

static size_t element_count(const struct graph *graph, size_t index)
{
    return (size_t)shape_elements(&graph->values.items[index].shape);
}

static enum status evaluate_node(const struct graph *graph, size_t node,
                                 struct oracle_values *values, struct error *err)
{
    struct op_call op = graph_call(graph, node);
    const struct graph_node *place = &graph->nodes.items[node];
    const struct oracle_rule *rule = find_rule(op.op->name);
    struct oracle_call call = {.op = &op};

    if (!rule)
        return error_set(err, STATUS_UNAVAILABLE, "the oracle does not know %s", op.op->name);
    for (size_t i = 0; i < op.in_count; i++)
        call.in[i] = values->items[place->in[i]];
    call.out = mem_alloc_zeroed(element_count(graph, place->out), sizeof(*call.out));
    free(values->items[place->out]);
    values->items[place->out] = call.out;
    rule->evaluate(&call, rule);
    return STATUS_OK;
}

/* For each value the last node that reads it. */
static size_t *list_last_uses(const struct graph *graph)
{
    size_t *last = mem_alloc_zeroed(graph->values.count + 1, sizeof(*last));

    for (size_t n = 0; n < graph->nodes.count; n++)
        for (size_t i = 0; i < graph->nodes.items[n].in_count; i++)
            last[graph->nodes.items[n].in[i]] = n;
    return last;
}

/* Whether operand `i` of a node is needed no more once the node is computed. */
static bool is_used_up(const struct graph *graph, size_t node, size_t i, const size_t *last_uses)
{
    size_t index = graph->nodes.items[node].in[i];
    enum tensor_role role = graph->values.items[index].role;

    return last_uses[index] == node && (role == TENSOR_INNER || role == TENSOR_CONSTANT);
}

static void free_used(const struct graph *graph, size_t node, const size_t *last_uses,
                      struct oracle_values *values)
{
    const struct graph_node *done = &graph->nodes.items[node];

    for (size_t i = 0; i < done->in_count; i++) {
        if (!is_used_up(graph, node, i, last_uses))
            continue;
        free(values->items[done->in[i]]);
        values->items[done->in[i]] = NULL;
    }
}

/* An operand that comes twice is counted down once, at its first place. */
static double bytes_used_up(const struct graph *graph, size_t node, const size_t *last_uses)
{
    const struct graph_node *done = &graph->nodes.items[node];
    double bytes = 0;

    for (size_t i = 0; i < done->in_count; i++) {
        size_t first = 0;

        while (done->in[first] != done->in[i])
            first++;
        if (first == i && is_used_up(graph, node, i, last_uses))
            bytes += (double)sizeof(double) * (double)element_count(graph, done->in[i]);
    }
    return bytes;
}

double oracle_bytes(const struct graph *graph)
{
    size_t *last_uses = list_last_uses(graph);
    double bytes = 0, most;

    for (size_t i = 0; i < graph->values.count; i++)
        if (graph->values.items[i].role == TENSOR_INPUT ||
            graph->values.items[i].role == TENSOR_PARAM)
            bytes += (double)sizeof(double) * (double)element_count(graph, i);
    most = bytes;
    for (size_t n = 0; n < graph->nodes.count; n++) {
        bytes += (double)sizeof(double) * (double)element_count(graph, graph->nodes.items[n].out);
        most = bytes > most ? bytes : most;
        bytes -= bytes_used_up(graph, n, last_uses);
    }
    free(last_uses);
    return most;
}

/* Nobody sees the nodes of a problem without a graph. */
static enum status ask_bridge(const struct graph *graph, struct oracle_values *values,
                              struct error *err)
{
    if (graph->bridge)
        return bridge_evaluate(graph->bridge, graph, values, err);
    return error_set(err, STATUS_INVALID,
                     "the problem has no graph that the oracle could evaluate");
}

static void set_constants(const struct graph *graph, struct oracle_values *values)
{
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (value->role != TENSOR_CONSTANT)
            continue;
        values->items[i] = mem_resize(values->items[i], 1, sizeof(double));
        *values->items[i] = value->fill.a;
    }
}

enum status oracle_observe(const struct graph *graph, struct oracle_values *values,
                           const struct oracle_observer *observer, struct error *err)
{
    size_t *last_uses;
    enum status st = STATUS_OK;

    if (graph->nodes.count == 0)
        return ask_bridge(graph, values, err);
    last_uses = list_last_uses(graph);
    set_constants(graph, values);
    for (size_t n = 0; !st && n < graph->nodes.count; n++) {
        st = evaluate_node(graph, n, values, err);
        if (!st)
            observer->computed(observer->data, values, n);
        free_used(graph, n, last_uses, values);
    }
    free(last_uses);
    return st;
}

static void look_away(void *data, const struct oracle_values *values, size_t node)
{
    (void)data;
    (void)values;
    (void)node;
}

enum status oracle_evaluate(const struct graph *graph, struct oracle_values *values,
                            struct error *err)
{
    const struct oracle_observer nobody = {.computed = look_away};

    return oracle_observe(graph, values, &nobody, err);
}

struct widening {
    enum dtype dtype;
    const unsigned char *from;
    double *to;
};

static void widen(void *data, size_t first, size_t last)
{
    const struct widening *w = data;

    dtype_to_double(w->dtype, w->from + first * dtype_bytes(w->dtype), w->to + first, last - first);
}

void oracle_draw(const struct graph *graph, size_t index, uint64_t seed,
                 struct oracle_values *values)
{
    const struct value *value = &graph->values.items[index];
    size_t count = element_count(graph, index);
    void *stored = mem_alloc_zeroed(count, dtype_bytes(value->dtype));
    double *elements = mem_alloc_zeroed(count, sizeof(*elements));
    struct widening widening = {value->dtype, stored, elements};

    fill_make(value, seed, (uint32_t)index, stored);
    parallel_for(count, 1 << 16, widen, &widening);
    free(stored);
    free(values->items[index]);
    values->items[index] = elements;
}

enum status oracle_expect(const struct graph *graph, uint64_t param_seed, uint64_t input_seed,
                          struct oracle_values *values, struct error *err)
{
    struct oracle_values made = oracle_values_make(graph);
    enum status st;

    for (size_t i = 0; i < graph->values.count; i++) {
        enum tensor_role role = graph->values.items[i].role;

        if (role == TENSOR_INPUT || role == TENSOR_PARAM)
            oracle_draw(graph, i, role == TENSOR_PARAM ? param_seed : input_seed, &made);
    }
    st = oracle_evaluate(graph, &made, err);
    if (st)
        oracle_values_release(&made);
    else
        *values = made;
    return st;
}
