#include "tests/contract/judge_fixture.h"

#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/model/graph.h"
#include "core/model/problem_reader.h"

/* A larger problem is shrunk: most of its time would go to the oracle. */
static const double LARGE_FLOPS = 1 << 24, LARGE_BYTES = 1 << 21;

static void on_nothing(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    (void)progress;
}

static struct judge *new_judge(unsigned unseen)
{
    static const char *executor[] = {NULL, "--executor", NULL};
    static const char *bridge[] = {NULL, "--contained", NULL, "-B", NULL, NULL};
    static const char *compiler[] = {NULL, "--contained", NULL, "-B", NULL};
    const char *python = getenv("KFORGE_PYTHON");
    const struct judge_options options = {
        .tune = {.choices = 64, .budget_us = 60000000},
        .executor = {.argv = executor,
                     .device = getenv("KFORGE_DEVICE"),
                     .build_limit_us = 120000000,
                     .run_limit_us = 20000000},
        .bridge_argv = bridge,
        .compiler_argv = compiler,
        .trials = 2,
        .unseen = unseen ? unseen : 1,
        .precision = 1,
        .timing_budget_us = 1000,
        .without_baselines = true,
        .progress = on_nothing,
    };

    executor[0] = bridge[0] = compiler[0] = getenv("KFORGE_WORKER");
    bridge[2] = compiler[2] = python ? python : "python3";
    bridge[4] = KFORGE_SOURCE_DIR "/backends/torch/bridge.py";
    signal(SIGPIPE, SIG_IGN);
    return judge_new(&options);
}

void judge_fixture_load(struct judge_fixture *fixture, const struct json *document,
                        const char *file)
{
    struct strbuf text = {0};
    struct error err;

    if (!fixture->judge)
        fixture->judge = new_judge(fixture->unseen);
    problem_release(&fixture->problem);
    json_print(document, &text);
    if (problem_parse(&fixture->problem, strbuf_cstr(&text), text.len, file, &err) ||
        judge_load(fixture->judge, strbuf_cstr(&text), text.len, file, &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

static bool is_large(const struct problem *problem)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    struct error err;
    bool is;

    if (graph_build(&graph, problem, &scope, &err))
        fail_msg("%s", err.text);
    is = graph_flops(&graph) > LARGE_FLOPS || graph_bytes(&graph) > LARGE_BYTES;
    graph_release(&graph);
    free(bindings);
    return is;
}

/* The dynamic dimension with the largest main value that is above 1; NULL if there is none. */
static struct dim *largest_dynamic(const struct problem *problem)
{
    struct dim *largest = NULL;

    for (size_t i = 0; i < problem->dims.count; i++) {
        struct dim *dim = &problem->dims.items[i];

        if (dim->is_dynamic && dim->value > 1 && (!largest || dim->value > largest->value))
            largest = dim;
    }
    return largest;
}

/* Halve main values of dynamic dimensions until the problem is small. */
static void shrink(struct problem *problem)
{
    struct json *dims = json_put(problem->document, "dims", json_object_new());
    struct dim *dim;

    while (is_large(problem) && (dim = largest_dynamic(problem)))
        dim->value /= 2;
    for (size_t i = 0; i < problem->dims.count; i++)
        json_put_number(dims, problem->dims.items[i].name, (double)problem->dims.items[i].value);
}

void judge_fixture_open(struct judge_fixture *fixture, const char *problem_path)
{
    struct problem problem = {0};
    struct error err;

    if (fixture->problem.file && strcmp(fixture->problem.file, problem_path) == 0)
        return;
    if (problem_load(&problem, problem_path, &err))
        fail_msg("%s", err.text);
    shrink(&problem);
    judge_fixture_load(fixture, problem.document, problem_path);
    problem_release(&problem);
}

void judge_fixture_skip_optimizer(struct candidate *candidate)
{
    struct json *plan = json_parse(candidate->plan, strlen(candidate->plan), NULL), *options;
    struct strbuf text = {0};

    if (plan && strcmp(candidate->language, "opencl") == 0) {
        options = json_array_new();
        for (const struct json *o = json_first(json_get(plan, "build")); o; o = json_next(o))
            json_push(options, json_dup(o));
        json_push(options, json_string_new("-cl-opt-disable"));
        json_put(plan, "build", options);
        json_print(plan, &text);
        free(candidate->plan);
        candidate->plan = strbuf_take(&text);
    }
    json_free(plan);
}

const char *judge_fixture_language(const struct judge_fixture *fixture)
{
    const struct device_info *device;
    const struct roofs *roofs;
    struct error err;

    if (judge_device(fixture->judge, &device, &roofs, &err))
        fail_msg("%s", err.text);
    return device->language;
}

void judge_fixture_close(struct judge_fixture *fixture)
{
    judge_free(fixture->judge);
    problem_release(&fixture->problem);
}

void judge_fixture_assert_correct(const struct judge_fixture *fixture,
                                  const struct candidate *candidate, const char *name)
{
    struct verdict verdict = {0};
    struct error err;

    if (judge_evaluate(fixture->judge, &(struct judge_request){.candidate = candidate}, &verdict,
                       &err))
        fail_msg("%s: %s", name, err.text);
    if (verdict.outcome != OUTCOME_CORRECT)
        fail_msg("%s: %s: %s\n%s\n%s", name, outcome_name(verdict.outcome), verdict.detail,
                 candidate->source, verdict.build.log ? verdict.build.log : "");
    verdict_release(&verdict);
}

const char *judge_fixture_build_option(void)
{
    const char *id = getenv("KFORGE_DEVICE");

    return id && strncmp(id, "opencl", 6) != 0 ? NULL : "-cl-opt-disable";
}

/* The name of PoCL's platform, which its version follows. */
static const char pocl[] = "Portable Computing Language";

/*
 * True if the name is the device's id or UUID, or a language that it takes; `other` is any OpenCL
 * but PoCL.
 */
static bool is_named(const struct device_info *device, const char *name)
{
    if (strcmp(name, "other") == 0)
        return strcmp(device->language, "opencl") == 0 && !strstr(device->platform, pocl);
    return strcmp(name, device->id) == 0 || device_info_takes(device, name) ||
           (device->uuid && strcmp(name, device->uuid) == 0);
}

bool judge_fixture_choose_device(const char *name)
{
    const char *executor[] = {getenv("KFORGE_WORKER"), "--executor", NULL};
    const struct judge_options options = {.executor = {.argv = executor}};
    struct judge *judge = judge_new(&options);
    struct device_list devices = {0};
    bool has = false;

    if (judge_probe(judge, &devices, NULL) == STATUS_OK)
        for (size_t i = 0; i < devices.count && !has; i++) {
            has = is_named(&devices.items[i], name);
            if (has)
                setenv("KFORGE_DEVICE", devices.items[i].id, 1);
        }
    device_list_release(&devices);
    judge_free(judge);
    return has;
}
