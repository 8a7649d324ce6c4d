/* Networks that repeat their layers: what their kernels share, and recurrent layers. */
#include "tests/unit/unit.h"

#include <string.h>

#include "core/codegen/kernel_text.h"
#include "core/model/problem_reader.h"
#include "tests/unit/builtin_fixture.h"

#define TENSOR(name, role, shape)                                                        \
    "\"" name "\": {\"role\": \"" role "\", \"dtype\": \"f32\", \"shape\": [" shape "]," \
    " \"fill\": {\"normal\": [0, 1]}}"
#define OUTPUT(name, shape) \
    "\"" name "\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [" shape "]}"
#define PROBLEM(tensors, nodes)                                                      \
    "{\"kforge\": 1, \"name\": \"layers\", \"summary\": \"Layers.\", \"dims\": {}, " \
    "\"tensors\": {" tensors "}, \"graph\": [" nodes "], \"tolerance\": {\"class\": \"f32\"}}"

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

static void equal_layers_share_a_kernel(void **state)
{
    struct candidate candidate = builtin_fixture_first(
        PROBLEM(TENSOR("x", "input", "64, 256") "," TENSOR("v", "param", "256, 256") "," TENSOR(
                    "w", "param", "256, 256") "," OUTPUT("y", "64, 256"),
                "{\"op\": \"linear\", \"in\": [\"x\", \"v\"], \"out\": \"t\"},"
                "{\"op\": \"linear\", \"in\": [\"t\", \"w\"], \"out\": \"y\"}"));

    (void)state;
    assert_int_equal(count_of(candidate.source, " linear_"), 1);
    assert_int_equal(count_of(candidate.plan, "\"linear_"), 2);
    candidate_release(&candidate);
}

/* The list grows by one value; the result for the shorter list is not copied piece by piece. */
static void a_longer_list_begins_with_the_shorter_one(void **state)
{
    struct candidate candidate = builtin_fixture_first(
        PROBLEM(TENSOR("a", "input", "64, 32") "," TENSOR("b", "input", "64, 32") "," TENSOR(
                    "c", "input", "64, 32") "," OUTPUT("y", "64, 64") "," OUTPUT("z", "64, 96"),
                "{\"op\": \"concat\", \"in\": [\"a\", \"b\"], \"out\": \"y\", \"dim\": 1},"
                "{\"op\": \"concat\", \"in\": [\"a\", \"b\", \"c\"], \"out\": \"z\", \"dim\": 1}"));

    (void)state;
    assert_non_null(strstr(candidate.source, "const float *restrict p_y"));
    candidate_release(&candidate);
}

/* The first view declares the input in its own shape, which the second one does not have. */
static void a_view_of_a_view_keeps_its_shape(void **state)
{
    struct candidate candidate = builtin_fixture_first(
        PROBLEM(TENSOR("x", "input", "10, 10, 8") "," TENSOR("w", "param", "8, 4") "," OUTPUT(
                    "y", "100, 4") "," OUTPUT("z", "10, 8, 8"),
                "{\"op\": \"reshape\", \"in\": [\"x\"], \"out\": \"s\", \"shape\": [100, 8]},"
                "{\"op\": \"matmul\", \"in\": [\"s\", \"w\"], \"out\": \"y\"},"
                "{\"op\": \"reshape\", \"in\": [\"s\"], \"out\": \"t\", \"shape\": [10, 10, 8]},"
                "{\"op\": \"matmul\", \"in\": [\"t\", \"t\"], \"out\": \"z\", "
                "\"transpose_a\": true}"));

    (void)state;
    candidate_release(&candidate);
}

static void a_cluster_computes_a_recurrent_layer(void **state)
{
    struct candidate candidate = builtin_fixture_first(PROBLEM(
        TENSOR("x", "input", "12, 3, 1024") "," TENSOR("w", "param", "1024, 256") "," TENSOR(
            "h", "input", "3, 256") "," TENSOR("c", "input", "3, 256") "," OUTPUT("y",
                                                                                  "2, 12, 3, 256"),
        "{\"op\": \"lstm\", \"in\": [\"x\", \"w\", \"h\", \"c\"], \"out\": \"y\", "
        "\"reverse\": true}"));

    (void)state;
    assert_non_null(strstr(candidate.plan, "\"cluster\""));
    assert_non_null(strstr(candidate.source, "const int t = 12 - 1 - s;"));
    candidate_release(&candidate);
}

