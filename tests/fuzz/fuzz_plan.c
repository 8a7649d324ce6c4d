#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/plan/plan.h"
#include "core/model/problem_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char problem_text[] =
    "{\"kforge\": 1, \"name\": \"linear\", \"summary\": \"A linear layer.\","
    " \"dims\": {\"M\": 512, \"N\": 1024, \"K\": 768},"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"K\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [\"N\", \"K\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"b\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [\"N\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]}},"
    " \"graph\": [{\"op\": \"linear\", \"in\": [\"x\", \"w\", \"b\"], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

/* A resolved dispatch must survive the encoding for the executor. */
static void recode(const struct dispatch *dispatch)
{
    struct dispatch read = {0};
    struct json *json = dispatch_encode(dispatch);
    struct json_ref root = json_ref_root(json, "dispatch");

    if (dispatch_decode(&read, &root, NULL))
        abort();
    dispatch_release(&read);
    json_free(json);
}

static void resolve(const struct plan *plan, const struct problem *problem)
{
    struct binding dim_values[3], bindings[PLAN_MAX_TUNABLES];
    struct scope dims = problem_scope(problem, 0, dim_values);
    struct scope scope = plan_scope(plan, plan_choices(plan) - 1, &dims, bindings);
    struct dispatch dispatch = {0};
    struct graph graph = {0};
    struct error err = {0};

    if (graph_build(&graph, problem, &dims, &err))
        abort();
    if (!plan_resolve(plan, &graph, &scope, &dispatch, &err))
        recode(&dispatch);
    dispatch_release(&dispatch);
    graph_release(&graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct problem problem = {0};
    struct plan plan = {0};
    struct error err = {0};

    if (problem_parse(&problem, problem_text, strlen(problem_text), "linear.json", &err))
        abort();
    if (!plan_parse(&plan, (const char *)data, size, &err))
        resolve(&plan, &problem);
    plan_release(&plan);
    problem_release(&problem);
    return 0;
}
