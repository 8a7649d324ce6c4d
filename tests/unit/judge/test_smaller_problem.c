#include "tests/unit/unit.h"

#include "core/base/strbuf.h"
#include "core/judge/task/lint.h"
#include "core/judge/task/smaller_problem.h"
#include "core/model/problem_reader.h"

#define CENTRED           "{\"uniform\": [-1, 1]}"
#define F32               "{\"class\": \"f32\"}"
#define NODE(op, in, out) "{\"op\": \"" op "\", \"in\": [" in "], \"out\": \"" out "\"}"

/* A problem with one operation whose tensors have these shapes; y is the output. */
static void read_shapes(struct problem *problem, const char *dims, const char *x, const char *z,
                        const char *y, const char *graph)
{
    struct strbuf text = {0};
    struct error err;

    strbuf_addf(
        &text,
        "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {%s}, \"tensors\": "
        "{\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%s], \"fill\": " CENTRED
        "}, \"z\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%s], \"fill\": " CENTRED
        "}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [%s]}}, "
        "\"graph\": [%s], \"tolerance\": " F32 "}",
        dims, x, z, y, graph);
    if (problem_parse(problem, strbuf_cstr(&text), text.len, "p.json", &err))
        fail_msg("%s", err.text);
    strbuf_release(&text);
}

/* The first size of a tensor of the problem. */
static int64_t samples_of(const struct problem *problem, const char *name)
{
    struct binding bindings[4];
    struct scope scope = problem_scope(problem, 0, bindings);
    struct graph graph = {0};
    int64_t samples;

    assert_int_equal(graph_build(&graph, problem, &scope, NULL), STATUS_OK);
    samples = graph.values.items[graph_find(&graph, name)].shape.dims[0];
    graph_release(&graph);
    return samples;
}

static void large_problems_get_fewer_samples_or_dimensions(void **state)
{
    const char *add = NODE("add", "\"x\", \"z\"", "y");
    const char *product = NODE("matmul", "\"x\", \"z\"", "y");
    struct problem problem = {0}, smaller = {0};

    (void)state;
    read_shapes(&problem, "", "64, 64", "64, 64", "64, 64", add);
    assert_false(smaller_problem_make(&problem, &smaller));
    problem_release(&problem);
    read_shapes(&problem, "", "4096, 16384", "4096, 16384", "4096, 16384", add);
    assert_true(smaller_problem_make(&problem, &smaller));
    assert_in_range(samples_of(&smaller, "y"), 2, 1024);
    assert_int_equal(samples_of(&smaller, "x"), samples_of(&smaller, "y"));
    problem_release(&smaller);
    problem_release(&problem);
    read_shapes(&problem, "", "8192, 8192", "8192, 8192", "8192, 8192", product);
    assert_true(smaller_problem_make(&problem, &smaller));
    assert_in_range(samples_of(&smaller, "y"), 2, 1024);
    assert_int_equal(samples_of(&smaller, "z"), 8192);
    problem_release(&smaller);
    problem_release(&problem);
    read_shapes(&problem, "\"M\": 4096, \"N\": 16384", "\"M\", \"N\"", "\"N\"", "\"M\", \"N\"",
                add);
    assert_true(smaller_problem_make(&problem, &smaller));
    assert_in_range(samples_of(&smaller, "x"), 16, 4096);
    assert_in_range(samples_of(&smaller, "z"), 16, 8192);
    problem_release(&smaller);
    problem_release(&problem);
}

/* The samples are also in the shape that an operation names, there times four. */
static void samples_in_the_graph_are_fewer_too(void **state)
{
    const char *graph = "{\"op\": \"reshape\", \"in\": [\"x\"], \"out\": \"t\", "
                        "\"shape\": [262144, 16, 64]}, " NODE("add", "\"t\", \"z\"", "y");
    struct problem problem = {0}, smaller = {0};

    (void)state;
    read_shapes(&problem, "", "65536, 64, 64", "64", "262144, 16, 64", graph);
    assert_true(smaller_problem_make(&problem, &smaller));
    assert_in_range(samples_of(&smaller, "x"), 2, 1024);
    assert_int_equal(samples_of(&smaller, "y"), 4 * samples_of(&smaller, "x"));
    problem_release(&smaller);
    problem_release(&problem);
}

/* The slice needs all samples. */
static void a_problem_that_stays_large_is_not_linted(void **state)
{
    const char *graph = NODE("matmul", "\"x\", \"z\"",
                             "t") ", {\"op\": \"slice\", \"in\": [\"t\"], \"out\": \"y\", "
                                  "\"dim\": 0, \"start\": 4000, \"end\": 4096}";
    struct problem problem = {0};
    struct hazard_list findings = {0};

    (void)state;
    read_shapes(&problem, "", "4096, 4096", "4096, 4096", "96, 4096", graph);
    assert_int_equal(lint_problem(&problem, NULL, &findings, NULL), STATUS_OK);
    assert_int_equal(findings.count, 1);
    assert_string_equal(findings.items[0].name, "not_linted");
    hazard_list_release(&findings);
    problem_release(&problem);
}

/* A convolution of images: the samples are two already, so the sizes of the images are halved. */
static void large_images_get_smaller(void **state)
{
    const char *graph =
        "{\"op\": \"conv2d\", \"in\": [\"x\", \"z\"], \"out\": \"y\", \"stride\": [1, 1], "
        "\"padding\": [0, 0], \"dilation\": [1, 1], \"groups\": 1}";
    struct problem problem = {0}, smaller = {0};
    struct graph whole = {0};
    const struct scope none = {0};
    const struct shape *x, *z, *y;

    (void)state;
    read_shapes(&problem, "", "2, 32, 512, 256", "16, 32, 3, 3", "2, 16, 510, 254", graph);
    assert_true(smaller_problem_make(&problem, &smaller));
    assert_int_equal(graph_build(&whole, &smaller, &none, NULL), STATUS_OK);
    x = &whole.values.items[graph_find(&whole, "x")].shape;
    z = &whole.values.items[graph_find(&whole, "z")].shape;
    y = &whole.values.items[graph_find(&whole, "y")].shape;
    assert_in_range(x->dims[2], 16, 128);
    assert_in_range(x->dims[3], 16, 128);
    assert_int_equal(x->dims[1], 32);
    assert_int_equal(z->dims[2], 3);
    assert_int_equal(y->dims[2], x->dims[2] - 2);
    graph_release(&whole);
    problem_release(&smaller);
    problem_release(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_problems_get_fewer_samples_or_dimensions),
        cmocka_unit_test(samples_in_the_graph_are_fewer_too),
        cmocka_unit_test(a_problem_that_stays_large_is_not_linted),
        cmocka_unit_test(large_images_get_smaller),
    };

    return cmocka_run_group_tests_name("smaller_problem", tests, NULL, NULL);
}
