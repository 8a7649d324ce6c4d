#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/task/capacity.h"
#include "core/judge/task/expectations.h"
#include "core/judge/torch/bridge_state.h"
#include "core/model/problem_reader.h"

/* Sets of data that a model makes ahead: as many as fit, so that a kernel seldom meets one again.
 */
enum { MAX_SETS = 16, SETS_BYTES = 1 << 28, ALIGNMENT = 64 };

/* Tensors in the shared memory, as a request lists them. */
struct layout {
    struct json *places; /* array */
    size_t bytes;        /* of all so far */
};

static size_t value_bytes(const struct value *value, enum dtype dtype)
{
    return (size_t)shape_elements(&value->shape) * dtype_bytes(dtype);
}

/* Add a place for `value` with elements of `dtype`; returns its offset. */
static size_t add_place(struct layout *layout, const struct value *value, enum dtype dtype)
{
    struct json *place = json_push(layout->places, json_object_new());
    struct json *shape = json_put(place, "shape", json_array_new());
    size_t offset = layout->bytes;

    json_put_string(place, "name", value->name);
    json_put_string(place, "dtype", dtype_name(dtype));
    json_put_number(place, "offset", (double)offset);
    for (size_t d = 0; d < value->shape.rank; d++)
        json_push(shape, json_number_new((double)value->shape.dims[d]));
    layout->bytes += (value_bytes(value, dtype) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return offset;
}

static bool is_laid_out(const struct value *value, bool outputs)
{
    bool is_given = tensor_is_given(value->role);

    return outputs ? value->role == TENSOR_OUTPUT : is_given;
}

static void read_outputs(const struct bridge *bridge, const struct graph *graph, size_t offset,
                         struct oracle_values *values)
{
    struct layout layout = {.places = json_array_new(), .bytes = offset};

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        size_t bytes = value_bytes(value, DTYPE_F64);

        if (!is_laid_out(value, true))
            continue;
        free(values->items[i]);
        values->items[i] = mem_alloc_zeroed(bytes, 1);
        memcpy(values->items[i], bridge->shared.bytes + add_place(&layout, value, DTYPE_F64),
               bytes);
    }
    json_free(layout.places);
}

/* Lay out inputs and params in their own types, and room for the outputs in double precision. */
static enum status lay_out(struct bridge *bridge, const struct graph *graph,
                           const struct oracle_values *values, struct json *request,
                           struct error *err)
{
    struct layout layout = {.places = json_put(request, "tensors", json_array_new())};
    size_t *offsets = mem_alloc_zeroed(graph->values.count + 1, sizeof(*offsets));
    enum status st;

    for (size_t i = 0; i < graph->values.count; i++)
        if (is_laid_out(&graph->values.items[i], false))
            offsets[i] = add_place(&layout, &graph->values.items[i], graph->values.items[i].dtype);
    json_put_number(request, "inputs_bytes", (double)layout.bytes);
    layout.places = json_put(request, "outputs", json_array_new());
    for (size_t i = 0; i < graph->values.count; i++)
        if (is_laid_out(&graph->values.items[i], true))
            add_place(&layout, &graph->values.items[i], DTYPE_F64);
    st = memfd_grow(&bridge->shared, layout.bytes, err);
    for (size_t i = 0; !st && i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (is_laid_out(value, false))
            dtype_from_double(value->dtype, values->items[i], bridge->shared.bytes + offsets[i],
                              (size_t)shape_elements(&value->shape));
    }
    free(offsets);
    return st;
}

static enum status evaluate(struct bridge *bridge, const struct graph *graph,
                            struct oracle_values *values, struct error *err)
{
    struct json *request, *answer = NULL;
    size_t outputs_at = 0;
    enum status st = bridge_ensure(bridge, err);

    if (st)
        return st;
    request = bridge_request(bridge, "expect");
    st = lay_out(bridge, graph, values, request, err);
    if (st) {
        json_free(request);
        return st;
    }
    outputs_at = (size_t)json_get_number(request, "inputs_bytes", 0);
    st = bridge_ask(bridge, request, &answer, err);
    if (!st) {
        if (strcmp(json_get_string(answer, "precision", ""), "f64") != 0)
            bridge->is_coarse = true;
        read_outputs(bridge, graph, outputs_at, values);
    }
    json_free(answer);
    return st;
}

enum status bridge_evaluate(struct bridge *bridge, const struct graph *graph,
                            struct oracle_values *values, struct error *err)
{
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    st = evaluate(bridge, graph, values, err);
    pthread_mutex_unlock(&bridge->lock);
    return st;
}

bool bridge_is_coarse(struct bridge *bridge)
{
    bool is_coarse;

    pthread_mutex_lock(&bridge->lock);
    is_coarse = bridge->is_coarse;
    pthread_mutex_unlock(&bridge->lock);
    return is_coarse;
}

/* The tensors that only the model makes, one set of them. */
struct lending {
    const struct graph *graph;
    struct layout layout;
    size_t *offsets; /* in a set, by value */
    size_t sets;
};

static bool is_lent(const struct value *value)
{
    return is_laid_out(value, false) && value->fill.kind == FILL_MODEL;
}

