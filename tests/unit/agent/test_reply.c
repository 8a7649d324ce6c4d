#include "tests/unit/unit.h"

#include <string.h>

#include "core/agent/reply/reply.h"
#include "core/agent/reply/reply_derive.h"
#include "core/base/mem.h"
#include "core/model/graph.h"
#include "core/model/plan/plan.h"
#include "core/model/problem_reader.h"

static void kernel_plan_and_remark_are_taken_apart(void **state)
{
    static const char reply[] = "Tiled, with **local** memory.\n\n```OpenCL\n__kernel void f() {}\n"
                                "```\nAnd how to launch it:\n~~~json\n{}\n~~~\n\nGood luck!\n";
    struct candidate c = {0};

    (void)state;
    assert_int_equal(reply_parse(reply, "opencl", &c, NULL), STATUS_OK);
    assert_string_equal(c.language, "opencl");
    assert_string_equal(c.source, "__kernel void f() {}\n");
    assert_string_equal(c.plan, "{}\n");
    assert_string_equal(c.remark,
                        "Tiled, with **local** memory.\n\nAnd how to launch it:\n\nGood luck!");
    candidate_release(&c);
}

static void the_plan_may_come_first(void **state)
{
    struct candidate c = {0};

    (void)state;
    assert_int_equal(reply_parse("```json\r\n{\r\n}\r\n```\r\n``` c\r\nint a;\r\n```\r\nb\r\n",
                                 "opencl", &c, NULL),
                     STATUS_OK);
    assert_string_equal(c.source, "int a;\n");
    assert_string_equal(c.plan, "{\n}\n");
    assert_string_equal(c.remark, "b");
    candidate_release(&c);
}

