#include "tests/contract/comparison_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/codegen/plain.h"
#include "core/model/plan/plan.h"
#include "core/model/problem_reader.h"

static const char outputs_problem[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [3, \"N\"],"
    "                   \"fill\": {\"normal\": [0, 30000]}},"
    "             \"a\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [3, \"N\"]},"
    "             \"b\": {\"role\": \"output\", \"dtype\": \"f16\", \"shape\": [3, \"N\"]}},"
    " \"graph\": [{\"op\": \"log\", \"in\": [\"x\"], \"out\": \"a\"},"
    "           {\"op\": \"cast\", \"in\": [\"x\"], \"out\": \"b\", \"dtype\": \"f16\"}]";

static const char centred_problem[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [3, \"N\"],"
    "                   \"fill\": {\"normal\": [0, 30000]}},"
    "             \"a\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [3, \"N\"]},"
    "             \"b\": {\"role\": \"output\", \"dtype\": \"f16\", \"shape\": [3, \"N\"]},"
    "             \"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [3, 3],"
    "                   \"fill\": {\"uniform\": [0, 1]}}},"
    " \"graph\": [{\"op\": \"mean\", \"in\": [\"x\"], \"out\": \"m\", \"dim\": [0], \"keepdim\": "
    "true},"
    "           {\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"d\"},"
    "           {\"op\": \"matmul\", \"in\": [\"w\", \"d\"], \"out\": \"a\"},"
    "           {\"op\": \"cast\", \"in\": [\"d\"], \"out\": \"b\", \"dtype\": \"f16\"}]";

static const char edges_problem[] =
    "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [3, \"N\"],"
    "                   \"fill\": {\"normal\": [0, 30000]}},"
    "             \"a\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [3, \"N\"]},"
    "             \"b\": {\"role\": \"output\", \"dtype\": \"f16\", \"shape\": [3, \"N\"]}},"
    " \"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 0.9], \"out\": \"m\"},"
    "           {\"op\": \"mul\", \"in\": [\"x\", 1.8], \"out\": \"n\"},"
    "           {\"op\": \"sub\", \"in\": [\"n\", \"m\"], \"alpha\": 2, \"out\": \"d\"},"
    "           {\"op\": \"sqrt\", \"in\": [\"d\"], \"out\": \"r\"},"
    "           {\"op\": \"add\", \"in\": [\"r\", \"x\"], \"out\": \"a\"},"
    "           {\"op\": \"cast\", \"in\": [\"x\"], \"out\": \"b\", \"dtype\": \"f16\"}]";

enum { FEW = 24000, MANY = 400000 };

const struct scene_problem scene_outputs_f32 = {outputs_problem, "f32"};
const struct scene_problem scene_outputs_mixed = {outputs_problem, "mixed"};
const struct scene_problem scene_centred_f32 = {centred_problem, "f32"};
const struct scene_problem scene_edges_f32 = {edges_problem, "f32"};

bool scene_is_on_gpu(const char *id)
{
    return id && strncmp(id, "opencl", 6) != 0;
}

void scene_open(struct scene *s, const struct scene_problem *of)
{
    struct expected_outputs_source source = {.problem = &s->problem};
    char text[2048];
    struct scope scope;
    struct error err;

    snprintf(text, sizeof(text),
             "{\"kforge\": 1, \"name\": \"outputs\", \"summary\": \"\", \"dims\": {\"N\": %d}, "
             "%s, \"tolerance\": {\"class\": \"%s\"}}",
             scene_is_on_gpu(getenv("KFORGE_DEVICE")) ? MANY : FEW, of->text, of->class);
    *s = (struct scene){.here = {.param_seed = 5, .input_seed = 6}};
    assert_int_equal(problem_parse(&s->problem, text, strlen(text), "p.json", &err), STATUS_OK);
    scope = problem_scope(&s->problem, 0, s->bindings);
    assert_int_equal(graph_build(&s->graph, &s->problem, &scope, &err), STATUS_OK);
    assert_int_equal(expected_outputs_make(&source, &s->graph, &s->here, &err), STATUS_OK);
}

void scene_close(struct scene *s)
{
    expected_outputs_release(&s->graph, s->here.outputs);
    graph_release(&s->graph);
    problem_release(&s->problem);
}

struct executor *scene_run_plain(struct scene *s, const struct executor_options *options)
{
    struct executor *executor = executor_new(options);
    const struct executor_run run = {.input_seed = 6, .with_prepare = true, .param_seed = 5};
    struct scope scope = problem_scope(&s->problem, 0, s->bindings);
    struct executor_load load = {.slot = SLOT_CANDIDATE};
    struct executor_build build = {0};
    struct executor_times times = {0};
    const struct device_info *info;
    struct candidate plain = {0};
    struct dispatch dispatch = {0};
    struct plan plan = {0};
    struct error err;

    assert_int_equal(executor_device(executor, &info, &err), STATUS_OK);
    assert_int_equal(
        plain_candidate(&s->problem, &(struct plain_target){info->language, false}, &plain, &err),
        STATUS_OK);
    assert_int_equal(plan_parse(&plan, plain.plan, strlen(plain.plan), &err), STATUS_OK);
    assert_int_equal(plan_resolve(&plan, &s->graph, &scope, &dispatch, &err), STATUS_OK);
    load.source = plain.source;
    load.dispatch = &dispatch;
    assert_int_equal(executor_set_tensors(executor, &s->problem, &s->graph, &err), STATUS_OK);
    assert_int_equal(executor_load(executor, &load, &build, &err), STATUS_OK);
    assert_int_equal(executor_run(executor, &run, &times, &err), STATUS_OK);
    executor_build_release(&build);
    dispatch_release(&dispatch);
    plan_release(&plan);
    candidate_release(&plain);
    return executor;
}