static struct lending lending_make(const struct graph *graph)
{
    struct lending l = {.graph = graph,
                        .layout = {.places = json_array_new()},
                        .offsets = mem_alloc_zeroed(graph->values.count + 1, sizeof(size_t))};

    for (size_t i = 0; i < graph->values.count; i++)
        if (is_lent(&graph->values.items[i]))
            l.offsets[i] =
                add_place(&l.layout, &graph->values.items[i], graph->values.items[i].dtype);
    l.sets = l.layout.bytes ? SETS_BYTES / l.layout.bytes : 0;
    l.sets = l.sets < 2 ? 2 : l.sets > MAX_SETS ? MAX_SETS : l.sets;
    return l;
}

/* A set from a seed that nobody has seen, copied to where the child cannot change it. */
static enum status make_set(struct bridge *bridge, const struct lending *l, size_t set,
                            struct error *err)
{
    struct json *request = bridge_request(bridge, "make"), *answer = NULL;
    enum status st = memfd_grow(&bridge->shared, l->layout.bytes, err);

    json_put_number(request, "seed", (double)fill_secret_seed());
    json_put(request, "tensors", json_dup(l->layout.places));
    if (st)
        json_free(request);
    else
        st = bridge_ask(bridge, request, &answer, err);
    if (!st)
        memcpy(bridge->given.bytes + set * l->layout.bytes, bridge->shared.bytes, l->layout.bytes);
    json_free(answer);
    return st;
}

static enum status make_sets(struct bridge *bridge, const struct lending *l, struct error *err)
{
    size_t bytes = l->sets * l->layout.bytes;
    enum status st = bridge_ensure(bridge, err);

    memfd_release(&bridge->given);
    if (!st)
        st = memfd_open(&bridge->given, err);
    if (!st)
        st = memfd_grow(&bridge->given, bytes, err);
    for (size_t set = 0; !st && set < l->sets; set++)
        st = make_set(bridge, l, set, err);
    return st;
}

/* What a model holds is the same in all sets; its inputs are new in each. */
static void hand_over(struct bridge *bridge, const struct lending *l, struct problem *problem)
{
    for (size_t i = 0; i < problem->tensors.count; i++)
        if (is_lent(&l->graph->values.items[i]))
            problem->tensors.items[i].given = (struct given){
                .bytes = bridge->given.bytes + l->offsets[i],
                .stride = l->layout.bytes,
                .count = problem->tensors.items[i].role == TENSOR_PARAM ? 1 : l->sets,
            };
    problem->lent = (struct lent_memory){
        .bytes = bridge->given.bytes, .size = bridge->given.size, .serial = ++bridge->serial};
}

static enum status lend(struct bridge *bridge, struct problem *problem, struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    struct lending lending = {0};
    enum status st = graph_build(&graph, problem, &scope, err);

    if (!st)
        lending = lending_make(&graph);
    if (!st && lending.layout.bytes) {
        pthread_mutex_lock(&bridge->lock);
        st = make_sets(bridge, &lending, err);
        pthread_mutex_unlock(&bridge->lock);
        if (!st)
            hand_over(bridge, &lending, problem);
    }
    json_free(lending.layout.places);
    free(lending.offsets);
    graph_release(&graph);
    free(bindings);
    return st;
}

/* float32 takes off some of what the tolerance leaves to candidates. */
static const double coarse_allowance = 4;

/* Without a graph the model computes what is expected: once now, to see that it does, and how. */
static enum status try_model(struct bridge *bridge, struct problem *problem, struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    const struct oracle_seeds seeds = {fill_secret_seed(), fill_secret_seed()};
    struct oracle_values values = {0};
    struct graph graph = {0};
    enum status st = graph_build(&graph, problem, &scope, err);

    if (!st)
        st = oracle_expect(&graph, &bridge->evaluator, &seeds, &values, err);
    if (!st && bridge_is_coarse(bridge)) {
        problem->tolerance.atol *= coarse_allowance;
        problem->tolerance.rtol *= coarse_allowance;
    }
    oracle_values_release(&values);
    graph_release(&graph);
    free(bindings);
    return st;
}

enum status bridge_attach(struct bridge *bridge, const struct device_info *device,
                          struct problem *problem, struct error *err)
{
    const struct model_source source = {problem->torch.source, problem->torch.file,
                                        problem->tolerance.allows_mixed ? "mixed" : "f32"};
    enum status st;

    if (!source.text)
        return STATUS_OK;
    st = bridge_open(bridge, &source, NULL, err);
    if (!st)
        st = capacity_check(problem, &bridge->evaluator, device, err);
    if (!st)
        st = lend(bridge, problem, err);
    if (!st && problem->nodes.count == 0)
        st = try_model(bridge, problem, err);
    return st;
}

enum status bridge_describe(struct bridge *bridge, const struct model_source *source,
                            struct json **problem, struct error *err)
{
    struct problem checked = {0};
    struct strbuf text = {0};
    struct json *made = NULL;
    enum status st = bridge_open(bridge, source, &made, err);

    if (!st) {
        json_print(made, &text);
        st = problem_parse(&checked, strbuf_cstr(&text), text.len, source->file, err);
    }
    problem_release(&checked);
    strbuf_release(&text);
    if (st)
        json_free(made);
    else
        *problem = made;
    return st;
}
