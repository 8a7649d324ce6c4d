/*
 * Every way in which a candidate can end, through the real worker program and
 * the real device.  The argument is the path of kforge-worker.
 */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/judge/judge.h"

/* y = 2 x, at dimensions that change. */
static const char problem_text[] =
    "{\"kforge\": 1, \"name\": \"twice\", \"summary\": \"Twice a vector.\","
    " \"dims\": {\"N\": 5000}, \"dynamic\": [\"N\"], \"also\": [{\"N\": 1}, {\"N\": 77}],"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"N\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"N\"]}},"
    " \"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 2], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

#define KERNEL(body)                                                        \
    "__kernel void twice(__global float *x, __global float *y, int N)\n{\n" \
    "    int i = get_global_id(0);\n" body "\n}\n"

#define PLAN                                                                                 \
    "{\"launches\": [{\"kernel\": \"twice\", \"global\": [\"N\"], \"args\": [\"x\", \"y\", " \
    "\"N\"]}]}"

struct ending {
    const char *name;
    const char *source, *plan;
    enum outcome outcome;
    const char *says; /* part of the detail */
};

static const struct ending endings[] = {
    {"honest", KERNEL("y[i] = 2 * x[i];"), PLAN, OUTCOME_CORRECT, "over reference"},
    {"does not compile", KERNEL("y[i] = 2 * z[i];"), PLAN, OUTCOME_BUILD_FAILED, "line 4"},
    {"wrong", KERNEL("y[i] = 2 * x[i] + (i == 3 ? 0.1f : 0);"), PLAN, OUTCOME_WRONG_VALUES,
     "y: 1 of"},
    {"writes nothing", KERNEL("(void)x;"), PLAN, OUTCOME_WRONG_VALUES, "elements off"},
    {"right at the main size only", KERNEL("y[i] = N == 5000 ? 2 * x[i] : 0;"), PLAN,
     OUTCOME_WRONG_VALUES, "N="},
    {"writes behind the output", KERNEL("y[i] = 2 * x[i]; y[N] = 1;"), PLAN, OUTCOME_OUT_OF_BOUNDS,
     "behind"},
    {"writes before the output", KERNEL("y[i] = 2 * x[i]; y[-1] = 1;"), PLAN, OUTCOME_OUT_OF_BOUNDS,
     "before"},
    {"changes its input", KERNEL("y[i] = 2 * x[i]; x[i] = 0;"), PLAN, OUTCOME_CHANGED_INPUTS, "x"},
    {"crashes", KERNEL("*(volatile __global int *)(size_t)16 = i;"), PLAN, OUTCOME_CRASHED,
     "egmentation"},
    {"hangs", KERNEL("volatile __global float *v = y; while (1) v[0] = x[0];"), PLAN,
     OUTCOME_TIMED_OUT, "longer than"},
    {"another name", KERNEL("y[i] = 2 * x[i];"),
     "{\"launches\": [{\"kernel\": \"thrice\", \"global\": [\"N\"], \"args\": [\"x\", \"y\"]}]}",
     OUTCOME_LAUNCH_FAILED, "thrice"},
    {"an argument too few", KERNEL("y[i] = 2 * x[i];"),
     "{\"launches\": [{\"kernel\": \"twice\", \"global\": [\"N\"], \"args\": [\"x\", \"y\"]}]}",
     OUTCOME_LAUNCH_FAILED, "twice"},
    {"an unknown argument", KERNEL("y[i] = 2 * x[i];"),
     "{\"launches\": [{\"kernel\": \"twice\", \"global\": [\"N\"], \"args\": [\"w\"]}]}",
     OUTCOME_BAD_PLAN, "\"w\""},
    {"more memory than there is", KERNEL("y[i] = 2 * x[i];"),
     "{\"scratch\": {\"s\": {\"dtype\": \"f32\", \"shape\": [2000000000]},"
     " \"t\": {\"dtype\": \"f32\", \"shape\": [2000000000]}},"
     " \"launches\": [{\"kernel\": \"twice\", \"global\": [\"N\"], \"args\": [\"x\", \"y\", "
     "\"N\"]}]}",
     OUTCOME_BAD_PLAN, "bytes"},
};

