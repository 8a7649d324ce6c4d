/* The judge takes expected outputs from the oracle on the device, and from the CPU if that fails.
 */
#include "tests/unit/unit.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/codegen/plain.h"
#include "core/judge/device_oracle/device_oracle.h"
#include "core/judge/judge.h"
#include "core/model/problem_reader.h"
#include "tests/contract/judge_fixture.h"

static struct device_oracle *device;

static const char *executor_argv[] = {NULL, "--executor", NULL};

static const char tanh_problem[] =
    "{\"kforge\": 1, \"name\": \"tanh\", \"summary\": \"\", \"dims\": {\"N\": 100},"
    " \"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"N\"],"
    "                   \"fill\": {\"normal\": [0, 1]}},"
    "             \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"N\"]}},"
    " \"graph\": [{\"op\": \"tanh\", \"in\": [\"x\"], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

static void on_nothing(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    (void)progress;
}

/* The outcome of the plain kernel for tanh, whose text "tanh" is replaced by `function`. */
static enum outcome judge_tanh(struct judge *judge, const char *function)
{
    struct problem problem = {0};
    struct candidate candidate = {0};
    struct verdict verdict = {0};
    const struct device_info *opened;
    const struct roofs *roofs;
    enum outcome outcome;
    struct error err;
    char *at;

    if (problem_parse(&problem, tanh_problem, strlen(tanh_problem), "p.json", &err) ||
        judge_device(judge, &opened, &roofs, &err) ||
        plain_candidate(&problem, &(struct plain_target){opened->language, false}, &candidate,
                        &err))
        fail_msg("%s", err.text);
    at = strstr(candidate.source, "tanh(");
    assert_non_null(at);
    for (size_t i = 0; function[i]; i++)
        at[i] = function[i];
    if (judge_evaluate(judge, &(struct judge_request){.candidate = &candidate}, &verdict, &err))
        fail_msg("%s", err.text);
    outcome = verdict.outcome;
    verdict_release(&verdict);
    candidate_release(&candidate);
    problem_release(&problem);
    return outcome;
}

static struct judge *judge_with(const char *oracle_build, double compares_bytes)
{
    const struct judge_options options = {
        .executor = {.argv = executor_argv,
                     .device = getenv("KFORGE_DEVICE"),
                     .build_limit_us = 120000000,
                     .run_limit_us = 60000000},
        .tune = {.choices = 1},
        .oracle = ORACLE_ON_DEVICE,
        .oracle_build = oracle_build,
        .oracle_compares_bytes = compares_bytes,
        .trials = 1,
        .precision = 1,
        .timing_budget_us = 1000,
        .without_baselines = true,
        .progress = on_nothing,
    };
    struct judge *judge = judge_new(&options);
    struct error err;

    if (judge_load(judge, tanh_problem, strlen(tanh_problem), "p.json", &err))
        fail_msg("%s", err.text);
    return judge;
}

/* The number of child processes of all threads of this process. */
static size_t count_children(void)
{
    size_t count = 0;
    glob_t found;

    assert_int_equal(glob("/proc/self/task/*/children", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "r");

        for (int c; file && (c = fgetc(file)) != EOF;)
            count += c == ' '; /* one follows each number */
        if (file)
            fclose(file);
    }
    globfree(&found);
    return count;
}

static void assert_judges(struct judge *judge)
{
    assert_int_equal(judge_tanh(judge, "tanh("), OUTCOME_CORRECT);
    assert_int_equal(judge_tanh(judge, "sinh("), OUTCOME_WRONG_VALUES);
}

/* The judge starts an executor for candidates, and one for the oracle. */
static void judges_by_it(void **state)
{
    size_t before = count_children();
    struct judge *judge = judge_with(judge_fixture_build_option(), 0);

    (void)state;
    assert_judges(judge);
    assert_int_equal(count_children(), before + 2);
    judge_free(judge);
}

/* The outputs are compared on the device, and their expected values never leave it. */
static void judges_where_it_compares(void **state)
{
    struct judge *judge = judge_with(judge_fixture_build_option(), 1);

    (void)state;
    assert_judges(judge);
    judge_free(judge);
}

