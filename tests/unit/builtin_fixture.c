#include "tests/unit/builtin_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/agents.h"
#include "core/agent/reply/reply.h"
#include "core/base/mem.h"
#include "core/model/plan/plan.h"
#include "core/model/problem_reader.h"
#include "core/system/loop.h"

static char cpu_language[] = "opencl";
const struct device_info builtin_fixture_cpu = {
    .language = cpu_language, .is_cpu = true, .vector_width_f32 = 16};

static char cuda_language[] = "cuda", hopper_compiler[] = "NVRTC 13.0, sm_90a";
const struct device_info builtin_fixture_hopper = {
    .language = cuda_language, .compiler = hopper_compiler, .compute_units = 132};

const char *const builtin_fixture_problems[BUILTIN_FIXTURE_PROBLEMS] = {
    "saxpy", "softmax", "add_rmsnorm", "linear_gelu"};

static void on_text(void *data, const char *text, size_t len)
{
    struct builtin_fixture_end *end = data;

    strbuf_add(&end->reply, text, len);
}

static void on_done(void *data, const struct usage *usage)
{
    struct builtin_fixture_end *end = data;

    end->is_done = true;
    end->has_tokens = usage->has_tokens;
    loop_stop(end->loop);
}

struct provider_listener builtin_fixture_listener(struct builtin_fixture_end *end)
{
    return (struct provider_listener){.text = on_text, .done = on_done, .data = end};
}

char *builtin_fixture_ask(enum agent_task task, const struct brief *brief)
{
    struct builtin_fixture_end end = {.loop = loop_new()};
    const struct provider_listener listener = builtin_fixture_listener(&end);
    struct agent *agent = NULL;
    struct error err = {0};

    if (agents_open(end.loop, "builtin", &agent, &err) ||
        agent->ops->start(agent, &(struct agent_request){task, brief, ""}, &listener, &err))
        fail_msg("%s", err.text);
    assert_false(end.is_done); /* the agent never answers inside start */
    loop_run(end.loop);
    assert_false(end.has_tokens);
    agent->ops->close(agent);
    loop_free(end.loop);
    return strbuf_take(&end.reply);
}

struct problem builtin_fixture_load_from(const char *folder, const char *name)
{
    struct strbuf path = {0};
    struct problem problem = {0};
    struct error err = {0};

    strbuf_addf(&path, KFORGE_SOURCE_DIR "/%s/%s.json", folder, name);
    if (problem_load(&problem, strbuf_cstr(&path), &err))
        fail_msg("%s", err.text);
    strbuf_release(&path);
    return problem;
}

struct problem builtin_fixture_load(const char *name)
{
    return builtin_fixture_load_from("prompts/problems", name);
}

struct candidate builtin_fixture_generate(const struct brief *brief)
{
    char *reply = builtin_fixture_ask(TASK_GENERATE, brief);
    struct candidate candidate = {0};
    struct error err = {0};

    if (reply_parse(reply, brief->device->language, &candidate, &err))
        fail_msg("%s: %s\n%s", brief->problem->name, err.text, reply);
    free(reply);
    return candidate;
}

struct recommendation builtin_fixture_analyse(const struct brief *brief)
{
    char *reply = builtin_fixture_ask(TASK_ANALYSE, brief);
    struct recommendation advice = {0};
    struct error err = {0};

    if (recommendation_parse(&advice, reply, &err))
        fail_msg("%s: %s\n%s", brief->problem->name, err.text, reply);
    free(reply);
    return advice;
}

struct verdict builtin_fixture_timed(void)
{
    return (struct verdict){
        .outcome = OUTCOME_CORRECT,
        .timing = {.is_present = true, .time = {400, 390, 410}},
        .bound = {.is_present = true, .us = 100, .fraction = 0.25, .limiter = LIMITER_COMPUTE},
    };
}

void builtin_fixture_check_plan(const struct problem *problem, const struct candidate *candidate)
{
    struct plan plan = {0};
    struct error err = {0};

    if (plan_parse(&plan, candidate->plan, strlen(candidate->plan), &err))
        fail_msg("%s: %s\n%s", problem->name, err.text, candidate->plan);
    for (size_t also = 0; also <= problem->also.count; also++) {
        struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
        struct scope scope = problem_scope(problem, also, bindings);
        struct graph graph = {0};
        struct dispatch dispatch = {0};

        if (graph_build(&graph, problem, &scope, &err) ||
            plan_resolve(&plan, &graph, &scope, &dispatch, &err))
            fail_msg("%s: %s\n%s", problem->name, err.text, candidate->plan);
        dispatch_release(&dispatch);
        graph_release(&graph);
        free(bindings);
    }
    plan_release(&plan);
}

struct candidate builtin_fixture_first(const char *text)
{
    return builtin_fixture_first_on(&builtin_fixture_hopper, text);
}

struct candidate builtin_fixture_first_on(const struct device_info *device, const char *text)
{
    struct problem problem = {0};
    struct brief brief = {.problem = &problem, .device = device, .attempt = 1};
    struct candidate candidate;
    struct error err;

    if (problem_parse(&problem, text, strlen(text), "problem.json", &err))
        fail_msg("%s", err.text);
    candidate = builtin_fixture_generate(&brief);
    builtin_fixture_check_plan(&problem, &candidate);
    problem_release(&problem);
    return candidate;
}