static void hear_nothing(void *data, const struct judge_progress *progress)
{
    (void)data;
    (void)progress;
}

static int start_judge(void **state)
{
    static const char *executor[] = {NULL, "--executor", NULL};
    struct judge_options options = {
        .executor = {.argv = executor, .build_limit_us = 60000000, .run_limit_us = 2000000},
        .trials = 3,
        .unseen = 1,
        .precision = 0.05,
        .timing_budget_us = 200000,
        .progress = hear_nothing,
    };
    struct judge *judge;
    struct error err;

    executor[0] = getenv("KFORGE_WORKER");
    signal(SIGPIPE, SIG_IGN);
    judge = judge_new(&options);
    if (judge_load(judge, problem_text, strlen(problem_text), "twice.json", &err))
        fail_msg("%s", err.text);
    *state = judge;
    return 0;
}

static int end_judge(void **state)
{
    judge_free(*state);
    return 0;
}

static void evaluate(struct judge *judge, const struct ending *ending, struct verdict *verdict)
{
    char language[] = "opencl", remark[] = "";
    struct candidate candidate = {.language = language,
                                  .source = strdup(ending->source),
                                  .plan = strdup(ending->plan),
                                  .remark = remark};
    struct error err;

    if (judge_evaluate(judge, &candidate, NULL, verdict, &err))
        fail_msg("%s: %s", ending->name, err.text);
    free(candidate.source);
    free(candidate.plan);
}

/* Each ends as it should, and the next one is judged all the same. */
static void every_ending_has_its_verdict(void **state)
{
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        struct verdict verdict = {0};

        evaluate(*state, &endings[i], &verdict);
        if (verdict.outcome != endings[i].outcome || !strstr(verdict.detail, endings[i].says))
            fail_msg("%s: %s: %s", endings[i].name, outcome_name(verdict.outcome), verdict.detail);
        verdict_release(&verdict);
    }
}

static void a_correct_verdict_has_all_its_parts(void **state)
{
    struct verdict v = {0};

    evaluate(*state, &endings[0], &v);
    assert_int_equal(v.outcome, OUTCOME_CORRECT);
    assert_true(v.build.is_present);
    assert_int_equal(v.trials.count, 3 + 2 + 1); /* main, also, unseen */
    assert_true(v.timing.is_present && v.timing.runs >= 15);
    assert_true(v.timing.time.low_us <= v.timing.time.median_us);
    assert_true(v.timing.time.median_us <= v.timing.time.high_us);
    assert_non_null(verdict_against(&v, "reference"));
    assert_non_null(verdict_against(&v, "library"));
    assert_true(v.bound.is_present && v.bound.fraction > 0);
    assert_int_equal(strlen(v.where.source_sha256), 64);
    verdict_release(&v);
}

static void the_best_is_timed_in_turn(void **state)
{
    char language[] = "opencl", remark[] = "", plan[] = PLAN;
    char fast[] = KERNEL("y[i] = 2 * x[i];");
    char slow[] = KERNEL("float s = 0; for (int k = 0; k < 300; k++) s += sin(x[i] + k);\n"
                         "    y[i] = s > 1e30f ? s : 2 * x[i];");
    struct candidate best = {.language = language, .source = slow, .plan = plan, .remark = remark};
    struct candidate own = {.language = language, .source = fast, .plan = plan, .remark = remark};
    struct verdict v = {0};
    struct error err;

    if (judge_evaluate(*state, &own, &best, &v, &err))
        fail_msg("%s", err.text);
    assert_non_null(verdict_against(&v, "best"));
    assert_true(verdict_against(&v, "best")->speedup_low > 2);
    verdict_release(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ending_has_its_verdict),
        cmocka_unit_test(a_correct_verdict_has_all_its_parts),
        cmocka_unit_test(the_best_is_timed_in_turn),
    };

    return cmocka_run_group_tests_name("judge", tests, start_judge, end_judge);
}