/* The CPU computes if the device's compiler refuses the oracle. */
static void falls_back(void **state)
{
    struct judge *judge = judge_with("-Dlimit=+", 0);

    (void)state;
    assert_judges(judge);
    judge_free(judge);
}

struct counted {
    unsigned calls;
    bool fails;
};

static enum status expect_counted(void *data, const struct problem *problem,
                                  const struct graph *graph, struct expectation *made,
                                  struct error *err)
{
    struct counted *counted = data;

    counted->calls++;
    return counted->fails ? error_set(err, STATUS_UNAVAILABLE, "no device")
                          : device_oracle_expect(device, problem, graph, made, err);
}

/* Drawn data of a problem of few elements are tried several times (varied_data_times()). */
enum { MORE_OF_FEW = 3 };

/* Every expectation without a variation is made by the device, and by the CPU where that fails. */
static void makes_expectations(void **state)
{
    struct problem problem = {0};
    struct error err;

    (void)state;
    if (problem_parse(&problem, tanh_problem, strlen(tanh_problem), "p.json", &err))
        fail_msg("%s", err.text);
    for (int fails = 0; fails < 2; fails++) {
        struct counted counted = {0, fails};
        const struct expectations_options options = {
            .problem = &problem,
            .trials = 2,
            .device = {.expect = expect_counted, .data = &counted, .takes_small = true}};
        const struct expectation *made = NULL;
        struct expectations *all;

        if (expectations_new(&options, &all, &err) || expectations_start(all, &err) ||
            expectations_take(all, EXPECTATIONS_MAIN, 0, &made, &err))
            fail_msg("%s", err.text);
        assert_non_null(made->outputs[1].allowed);
        expectations_settle(all);
        assert_int_equal(counted.calls, options.trials + MORE_OF_FEW + EXPECTATIONS_SECRETS);
        expectations_free(all);
        device_oracle_rest(device);
    }
    problem_release(&problem);
}

/* A program whose build takes too long is not built again for the next expectation. */
static void builds_no_slow_program_again(void **state)
{
    const struct device_oracle_options options = {.executor = {.argv = executor_argv,
                                                               .device = getenv("KFORGE_DEVICE"),
                                                               .build_limit_us = 1,
                                                               .run_limit_us = 60000000}};
    struct device_oracle *hurried = device_oracle_new(&options);
    struct expectation made = {.param_seed = 3, .input_seed = 4};
    struct problem problem = {0};
    struct binding bindings[1];
    struct scope scope;
    struct graph graph = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(problem_parse(&problem, tanh_problem, strlen(tanh_problem), "p.json", &err),
                     STATUS_OK);
    scope = problem_scope(&problem, 0, bindings);
    assert_int_equal(graph_build(&graph, &problem, &scope, &err), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(device_oracle_expect(hurried, &problem, &graph, &made, &err),
                         STATUS_TIMEOUT);
        assert_int_equal(strstr(err.text, "the build took longer") == NULL, i);
    }
    device_oracle_free(hurried);
    graph_release(&graph);
    problem_release(&problem);
}

int main(void)
{
    const struct device_oracle_options options = {.executor = {.argv = executor_argv,
                                                               .device = getenv("KFORGE_DEVICE"),
                                                               .build_limit_us = 120000000,
                                                               .run_limit_us = 60000000},
                                                  .build = judge_fixture_build_option()};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_by_it),
        cmocka_unit_test(judges_where_it_compares),
        cmocka_unit_test(falls_back),
        cmocka_unit_test(makes_expectations),
        cmocka_unit_test(builds_no_slow_program_again),
    };
    int failed;

    executor_argv[0] = getenv("KFORGE_WORKER");
    signal(SIGPIPE, SIG_IGN);
    device = device_oracle_new(&options);
    failed = cmocka_run_group_tests_name("judge_oracle", tests, NULL, NULL);
    device_oracle_free(device);
    return failed;
}