static void what_is_wrong_can_be_sent_back(void **state)
{
    static const struct {
        const char *reply, *message;
    } cases[] = {
        {"I cannot help with that.",
         "kernel: there is no fenced block marked \"opencl\", expected exactly one"},
        {"```opencl\na\n```\n",
         "launch plan: there is no fenced block marked \"json\", expected exactly one"},
        {"```opencl\na\n```\n```c\nb\n```\n```json\n{}\n```",
         "kernel: there are 2 fenced blocks marked \"opencl\", the first at line 1 and the last at "
         "line 4, expected exactly one"},
        {"```opencl\n \n```\n```json\n{}\n```", "kernel: the fenced block at line 1 is empty"},
        {"```opencl\na\n```\n```json\n{\n", "kernel: the fenced block that begins at line 4 has "
                                            "no end: was the text cut off?"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct candidate c = {0};
        struct error err = {0};

        assert_int_equal(reply_parse(cases[i].reply, "opencl", &c, &err), STATUS_INVALID);
        assert_string_equal(err.text, cases[i].message);
        assert_null(c.source);
    }
}

static void another_language_has_its_own_mark(void **state)
{
    struct candidate c = {0};

    (void)state;
    assert_int_equal(reply_parse("```c\na\n```\n```json\n{}\n```", "cuda", &c, NULL),
                     STATUS_INVALID);
    assert_int_equal(reply_parse("```cuda\na\n```\n```json\n{}\n```", "cuda", &c, NULL), STATUS_OK);
    candidate_release(&c);
}

/* A fence with the name of another language is a candidate in that one; several are none. */
static void a_candidate_names_its_own_language(void **state)
{
    const char *other = "```cuda\na\n```\n```json\n{}\n```";
    struct candidate c = {0};

    (void)state;
    assert_int_equal(reply_parse(other, "opencl", &c, NULL), STATUS_OK);
    assert_string_equal(c.language, "cuda");
    assert_string_equal(reply_language(other, "opencl"), "cuda");
    assert_string_equal(reply_language("no kernel", "opencl"), "opencl");
    candidate_release(&c);
    assert_int_equal(
        reply_parse("```c\nb\n```\n```cuda\na\n```\n```json\n{}\n```", "opencl", &c, NULL),
        STATUS_OK);
    assert_string_equal(c.language, "opencl");
    candidate_release(&c);
    assert_int_equal(
        reply_parse("```opencl\nb\n```\n```cuda\na\n```\n```json\n{}\n```", "brook", &c, NULL),
        STATUS_INVALID);
}

/*
 * reply_format() and reply_parse() must keep every character, because an engineer edits the text in
 * between. Fences inside code are the hardest case.
 */
static void format_and_parse_are_opposites(void **state)
{
    struct candidate c = {.language = mem_strdup("opencl"),
                          .source = mem_strdup("/*\n```\n````\n*/\n"),
                          .plan = mem_strdup("{\"launches\": []}\n"),
                          .remark = mem_strdup("    ~~~ in code\n\ntext")};
    struct candidate read = {0};
    struct strbuf text = {0};

    (void)state;
    reply_format(&c, &text);
    assert_int_equal(reply_parse(strbuf_cstr(&text), "opencl", &read, NULL), STATUS_OK);
    assert_string_equal(read.source, c.source);
    assert_string_equal(read.plan, c.plan);
    assert_string_equal(read.remark, c.remark);
    strbuf_release(&text);
    candidate_release(&c);
    candidate_release(&read);
}

static void expect_title(const char *remark, const char *title)
{
    struct candidate c = {.remark = mem_strdup(remark)};
    struct strbuf text = {0};

    reply_title(&c, "a kernel", &text);
    assert_string_equal(strbuf_cstr(&text), title);
    strbuf_release(&text);
    candidate_release(&c);
}

static void titles_are_the_first_words(void **state)
{
    (void)state;
    expect_title("Tiled by 16.\nMore.", "Tiled by 16");
    expect_title("\n## **Tiled** kernel:\n", "Tiled** kernel");
    expect_title("", "a kernel");
    expect_title(" ** \n", "a kernel");
    expect_title("The tile of the weights stays in registers while the activations stream by",
                 "The tile of the weights stays in registers while the");
    expect_title(
        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4x\xc3\xa4",
        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4x");
    expect_title("red \x1b[31m text", "red <U+001B>[31m text");
}

static const char problem_text[] =
    "{\"kforge\": 1, \"name\": \"relu\", \"summary\": \"y = max(x, 0).\","
    " \"dims\": {\"M\": 30, \"N\": 64},"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]}},"
    " \"graph\": [{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

static int read_problem(void **state)
{
    struct problem *problem = mem_alloc_zeroed(1, sizeof(*problem));

    *state = problem;
    return (int)problem_parse(problem, problem_text, strlen(problem_text), "relu.json", NULL);
}

static int free_problem(void **state)
{
    problem_release(*state);
    free(*state);
    return 0;
}

static void resolve(const struct problem *problem, const char *plan_text, struct dispatch *dispatch)
{
    struct binding bindings[2];
    struct scope dims = problem_scope(problem, 0, bindings);
    struct scope scope = {.outer = &dims};
    struct graph graph = {0};
    struct plan plan = {0};
    struct error err = {0};

    assert_int_equal(graph_build(&graph, problem, &dims, NULL), STATUS_OK);
    if (plan_parse(&plan, plan_text, strlen(plan_text), &err) ||
        plan_resolve(&plan, &graph, &scope, dispatch, &err))
        fail_msg("%s", err.text);
    plan_release(&plan);
    graph_release(&graph);
}

