#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/judge/task/lint.h"
#include "core/judge/task/lint_cache.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"

/* A task to be linted: x and z are matrices, v is a vector, y is the output. */
struct task {
    const char *name;
    const char *x;         /* fill of x */
    const char *also_read; /* further input tensors */
    const char *y;         /* type and shape of y */
    const char *graph;
    const char *tolerance;
    const char *findings[6]; /* a finding's name, followed by a part of its evidence */
};

#define MATRIX                 "\"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]"
#define COLUMN                 "\"dtype\": \"f32\", \"shape\": [\"M\", 1]"
#define CENTRED                "{\"uniform\": [-1, 1]}"
#define POSITIVE               "{\"uniform\": [0.5, 1]}"
#define F32                    "{\"class\": \"f32\"}"
#define READ(name, type, fill) ", \"" name "\": {\"role\": \"param\", " type ", \"fill\": " fill "}"
#define NODE(op, in, out)      "{\"op\": \"" op "\", \"in\": [" in "], \"out\": \"" out "\"}"

static const struct task tasks[] = {
    {"a healthy task",
     CENTRED,
     READ("w", MATRIX, CENTRED),
     MATRIX,
     NODE("matmul", "\"x\", \"w\"", "t") "," NODE("relu", "\"t\"", "y"),
     F32,
     {NULL}},
    {"small values are no zeros",
     "{\"uniform\": [-1e-6, 1e-6]}",
     "",
     MATRIX,
     NODE("mul", "\"x\", 2", "y"),
     F32,
     {NULL}},
    {"a softmax is no constant",
     "{\"normal\": [0, 2]}",
     "",
     MATRIX,
     "{\"op\": \"softmax\", \"in\": [\"x\"], \"out\": \"y\", \"dim\": -1}",
     F32,
     {NULL}},
    {"a gate that is shut in some draws",
     CENTRED,
     READ("g", "\"dtype\": \"f32\", \"shape\": []", CENTRED),
     MATRIX,
     NODE("relu", "\"g\"", "r") "," NODE("mul", "\"x\", \"r\"", "y"),
     F32,
     {NULL}},
    {"the maximum less its mean",
     CENTRED,
     READ("w", MATRIX, CENTRED),
     COLUMN,
     NODE("matmul", "\"x\", \"w\"",
          "t") ","
               "{\"op\": \"max\", \"in\": [\"t\"], \"out\": \"m\", \"dim\": 1, \"keepdim\": true},"
               "{\"op\": \"mean\", \"in\": [\"m\"], \"out\": \"a\", \"dim\": 1, \"keepdim\": "
               "true}," NODE("sub", "\"m\", \"a\"", "s") "," NODE("gelu", "\"s\"", "y"),
     F32,
     {"ignored_input x: drawn anew", "ignored_input w: drawn anew", "zero_passes y",
      "idle_operation graph[2] mean: it never changes \"m\"",
      "idle_operation graph[3] sub: it is always 0"}},
    {"a row by its deviation, which is about 1",
     "{\"normal\": [0, 1]}",
     "",
     MATRIX,
     "{\"op\": \"var\", \"in\": [\"x\"], \"out\": \"v\", \"dim\": 1, \"keepdim\": true}," NODE(
         "rsqrt", "\"v\"", "r") "," NODE("mul", "\"x\", \"r\"", "y"),
     "{\"atol\": 0.3, \"rtol\": 0.3}",
     {"copy_passes y: a copy of x", "known_result graph[0] var: with "}},
    {"and within a narrow tolerance",
     "{\"normal\": [0, 1]}",
     "",
     MATRIX,
     "{\"op\": \"var\", \"in\": [\"x\"], \"out\": \"v\", \"dim\": 1, \"keepdim\": true}," NODE(
         "rsqrt", "\"v\"", "r") "," NODE("mul", "\"x\", \"r\"", "y"),
     F32,
     {NULL}},
    {"hardly more than a copy",
     CENTRED,
     READ("w", MATRIX, "{\"uniform\": [-1e-6, 1e-6]}"),
     MATRIX,
     NODE("add", "\"x\", \"w\"", "y"),
     "{\"atol\": 1e-4, \"rtol\": 1e-4}",
     {"ignored_input w: drawn anew", "copy_passes y: a copy of x is within tolerance"}},
    {"half of the elements",
     CENTRED,
     "",
     MATRIX,
     NODE("mul", "\"x\", 2", "y"),
     "{\"atol\": 1e-4, \"rtol\": 1e-4, \"matched\": 0.5}",
     {"partial_match tolerance: 50 % of the elements may be wrong"}},
    {"an output that wraps",
     "{\"uniform\": [1e5, 1e6]}",
     "",
     "\"dtype\": \"i32\", \"shape\": [\"M\", \"N\"]",
     "{\"op\": \"cast\", \"in\": [\"x\"], \"dtype\": \"i32\", \"out\": \"c\"}," NODE(
         "mul", "\"c\", \"c\"", "y"),
     F32,
     {"not_held y"}},
    {"hardly more than a constant",
     CENTRED,
     "",
     MATRIX,
     NODE("mul", "\"x\", 1e-7", "t") "," NODE("add", "\"t\", 3", "y"),
     F32,
     {"ignored_input x", "constant_passes y: the constant 3"}},
    {"zeros under an absolute tolerance",
     "{\"uniform\": [-1e-3, 1e-3]}",
     "",
     MATRIX,
     NODE("neg", "\"x\"", "y"),
     "{\"class\": \"mixed\", \"compat\": \"kernelbench\"}",
     {"ignored_input x", "zero_passes y"}},
    {"a few peaks",
     CENTRED,
     "",
     MATRIX,
     NODE("sub", "\"x\", 0.995", "t") "," NODE("relu", "\"t\"", "y"),
     F32,
     {"few_elements y: 0, zero, is right for 99."}},
    {"an operand without effect",
     POSITIVE,
     READ("w", MATRIX, CENTRED),
     MATRIX,
     NODE("mul", "\"w\", 1e-9", "t") "," NODE("add", "\"x\", \"t\"", "y"),
     F32,
     {"ignored_input w", "copy_passes y: a copy of x is within tolerance"}},
    {"a param that never varies",
     CENTRED,
     READ("w", MATRIX, "{\"constant\": 2}"),
     MATRIX,
     NODE("mul", "\"x\", \"w\"", "y"),
     F32,
     {"ignored_input w: it always holds 2"}},
    {"relu of what is positive",
     POSITIVE,
     "",
     MATRIX,
     NODE("relu", "\"x\"", "t") "," NODE("exp", "\"t\"", "y"),
     F32,
     {"idle_operation graph[0] relu: it never changes \"x\""}},
    {"a clamp that never clamps",
     CENTRED,
     "",
     MATRIX,
     "{\"op\": \"clamp\", \"in\": [\"x\"], \"out\": \"t\", \"min\": -2, \"max\": 2}," NODE(
         "exp", "\"t\"", "y"),
     F32,
     {"idle_operation graph[0] clamp: it never changes \"x\""}},
    {"shares that are summed up",
     CENTRED,
     "",
     MATRIX,
     "{\"op\": \"softmax\", \"in\": [\"x\"], \"out\": \"t\", \"dim\": 1},"
     "{\"op\": \"sum\", \"in\": [\"t\"], \"out\": \"s\", \"dim\": 1, \"keepdim\": true}," NODE(
         "mul", "\"s\", \"x\"", "y"),
     F32,
     {"copy_passes y: a copy of x", "idle_operation graph[1] sum: it is always 1"}},
    {"the mean of what has none",
     CENTRED,
     "",
     MATRIX,
     "{\"op\": \"mean\", \"in\": [\"x\"], \"out\": \"a\", \"dim\": 1, \"keepdim\": true}," NODE(
         "sub", "\"x\", \"a\"", "t") ",{\"op\": \"mean\", \"in\": [\"t\"], \"out\": \"b\", "
                                     "\"dim\": 1, \"keepdim\": true}," NODE("add", "\"x\", \"b\"",
                                                                            "y"),
     F32,
     {"copy_passes y: a copy of x", "idle_operation graph[2] mean: it is always 0"}},
    {"a difference from itself",
     CENTRED,
     "",
     MATRIX,
     NODE("sub", "\"x\", \"x\"", "t") "," NODE("add", "\"x\", \"t\"", "y"),
     F32,
     {"copy_passes y: a copy of x", "idle_operation graph[0] sub: it is always 0"}},
    {"an operation that the next one undoes",
     CENTRED,
     READ("w", MATRIX, CENTRED),
     MATRIX,
     NODE("mul", "\"x\", \"w\"", "p") "," NODE("add", "\"p\", 500", "t") "," NODE(
         "sub", "\"t\", 500", "s") "," NODE("exp", "\"s\"", "y"),
     F32,
     {"idle_operation graph[2] sub: it gives back \"p\""}},
    {"an operation that later ones undo but for its lower end",
     CENTRED,
     "",
     MATRIX,
     NODE("add", "\"x\", 5", "t") ",{\"op\": \"clamp\", \"in\": [\"t\"], \"out\": \"c\", "
                                  "\"min\": 4.01}," NODE("sub", "\"c\", 5", "y"),
     F32,
     {NULL}},
    {"a function that is saturated",
     POSITIVE,
     READ("w", MATRIX, CENTRED),
     MATRIX,
     NODE("mul", "\"x\", 100", "t") "," NODE("tanh", "\"t\"", "s") "," NODE("mul", "\"s\", \"w\"",
                                                                            "y"),
     F32,
     {"ignored_input x: drawn anew", "copy_passes y: a copy of w",
      "idle_operation graph[1] tanh: it is always 1"}},
    {"a function that is hardly saturated",
     CENTRED,
     "",
     MATRIX,
     NODE("mul", "\"x\", 4", "t") "," NODE("tanh", "\"t\"", "y"),
     F32,
     {NULL}},
    {"a clamp that always clamps",
     POSITIVE,
     READ("w", MATRIX, CENTRED),
     MATRIX,
     "{\"op\": \"clamp\", \"in\": [\"x\"], \"out\": \"t\", \"max\": 0.25}," NODE(
         "add", "\"t\", \"w\"", "y"),
     F32,
     {"ignored_input x", "idle_operation graph[0] clamp: it is always 0.25"}},
};