/* Each value is read twice, so there are 2^48 paths from the result to the input. */
static void a_chain_of_squares_is_planned_at_once(void **state)
{
    struct strbuf text = {0};
    struct candidate candidate;

    (void)state;
    strbuf_adds(&text,
                "{\"kforge\": 1, \"name\": \"chain\", \"summary\": \"Chain.\", \"dims\": {}, "
                "\"tensors\": {" TENSOR("t0", "input", "6, 8") "," OUTPUT(
                    "y", "6, 8") "},"
                                 "\"tolerance\": {\"class\": \"f32\"}, \"graph\": [");
    for (int i = 0; i < 48; i++)
        strbuf_addf(&text, "{\"op\": \"mul\", \"in\": [\"t%d\", \"t%d\"], \"out\": \"t%d\"},", i, i,
                    i + 1);
    strbuf_adds(&text, "{\"op\": \"neg\", \"in\": [\"t48\"], \"out\": \"y\"}]}");
    candidate = builtin_fixture_first(strbuf_cstr(&text));
    assert_non_null(strstr(candidate.plan, "\"launches\""));
    candidate_release(&candidate);
    strbuf_release(&text);
}

/* A kernel ends at its first line that begins with a bracket, or its end would stay behind. */
static void a_shared_kernel_leaves_nothing_of_the_others(void **state)
{
    struct candidate candidate = builtin_fixture_first_on(
        &builtin_fixture_cpu,
        PROBLEM(TENSOR("x", "input", "2, 9, 14, 17") "," TENSOR(
                    "v", "input",
                    "2, 9, 14, 17") "," TENSOR("w", "param",
                                               "9, 1, 3, 3") "," OUTPUT("y", "2, 3, 29, 35"),
                "{\"op\": \"conv_transpose2d\", \"in\": [\"x\", \"w\"], \"out\": \"t\","
                " \"stride\": [2, 2], \"groups\": 3},"
                "{\"op\": \"conv_transpose2d\", \"in\": [\"v\", \"w\"], \"out\": \"u\","
                " \"stride\": [2, 2], \"groups\": 3},"
                "{\"op\": \"sub\", \"in\": [\"t\", \"u\"], \"out\": \"y\"}"));

    (void)state;
    assert_non_null(strstr(candidate.source, "woven"));
    assert_int_equal(count_of(candidate.source, "{"), count_of(candidate.source, "}"));
    candidate_release(&candidate);
}

/* Sizes may become arguments, but no sizes of arrays, arguments of templates or parts of floats. */
static void only_some_numbers_may_differ(void **state)
{
    static const char text[] = "__kernel void scale_1(__global float *p_t1)\n{\n"
                               "    float line[8];\n    p_t1[i * 64 + 3] = load<4>(1.5f) / 7;\n}\n";
    struct kernel_names names = {.items = (const char *[]){"t1"}, .count = 1};
    struct kernel_text kernel;

    (void)state;
    kernel_text_read(&kernel, text, strlen(text), &names);
    assert_int_equal(kernel.numbers.count, 3);
    assert_int_equal(kernel.numbers.items[0].value, 64);
    assert_int_equal(kernel.numbers.items[1].value, 3);
    assert_int_equal(kernel.numbers.items[2].value, 7);
    assert_non_null(strstr(strbuf_cstr(&kernel.open), "$0[i * # + #] = load<4>(1.5f) / #;"));
    assert_non_null(strstr(strbuf_cstr(&kernel.exact), "void $(__global float *$0)"));
    kernel_text_release(&kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_layers_share_a_kernel),
        cmocka_unit_test(a_longer_list_begins_with_the_shorter_one),
        cmocka_unit_test(a_view_of_a_view_keeps_its_shape),
        cmocka_unit_test(a_cluster_computes_a_recurrent_layer),
        cmocka_unit_test(a_chain_of_squares_is_planned_at_once),
        cmocka_unit_test(a_shared_kernel_leaves_nothing_of_the_others),
        cmocka_unit_test(only_some_numbers_may_differ),
    };

    return cmocka_run_group_tests_name("repeated_layers", tests, NULL, NULL);
}
