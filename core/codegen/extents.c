#include "core/codegen/extents.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

/* The graph built at one set of dimensions. */
struct sample {
    struct binding *bindings;
    struct scope scope;
    struct graph graph;
};

struct search {
    const struct problem *problem;
    struct {
        struct sample *items;
        size_t count, capacity;
    } samples;
    struct {
        const struct json **items;
        size_t count, capacity;
    } declared; /* size expressions of declared tensors */
};

/*
 * Build the graph with the dimensions of set `also`, where dimension `varied` is one larger;
 * dims.count varies none.
 */
static enum status add_sample(struct search *search, size_t also, size_t varied, struct error *err)
{
    const struct problem *problem = search->problem;
    struct sample sample = {.bindings =
                                mem_alloc_zeroed(problem->dims.count + 1, sizeof(struct binding))};
    enum status st;

    sample.scope = problem_scope(problem, also, sample.bindings);
    if (varied < problem->dims.count)
        sample.bindings[varied].value++;
    st = graph_build(&sample.graph, problem, &sample.scope, err);
    if (st)
        free(sample.bindings);
    else
        vec_push(&search->samples, sample);
    return st;
}

/*
 * Build samples at the main dimensions, at the further sets, and with each dynamic dimension
 * varied. Dimensions that the graph does not allow to vary are skipped.
 */
static enum status add_samples(struct search *search, struct error *err)
{
    const struct problem *problem = search->problem;
    enum status st = STATUS_OK;

    for (size_t also = 0; !st && also <= problem->also.count; also++)
        st = add_sample(search, also, problem->dims.count, err);
    for (size_t i = 0; !st && i < problem->dims.count; i++)
        if (problem->dims.items[i].is_dynamic)
            (void)!add_sample(search, 0, i, NULL);
    return st;
}

static void add_declared(struct search *search)
{
    for (size_t t = 0; t < search->problem->tensors.count; t++)
        for (const struct json *axis = json_first(search->problem->tensors.items[t].shape); axis;
             axis = json_next(axis))
            if (json_type(axis) == JSON_STRING)
                vec_push(&search->declared, axis);
}

static bool fits(const struct search *search, const struct json *size, size_t value, size_t axis)
{
    for (size_t s = 0; s < search->samples.count; s++) {
        const struct sample *sample = &search->samples.items[s];
        int64_t found = 0;

        if (expr_eval(json_string(size, ""), &sample->scope, &found, NULL) ||
            found != sample->graph.values.items[value].shape.dims[axis])
            return false;
    }
    return true;
}

static bool is_constant(const struct search *search, size_t value, size_t axis)
{
    for (size_t s = 1; s < search->samples.count; s++)
        if (search->samples.items[s].graph.values.items[value].shape.dims[axis] !=
            search->samples.items[0].graph.values.items[value].shape.dims[axis])
            return false;
    return true;
}

/* Put an expression in parentheses, unless it is a single name or number. */
static char *expression(const char *text)
{
    struct strbuf out = {0};
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

    strbuf_addf(&out, text[len] ? "(%s)" : "%s", text);
    return strbuf_take(&out);
}

static char *number(int64_t value)
{
    struct strbuf out = {0};

    strbuf_addf(&out, "%lld", (long long)value);
    return strbuf_take(&out);
}

static enum status find_inner(const struct search *search, size_t value, size_t axis, char **text,
                              struct error *err)
{
    const struct value *found = &search->samples.items[0].graph.values.items[value];

    for (size_t i = 0; i < search->declared.count; i++)
        if (fits(search, search->declared.items[i], value, axis)) {
            *text = expression(json_string(search->declared.items[i], ""));
            return STATUS_OK;
        }
    if (!is_constant(search, value, axis))
        return error_set(err, STATUS_UNAVAILABLE,
                         "the size of \"%s\" along axis %zu changes with the dynamic dimensions, "
                         "and no declared tensor has that size",
                         found->name, axis);
    *text = number(found->shape.dims[axis]);
    return STATUS_OK;
}

static enum status find_one(const struct search *search, size_t value, size_t axis, char **text,
                            struct error *err)
{
    const struct value *found = &search->samples.items[0].graph.values.items[value];
    const struct tensor *tensor = problem_tensor(search->problem, found->name);
    const struct json *declared = tensor ? json_at(tensor->shape, axis) : NULL;

    if (!declared)
        return find_inner(search, value, axis, text, err);
    *text = json_type(declared) == JSON_STRING ? expression(json_string(declared, ""))
                                               : number(found->shape.dims[axis]);
    return STATUS_OK;
}

static enum status find_all(const struct search *search, const struct graph *graph,
                            struct extents *found, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t v = 0; v < graph->values.count; v++)
        for (size_t axis = 0; !st && axis < graph->values.items[v].shape.rank; axis++) {
            found->is_fixed[v][axis] = is_constant(search, v, axis);
            st = find_one(search, v, axis, &found->of[v][axis], err);
        }
    return st;
}

static void search_release(struct search *search)
{
    for (size_t i = 0; i < search->samples.count; i++) {
        graph_release(&search->samples.items[i].graph);
        free(search->samples.items[i].bindings);
    }
    vec_release(&search->samples);
    vec_release(&search->declared);
}

enum status extents_find(const struct problem *problem, const struct graph *graph,
                         struct extents *extents, struct error *err)
{
    struct search search = {.problem = problem};
    struct extents found = {.of = mem_alloc_zeroed(graph->values.count + 1, sizeof(*found.of)),
                            .is_fixed =
                                mem_alloc_zeroed(graph->values.count + 1, sizeof(*found.is_fixed)),
                            .count = graph->values.count};
    enum status st = add_samples(&search, err);

    add_declared(&search);
    if (!st)
        st = find_all(&search, graph, &found, err);
    search_release(&search);
    if (st)
        extents_release(&found);
    else
        *extents = found;
    return st;
}

void extents_release(struct extents *extents)
{
    for (size_t v = 0; v < extents->count; v++)
        for (size_t axis = 0; axis < SHAPE_MAX_RANK; axis++)
            free(extents->of[v][axis]);
    free(extents->of);
    free(extents->is_fixed);
    *extents = (struct extents){0};
}

void extents_product(const struct extents *extents, size_t value, unsigned axes, struct strbuf *out)
{
    const char *between = "";

    for (size_t axis = 0; axis < SHAPE_MAX_RANK; axis++)
        if (axes >> axis & 1 && extents->of[value][axis]) {
            strbuf_addf(out, "%s%s", between, extents->of[value][axis]);
            between = " * ";
        }
    if (!*between)
        strbuf_adds(out, "1");
}