static void read_task(const struct task *task, struct problem *problem)
{
    struct strbuf text = {0};
    struct error err = {0};

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {\"M\": 64, \"N\": "
                "64}, \"tensors\": {\"x\": {\"role\": \"input\", " MATRIX
                ", \"fill\": %s}%s, \"y\": {\"role\": \"output\", %s}}, \"graph\": [%s], "
                "\"tolerance\": %s}",
                task->x, task->also_read, task->y, task->graph, task->tolerance);
    if (problem_parse(problem, strbuf_cstr(&text), text.len, task->name, &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

static void check_findings(const struct task *task, const struct hazard_list *findings)
{
    size_t count = 0;

    while (task->findings[count])
        count++;
    for (size_t i = 0; i < findings->count; i++) {
        struct strbuf said = {0};

        strbuf_addf(&said, "%s %s", findings->items[i].name, findings->items[i].evidence);
        if (i >= count)
            fail_msg("%s: also found %s", task->name, strbuf_cstr(&said));
        if (strncmp(strbuf_cstr(&said), task->findings[i], strlen(task->findings[i])) != 0)
            fail_msg("%s: expected %s, found %s", task->name, task->findings[i],
                     strbuf_cstr(&said));
        strbuf_release(&said);
    }
    if (findings->count < count)
        fail_msg("%s: nothing said of %s", task->name, task->findings[findings->count]);
}

static void each_task_has_its_findings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(tasks) / sizeof(*tasks); i++) {
        struct problem problem = {0};
        struct hazard_list findings = {0};

        read_task(&tasks[i], &problem);
        assert_int_equal(lint_problem(&problem, NULL, &findings, NULL), STATUS_OK);
        check_findings(&tasks[i], &findings);
        hazard_list_release(&findings);
        problem_release(&problem);
    }
}

/*
 * Twelve params that change nothing, in a model whose evaluations are 4.8e8 operations each: the
 * limit is reached before the last of them is suspected.
 */
static void a_large_model_is_linted_in_part(void **state)
{
    enum { PARAMS = 12 };
    struct strbuf text = {0}, graph = {0};
    struct problem problem = {0};
    struct hazard_list findings = {0};
    struct error err;
    size_t ignored = 0;

    (void)state;
    strbuf_adds(&text,
                "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, \"tensors\": {"
                "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [620, 620], "
                "\"fill\": " CENTRED "}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", "
                "\"shape\": [620, 620]}");
    strbuf_adds(&graph, NODE("matmul", "\"x\", \"x\"", "t0"));
    for (int i = 0; i < PARAMS; i++) {
        strbuf_addf(&text,
                    ", \"p%d\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [620], "
                    "\"fill\": {\"uniform\": [1e-8, 2e-8]}}",
                    i);
        strbuf_addf(&graph, ", {\"op\": \"add\", \"in\": [\"t%d\", \"p%d\"], \"out\": \"t%d\"}", i,
                    i, i + 1);
    }
    strbuf_addf(&graph, ", {\"op\": \"relu\", \"in\": [\"t%d\"], \"out\": \"y\"}", PARAMS);
    strbuf_addf(&text, "}, \"graph\": [%s], \"tolerance\": " F32 "}", strbuf_cstr(&graph));
    if (problem_parse(&problem, strbuf_cstr(&text), text.len, "p.json", &err) ||
        lint_problem(&problem, NULL, &findings, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < findings.count; i++)
        ignored += strcmp(findings.items[i].name, "ignored_input") == 0;
    assert_in_range(ignored, 1, PARAMS - 1);
    hazard_list_release(&findings);
    problem_release(&problem);
    strbuf_release(&graph);
    strbuf_release(&text);
}

static void an_unknown_graph_cannot_be_linted(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {\"M\": 8, \"N\": 8},"
        " \"tensors\": {\"y\": {\"role\": \"output\", " MATRIX "}}, \"graph\": null,"
        " \"tolerance\": {\"class\": \"f32\"}}";
    struct problem problem = {0};
    struct hazard_list findings = {0};
    struct error err = {0};

    (void)state;
    if (problem_parse(&problem, text, strlen(text), "p.json", &err))
        fail_msg("%s", err.text);
    assert_int_equal(lint_problem(&problem, NULL, &findings, &err), STATUS_INVALID);
    assert_int_equal(findings.count, 0);
    problem_release(&problem);
}

/* The second call reads the cache: the findings for a text are returned whatever the problem. */
static void findings_are_cached(void **state)
{
    const struct task *task = &tasks[0], *other = &tasks[0];
    struct problem problem = {0}, another = {0};
    struct hazard_list first = {0}, second = {0};
    char folder[] = "/tmp/kforge-lint-XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    while (!task->findings[0])
        task++;
    read_task(task, &problem);
    read_task(other, &another);
    assert_int_equal(lint_cache_recall(&problem, NULL, "its text", &first, NULL), STATUS_OK);
    check_findings(task, &first);
    assert_int_equal(lint_cache_recall(&another, NULL, "its text", &second, NULL), STATUS_OK);
    check_findings(task, &second);
    hazard_list_release(&second);
    assert_int_equal(lint_cache_recall(&another, NULL, "another text", &second, NULL), STATUS_OK);
    assert_int_equal(second.count, 0);
    hazard_list_release(&first);
    problem_release(&problem);
    problem_release(&another);
    file_remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_model_is_linted_in_part),
        cmocka_unit_test(each_task_has_its_findings),
        cmocka_unit_test(an_unknown_graph_cannot_be_linted),
        cmocka_unit_test(findings_are_cached),
    };

    return cmocka_run_group_tests_name("lint", tests, NULL, NULL);
}
