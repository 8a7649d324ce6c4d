#include "tests/unit/rounding_fixture.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/compare/tolerance16.h"
#include "core/judge/compare/verify.h"

struct rounding_task rounding_task_open(const char *class, const char *body)
{
    struct rounding_task t = {0};
    struct strbuf text = {0};
    struct binding bindings[1];
    struct error err = {0};
    struct oracle_seeds seeds = {5, 5};

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, %s,"
                "\"tolerance\": {\"class\": \"%s\"}}",
                body, class);
    if (problem_parse(&t.problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);

    struct scope scope = problem_scope(&t.problem, 0, bindings);

    assert_true(rounding_of(&t.problem.tolerance, &t.rounding));
    assert_int_equal(graph_build(&t.graph, &t.problem, &scope, &err), STATUS_OK);
    t.given = oracle_values_make(&t.graph);
    for (size_t i = 0; i < t.graph.values.count; i++)
        if (tensor_is_given(t.graph.values.items[i].role))
            oracle_draw(&t.graph, i, 5, &t.given);
    t.expected.rounding = &t.rounding;
    assert_int_equal(oracle_expect(&t.graph, NULL, &seeds, &t.expected, &err), STATUS_OK);
    return t;
}

void rounding_task_draw(struct rounding_task *t, uint64_t seed, bool is_varied)
{
    const struct oracle_seeds seeds = {5, seed};

    for (size_t i = 0; i < t->graph.values.count; i++)
        if (t->graph.values.items[i].role == TENSOR_INPUT)
            oracle_draw(&t->graph, i, seed, &t->given);
    oracle_values_release(&t->expected);
    t->rounding.is_varied = is_varied;
    t->expected.rounding = &t->rounding;
    assert_int_equal(oracle_expect(&t->graph, NULL, &seeds, &t->expected, NULL), STATUS_OK);
}

void rounding_task_close(struct rounding_task *t)
{
    oracle_values_release(&t->given);
    oracle_values_release(&t->expected);
    graph_release(&t->graph);
    problem_release(&t->problem);
}

double *rounding_task_given(const struct rounding_task *t, const char *name)
{
    return t->given.items[graph_find(&t->graph, name)];
}

const double *rounding_task_expected(const struct rounding_task *t)
{
    return t->expected.items[graph_find(&t->graph, "y")];
}

double rounding_task_error(const struct rounding_task *t, const double *got)
{
    size_t y = graph_find(&t->graph, "y");
    const struct value *value = &t->graph.values.items[y];
    size_t count = (size_t)shape_elements(&value->shape);
    uint16_t *allowed = tolerance16_take(
        rounding_allowed(value, t->expected.items[y], t->expected.variances[y]), count);
    void *stored = mem_alloc_zeroed(count, dtype_bytes(value->dtype));
    struct trial trial = {0};

    dtype_from_double(value->dtype, got, stored, count);
    verify_output(
        &(struct output){
            value,
            stored,
            {.elements = t->expected.items[y], .dtype = DTYPE_F64, .allowed = allowed}},
        &t->problem.tolerance, &trial, NULL);
    free(stored);
    free(allowed);
    return trial.worst_over_tolerance;
}