static void a_plain_kernel_has_its_plan(void **state)
{
    static const char reply[] =
        "Simple.\n```opencl\n#define kernel_like __kernel\n/* __kernel void g() */\n"
        "__kernel void relu(__global const float *restrict x, __global float* y, const int N,\n"
        "                   uint M) {\n"
        "  size_t i = get_global_id(0); // get_local_id\n"
        "  y[i] = max(x[i], 0.0f);\n}\n```\n";
    struct strbuf completed = {0};
    struct candidate c = {0};
    struct dispatch d = {0};
    struct launch launch = {0};
    struct error err = {0};

    if (reply_derive_plan(reply, "opencl", *state, &completed, &err))
        fail_msg("%s", err.text);
    assert_int_equal(reply_parse(strbuf_cstr(&completed), "opencl", &c, NULL), STATUS_OK);
    assert_string_equal(c.remark, "Simple.\n\nThere was no launch plan. This one follows from the "
                                  "kernel, with one work-item for each element of y.");
    resolve(*state, c.plan, &d);
    if (d.launches.count == 1)
        launch = *d.launches.items;
    assert_non_null(launch.kernel);
    assert_string_equal(launch.kernel, "relu");
    assert_int_equal(launch.rank, 1);
    assert_int_equal(launch.global[0], 30 * 64);
    assert_int_equal(launch.arg_count, 4);
    assert_int_equal(launch.args[1].buffer, 1);
    assert_int_equal(launch.args[2].integer, 64);
    dispatch_release(&d);
    candidate_release(&c);
    strbuf_release(&completed);
}

static void a_reply_with_a_plan_stays_as_it_is(void **state)
{
    static const char reply[] = "```opencl\na\n```\n```json\n{}\n```";
    struct strbuf completed = {0};

    assert_int_equal(reply_derive_plan(reply, "opencl", *state, &completed, NULL), STATUS_OK);
    assert_string_equal(strbuf_cstr(&completed), reply);
    strbuf_release(&completed);
}

static void a_plan_is_not_guessed(void **state)
{
    static const struct {
        const char *source, *reason;
    } cases[] = {
        {"void f(global float *y) {}", "there is no function marked __kernel"},
        {"kernel void f(global float *y) {} kernel void g(global float *y) {}",
         "there is more than one kernel"},
        {"kernel void f(global float *z) {}",
         "the problem has no tensor (for a pointer) and no dimension (for an int) called "
         "\"z\""},
        {"kernel void f(global float *y, float alpha) {}",
         "the problem has no tensor (for a pointer) and no dimension (for an int) called "
         "\"alpha\""},
        {"kernel void f(global float *y, long N) {}",
         "the problem has no tensor (for a pointer) and no dimension (for an int) called "
         "\"N\""},
        {"kernel void f(global float *y) { y[get_global_id(1)] = 0; }",
         "it uses an index other than get_global_id(0)"},
        {"kernel void f(global float *y) { y[get_local_id(0)] = 0; }",
         "its index space depends on \"get_local_id\""},
        {"kernel __attribute__((x)) void f(global float *y) {}",
         "\"__kernel\" is not followed by \"void\" and a name"},
        {"kernel void f() {}", "it has no parameters, or one without a name"},
        {"/* kernel void f() {}", "there is no function marked __kernel"},
        {"kernel void f(global float *y", "its list of parameters has no end"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct strbuf reply = {0}, completed = {0};
        struct error err = {0};

        strbuf_addf(&reply, "```opencl\n%s\n```\n", cases[i].source);
        assert_int_equal(reply_derive_plan(strbuf_cstr(&reply), "opencl", *state, &completed, &err),
                         STATUS_INVALID);
        assert_non_null(strstr(err.text, "launch plan: there is no fenced block marked \"json\""));
        assert_non_null(strstr(err.text, cases[i].reason));
        assert_int_equal(completed.len, 0);
        strbuf_release(&reply);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_plan_and_remark_are_taken_apart),
        cmocka_unit_test(the_plan_may_come_first),
        cmocka_unit_test(what_is_wrong_can_be_sent_back),
        cmocka_unit_test(another_language_has_its_own_mark),
        cmocka_unit_test(a_candidate_names_its_own_language),
        cmocka_unit_test(format_and_parse_are_opposites),
        cmocka_unit_test(titles_are_the_first_words),
        cmocka_unit_test(a_plain_kernel_has_its_plan),
        cmocka_unit_test(a_reply_with_a_plan_stays_as_it_is),
        cmocka_unit_test(a_plan_is_not_guessed),
    };

    return cmocka_run_group_tests_name("reply", tests, read_problem, free_problem);
}
