/*
 * Judges models in KernelBench's form through the bridge to PyTorch. The bridge describes each
 * model as a graph. For a complete graph, the oracle must give PyTorch's own double precision
 * results, and the graph's plain kernels must be judged correct. For a graph with unknown
 * operations, the problem must name these, and PyTorch computes the expected values. Skipped
 * without PyTorch. Usage: test_torch MODEL.py...
 */
#include "tests/unit/unit.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/codegen/plain.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"
#include "tests/contract/judge_fixture.h"

enum { SKIPPED = 77, MODEL_MAX_BYTES = 1 << 20, MODELS_MAX = 64 };

/* Both sides are double precision: only the order of additions differs. */
static const double agreement = 1e-9;

static struct bridge *bridge;
static struct judge_fixture fixture;

static void read_model(const char *path, struct strbuf *text)
{
    struct error err;

    if (file_read(path, MODEL_MAX_BYTES, text, &err))
        fail_msg("%s", err.text);
}

static void describe(const char *path, struct problem *problem)
{
    struct strbuf model = {0}, text = {0};
    struct json *document = NULL;
    struct error err;

    read_model(path, &model);
    if (bridge_open(bridge, &(struct model_source){strbuf_cstr(&model), path, "f32"}, &document,
                    &err))
        fail_msg("%s", err.text);
    json_print(document, &text);
    if (problem_parse(problem, strbuf_cstr(&text), text.len, path, &err))
        fail_msg("%s\n%s", err.text, strbuf_cstr(&text));
    json_free(document);
    strbuf_release(&text);
    strbuf_release(&model);
}

static double distance(const double *a, const double *b, size_t count)
{
    double apart = 0, size = 0;

    for (size_t i = 0; i < count; i++) {
        apart += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(apart / (size > 0 ? size : 1));
}

static void compare(const struct graph *graph, const struct oracle_values *own,
                    const struct oracle_values *theirs)
{
    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        double apart;

        if (value->role != TENSOR_OUTPUT)
            continue;
        apart = distance(own->items[i], theirs->items[i], (size_t)shape_elements(&value->shape));
        if (!(apart <= agreement))
            fail_msg("%s is off by %.3g", value->name, apart);
    }
}

static void draw(const struct graph *graph, struct oracle_values *values)
{
    *values = oracle_values_make(graph);
    for (size_t i = 0; i < graph->values.count; i++)
        if (graph->values.items[i].role <= TENSOR_PARAM)
            oracle_draw(graph, i, 11, values);
}

static void agrees_with_oracle(const struct problem *problem)
{
    struct binding bindings[1];
    struct scope scope = problem_scope(problem, 0, bindings);
    struct oracle_values own = {0}, theirs = {0};
    struct graph graph = {0};
    struct error err = {0};

    assert_int_equal(graph_build(&graph, problem, &scope, &err), STATUS_OK);
    draw(&graph, &own);
    draw(&graph, &theirs);
    if (bridge_evaluate(bridge, &graph, &theirs, &err) || oracle_evaluate(&graph, &own, &err))
        fail_msg("%s", err.text);
    assert_false(bridge_is_coarse(bridge));
    compare(&graph, &own, &theirs);
    oracle_values_release(&own);
    oracle_values_release(&theirs);
    graph_release(&graph);
}

static void plain_kernel_is_correct(const char *path)
{
    struct candidate candidate = {0};
    struct error err;

    if (plain_candidate(&fixture.problem,
                        &(struct plain_target){judge_fixture_language(&fixture), false}, &candidate,
                        &err))
        fail_msg("%s", err.text);
    judge_fixture_skip_optimizer(&candidate);
    judge_fixture_assert_correct(&fixture, &candidate, path);
    candidate_release(&candidate);
}

/*
 * The bridge reports unknown operations; the first line of its report begins with a place in the
 * model's file.
 */
static void says_what_is_missing(const struct problem *problem, const char *path)
{
    const char *first = json_string(json_first(problem->torch.unknown), "");

    assert_int_equal(problem->nodes.count, 0);
    if (strncmp(first, path, strlen(path)) != 0 || first[strlen(path)] != ':')
        fail_msg("expected a place in %s, found \"%s\"", path, first);
}

static void holds(void **state)
{
    const char *path = *state;
    struct problem problem = {0};
    struct error err;

    describe(path, &problem);
    if (bridge_attach(bridge, NULL, &problem, &err))
        fail_msg("%s", err.text);
    if (problem.nodes.count)
        agrees_with_oracle(&problem);
    else
        says_what_is_missing(&problem, path);
    judge_fixture_load(&fixture, problem.document, path);
    if (problem.nodes.count)
        plain_kernel_is_correct(path);
    problem_release(&problem);
}

static bool has_torch(void)
{
    const struct model_source source = {"import torch\n"
                                        "class Model(torch.nn.Module):\n"
                                        "    def forward(self, x): return x + 1\n"
                                        "def get_inputs(): return [torch.rand(4)]\n"
                                        "def get_init_inputs(): return []\n",
                                        "probe.py", "f32"};
    struct error err = {0};
    enum status st = bridge_open(bridge, &source, NULL, &err);

    if (st)
        fprintf(stderr, "%s\n", err.text);
    return st != STATUS_UNAVAILABLE;
}

int main(int argc, char **argv)
{
    static const char script[] = KFORGE_SOURCE_DIR "/backends/torch/bridge.py";
    const char *const bridge_argv[] = {
        getenv("KFORGE_WORKER"), "--contained", getenv("KFORGE_PYTHON"), "-B", script, NULL};
    struct CMUnitTest tests[MODELS_MAX] = {{0}};
    size_t count = 0;
    int failed = SKIPPED;

    signal(SIGPIPE, SIG_IGN);
    bridge = bridge_new(&(struct bridge_options){.argv = bridge_argv, .limit_us = 60000000});
    for (int i = 1; i < argc && count < MODELS_MAX; i++)
        tests[count++] = (struct CMUnitTest){argv[i], holds, NULL, NULL, argv[i]};
    if (has_torch())
        failed = _cmocka_run_group_tests("torch", tests, count, NULL, NULL);
    judge_fixture_close(&fixture);
    bridge_free(bridge);
    return failed;
}
