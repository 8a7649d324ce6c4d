/* Shapes that the agents compute in another form on GPUs: long rows, few results, odd sizes. */
#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/model/problem_reader.h"
#include "tests/unit/builtin_fixture.h"

/* One work-item, or one work-group, would compute all of these means. */
static void a_long_reduction_with_few_results_has_two_stages(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"means\", \"summary\": \"Means.\", \"dims\": {}, \"tensors\": {"
        "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [64, 32, 56, 56],"
        " \"fill\": {\"normal\": [0, 1]}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [1, 32, 1, 1]},"
        "\"z\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": []}},"
        "\"graph\": [{\"op\": \"mean\", \"in\": [\"x\"], \"out\": \"y\", \"dim\": [0, 2, 3], "
        "\"keepdim\": "
        "true}, {\"op\": \"sum\", \"in\": [\"x\"], \"out\": \"z\"}],"
        "\"tolerance\": {\"class\": \"f32\"}}";
    struct candidate candidate = builtin_fixture_first(text);

    (void)state;
    assert_non_null(strstr(candidate.remark, "mean + sum, reshape + mean, sum"));
    assert_non_null(strstr(candidate.plan, "(64 * 32) * "));
    candidate_release(&candidate);
}

/* The first candidate for a graph with one input "x" and one output "y". */
static struct candidate candidate_between(const char *input, const char *output, const char *nodes)
{
    struct strbuf text = {0};
    struct candidate candidate;

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"rows\", \"summary\": \"Rows.\", \"dims\": {},"
                " \"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": %s,"
                " \"fill\": {\"normal\": [0, 1]}},"
                " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": %s}},"
                " \"graph\": [%s], \"tolerance\": {\"class\": \"f32\"}}",
                input, output, nodes);
    candidate = builtin_fixture_first(strbuf_cstr(&text));
    strbuf_release(&text);
    return candidate;
}

static struct candidate candidate_of(const char *shape, const char *nodes)
{
    return candidate_between(shape, shape, nodes);
}

/*
 * A batch norm of a small picture reads it once: a work-group keeps its channel in registers, and
 * computes what follows.
 */
static void a_work_group_normalizes_a_channel_of_a_small_batch(void **state)
{
    struct candidate candidate =
        candidate_of("[3, 14, 31, 26]",
                     "{\"op\": \"mean\", \"in\": [\"x\"], \"out\": \"m\", \"dim\": [0, 2, 3], "
                     "\"keepdim\": true},"
                     "{\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"d\"},"
                     "{\"op\": \"relu\", \"in\": [\"d\"], \"out\": \"y\"}");

    (void)state;
    assert_non_null(strstr(candidate.remark, "Kernels: mean + sub + relu."));
    assert_non_null(strstr(candidate.plan, "\"14 * 2"));
    assert_non_null(strstr(candidate.source, "held["));
    candidate_release(&candidate);
}

/* Values that depend on equal elements alone are computed once: here the places of a diagonal. */
static void constants_are_computed_ahead(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"diagonal\", \"summary\": \"One.\", \"dims\": {}, "
        "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [6, 45, 45],"
        " \"fill\": {\"normal\": [0, 1]}},"
        "\"a\": {\"role\": \"param\", \"dtype\": \"i64\", \"shape\": [45, 1], \"fill\": "
        "{\"constant\": 1}},"
        "\"b\": {\"role\": \"param\", \"dtype\": \"i64\", \"shape\": [1, 45], \"fill\": "
        "{\"constant\": 1}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [6, 45, 45]}}, \"graph\": ["
        "{\"op\": \"cumsum\", \"in\": [\"a\"], \"out\": \"i\", \"dim\": 0},"
        "{\"op\": \"cumsum\", \"in\": [\"b\"], \"out\": \"j\", \"dim\": 1},"
        "{\"op\": \"eq\", \"in\": [\"i\", \"j\"], \"out\": \"e\"},"
        "{\"op\": \"cast\", \"in\": [\"e\"], \"out\": \"f\", \"dtype\": \"f32\"},"
        "{\"op\": \"add\", \"in\": [\"x\", \"f\"], \"out\": \"y\"}], \"tolerance\": {\"class\": "
        "\"f32\"}}";
    struct candidate candidate = builtin_fixture_first(text);
    const char *launches = strstr(candidate.plan, "\"launches\"");

    (void)state;
    assert_non_null(strstr(candidate.plan, "\"prepare\""));
    assert_non_null(launches);
    assert_null(strstr(launches, "\"i\""));
    assert_non_null(strstr(launches, "\"f\""));
    candidate_release(&candidate);
}

/* A row-wise kernel keeps what it has read, although movements computed it. */
static void a_normalized_concatenation_is_read_once(void **state)
{
    struct candidate candidate = candidate_between(
        "[3, 8, 20, 26]", "[3, 16, 20, 26]",
        "{\"op\": \"concat\", \"in\": [\"x\", \"x\"], \"out\": \"c\", \"dim\": 1},"
        "{\"op\": \"mean\", \"in\": [\"c\"], \"out\": \"m\", \"dim\": [0, 2, 3], "
        "\"keepdim\": true},"
        "{\"op\": \"sub\", \"in\": [\"c\", \"m\"], \"out\": \"y\"}");

    (void)state;
    assert_non_null(strstr(candidate.remark, "Kernels: concat, mean + sub."));
    candidate_release(&candidate);
}

/* A sum that movements compute is stored for its readers, whose own sums share a kernel then. */
static void readers_of_a_stored_sum_are_fused(void **state)
{
    struct candidate candidate = candidate_between(
        "[10, 6, 60, 12]", "[10, 6, 12]",
        "{\"op\": \"sum\", \"in\": [\"x\"], \"out\": \"s\", \"dim\": 2},"
        "{\"op\": \"mul\", \"in\": [\"s\", \"s\"], \"out\": \"q\"},"
        "{\"op\": \"sum\", \"in\": [\"q\"], \"out\": \"n\", \"dim\": -1, \"keepdim\": true},"
        "{\"op\": \"div\", \"in\": [\"s\", \"n\"], \"out\": \"y\"}");

    (void)state;
    assert_non_null(strstr(candidate.remark, "Kernels: sum, mul + sum + div."));
    candidate_release(&candidate);
}

/* A work-item that adds up a thousand parts of a column takes longer than a work-group. */
static void a_work_group_adds_up_parts_of_a_column(void **state)
{
    struct candidate candidate = candidate_between(
        "[204800, 48]", "[48]", "{\"op\": \"mean\", \"in\": [\"x\"], \"out\": \"y\", \"dim\": 0}");

    (void)state;
    assert_non_null(strstr(candidate.remark, "mean, mean."));
    assert_non_null(strstr(candidate.plan, "\"48 * "));
    candidate_release(&candidate);
}

/* A work-group for each of 16 rows would leave a GPU idle; 16 short rows are not worth two kernels.
 */
static void few_long_rows_are_split(void **state)
{
    static const char node[] =
        "{\"op\": \"softmax\", \"in\": [\"x\"], \"out\": \"y\", \"dim\": -1}";
    struct candidate candidate = candidate_of("[16, 4194301]", node);

    (void)state;
    assert_non_null(strstr(candidate.plan, "16 * 1024 * 256"));
    assert_non_null(strstr(candidate.source, "p_most_parts_y[row * 1024 + i]"));
    candidate_release(&candidate);
    candidate = candidate_of("[16, 2048]", node);
    assert_null(strstr(candidate.source, "parts"));
    candidate_release(&candidate);
    candidate = candidate_of("[4096, 2048]", node);
    assert_null(strstr(candidate.source, "parts"));
    candidate_release(&candidate);
}

/* A work-item keeps the elements of its channels: the tensor is read once. */
static void norms_over_channels_are_held(void **state)
{
    struct candidate candidate = candidate_of(
        "[16, 64, 128, 128]",
        "{\"op\": \"abs\", \"in\": [\"x\"], \"out\": \"a\"},"
        "{\"op\": \"mean\", \"in\": [\"a\"], \"out\": \"m\", \"dim\": 1, \"keepdim\": true},"
        "{\"op\": \"div\", \"in\": [\"x\", \"m\"], \"out\": \"y\"}");
    size_t loads = 0;

    (void)state;
    for (const char *at = candidate.source; (at = strstr(at, "_x = p_x[")); at++)
        loads++;
    assert_int_equal(loads, 64);
    candidate_release(&candidate);
}

/* Two distances from one anchor: its rows are read once. */
static void reductions_of_a_common_operand_share_a_kernel(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"apart\", \"summary\": \"Apart.\", \"dims\": {}, \"tensors\": {"
        "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [512, 2048], \"fill\": "
        "{\"normal\": [0, 1]}},"
        "\"p\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [512, 2048], \"fill\": "
        "{\"normal\": [0, 1]}},"
        "\"n\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [512, 2048], \"fill\": "
        "{\"normal\": [0, 1]}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [512]}},"
        "\"graph\": [{\"op\": \"mul\", \"in\": [\"x\", \"p\"], \"out\": \"a\"},"
        " {\"op\": \"sum\", \"in\": [\"a\"], \"out\": \"b\", \"dim\": 1},"
        " {\"op\": \"mul\", \"in\": [\"x\", \"n\"], \"out\": \"c\"},"
        " {\"op\": \"sum\", \"in\": [\"c\"], \"out\": \"d\", \"dim\": 1},"
        " {\"op\": \"sub\", \"in\": [\"b\", \"d\"], \"out\": \"y\"}],"
        "\"tolerance\": {\"class\": \"f32\"}}";
    struct candidate candidate = builtin_fixture_first(text);

    (void)state;
    assert_non_null(strstr(candidate.remark, "Kernels: mul + sum + mul + sum + sub."));
    candidate_release(&candidate);
}

/* A row that is read twice stays in the registers of as many lanes as it takes. */
static void rows_that_are_read_twice_are_held(void **state)
{
    static const char node[] =
        "{\"op\": \"softmax\", \"in\": [\"x\"], \"out\": \"y\", \"dim\": -1}";
    struct candidate candidate = candidate_of("[4096, 16384]", node);

    (void)state;
    assert_non_null(strstr(candidate.plan, "4096 * 1024"));
    assert_non_null(strstr(candidate.source, "held[4]"));
    candidate_release(&candidate);
    candidate = candidate_of("[4096, 16383]", node); /* rows begin between vectors */
    assert_non_null(strstr(candidate.source, "float held[16]"));
    assert_null(strstr(candidate.source, "load_aligned<4>(p_x"));
    candidate_release(&candidate);
}

/* Two passes over many rows that do not fit in registers would read them from memory three times.
 */
static void long_rows_are_read_once_for_all_passes(void **state)
{
    struct candidate candidate = candidate_of(
        "[512, 64, 2048]", "{\"op\": \"instance_norm\", \"in\": [\"x\"], \"out\": \"y\"}");

    (void)state;
    assert_null(strstr(candidate.source, "parts"));
    candidate_release(&candidate);
    candidate = candidate_of("[64, 64, 65536]",
                             "{\"op\": \"instance_norm\", \"in\": [\"x\"], \"out\": \"y\"}");
    assert_non_null(strstr(candidate.source, "parts_0("));
    assert_null(strstr(strstr(candidate.source, "parts_0("), "for (int col = 4096"));
    candidate_release(&candidate);
}

/* Factors that are computed apart from the same input need no buffer of their own. */
static void elementwise_operations_that_meet_share_a_kernel(void **state)
{
    struct candidate candidate =
        candidate_of("[64, 1024]", "{\"op\": \"mul\", \"in\": [\"x\", 0.5], \"out\": \"h\"},"
                                   "{\"op\": \"tanh\", \"in\": [\"x\"], \"out\": \"t\"},"
                                   "{\"op\": \"mul\", \"in\": [\"h\", \"t\"], \"out\": \"y\"}");

    (void)state;
    assert_non_null(strstr(candidate.remark, "Kernels: mul + tanh + mul."));
    candidate_release(&candidate);
}

/* The logarithms of a softmax of which a cross entropy picks one in each row are not stored. */
static void a_cross_entropy_picks_before_it_subtracts(void **state)
{
    static const char text[] =
        "{\"kforge\": 1, \"name\": \"picks\", \"summary\": \"Logarithms.\", \"dims\": {}, "
        "\"tensors\": {"
        "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [512, 1000],"
        " \"fill\": {\"normal\": [0, 1]}},"
        "\"i\": {\"role\": \"input\", \"dtype\": \"i64\", \"shape\": [512, 1],"
        " \"fill\": {\"integers\": [0, 999]}},"
        "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [512, 1]}},"
        "\"graph\": [{\"op\": \"log_softmax\", \"in\": [\"x\"], \"out\": \"l\", \"dim\": -1},"
        " {\"op\": \"gather\", \"in\": [\"l\", \"i\"], \"out\": \"y\", \"dim\": 1}],"
        "\"tolerance\": {\"class\": \"f32\"}}";
    struct candidate candidate = builtin_fixture_first(text);

    (void)state;
    assert_non_null(strstr(candidate.remark, "Kernels: logsumexp, gather + sub."));
    candidate_release(&candidate);
}

/* The differences from the mean of a batch are not stored for their squares. */
static void a_mean_of_squared_differences_is_a_variance(void **state)
{
    struct candidate candidate = candidate_of(
        "[64, 8, 24, 32]", "{\"op\": \"mean\", \"in\": [\"x\"], \"out\": \"m\", \"dim\": [0, 2, "
                           "3], \"keepdim\": true},"
                           "{\"op\": \"sub\", \"in\": [\"x\", \"m\"], \"out\": \"d\"},"
                           "{\"op\": \"mul\", \"in\": [\"d\", \"d\"], \"out\": \"q\"},"
                           "{\"op\": \"mean\", \"in\": [\"q\"], \"out\": \"v\", \"dim\": [0, 2, "
                           "3], \"keepdim\": true},"
                           "{\"op\": \"rsqrt\", \"in\": [\"v\"], \"out\": \"s\"},"
                           "{\"op\": \"mul\", \"in\": [\"d\", \"s\"], \"out\": \"y\"}");

    (void)state;
    assert_non_null(strstr(candidate.remark, "mean + mean + var, "));
    assert_non_null(strstr(candidate.remark, ", sub + mul."));
    candidate_release(&candidate);
}

/* The first candidate for the product of an input of m x k elements and one of k x n. */
static struct candidate product_of_sizes(int m, int n, int k)
{
    struct strbuf text = {0};
    struct problem problem = {0};
    struct brief brief = {.problem = &problem, .device = &builtin_fixture_hopper, .attempt = 1};
    struct candidate candidate;
    struct error err;

    strbuf_addf(
        &text,
        "{\"kforge\": 1, \"name\": \"sizes\", \"summary\": \"A product.\", \"dims\": {},"
        " \"tensors\": {\"a\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%d, %d],"
        " \"fill\": {\"normal\": [0, 1]}},"
        " \"b\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%d, %d],"
        " \"fill\": {\"normal\": [0, 1]}},"
        " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [%d, %d]}},"
        " \"graph\": [{\"op\": \"matmul\", \"in\": [\"a\", \"b\"], \"out\": \"y\"}],"
        " \"tolerance\": {\"class\": \"f32\"}}",
        m, k, k, n, m, n);
    if (problem_parse(&problem, strbuf_cstr(&text), text.len, "sizes.json", &err))
        fail_msg("%s", err.text);
    candidate = builtin_fixture_generate(&brief);
    builtin_fixture_check_plan(&problem, &candidate);
    strbuf_release(&text);
    problem_release(&problem);
    return candidate;
}

/* Four tiles of results would leave most of a GPU idle; sums of a thousand steps are not split. */
static void a_product_with_few_results_and_long_sums_has_sections(void **state)
{
    struct candidate candidate = product_of_sizes(256, 256, 1 << 19);

    (void)state;
    assert_non_null(strstr(candidate.source, "matmul_0_sums("));
    candidate_release(&candidate);
    candidate = product_of_sizes(256, 256, 1 << 10);
    assert_non_null(strstr(candidate.remark, "Kernels: matmul."));
    assert_null(strstr(candidate.source, "matmul_0_sums("));
    candidate_release(&candidate);
}

/*
 * Rows of an odd number of columns begin at any place, so the pairs of a work-item are stored one
 * by one; sums of any length are padded where the operand is converted.
 */
static void a_product_of_odd_sizes_needs_no_copies(void **state)
{
    struct candidate candidate = product_of_sizes(4097, 2049, 3001);

    (void)state;
    assert_non_null(strstr(candidate.source, "matrix=3"));
    assert_non_null(strstr(candidate.remark, "Kernels: matmul."));
    assert_non_null(strstr(candidate.source, "second = c + 1 < 2049"));
    assert_non_null(strstr(candidate.source, "if (is_there && second) p_"));
    candidate_release(&candidate);
    candidate = product_of_sizes(4097, 2048, 3000);
    assert_non_null(strstr(candidate.source, "matrix=3"));
    assert_non_null(strstr(candidate.remark, "Kernels: matmul."));
    assert_null(strstr(candidate.source, "second"));
    candidate_release(&candidate);
}

/* Scores that exceed the caches are not stored where tiles compute them faster than they move. */
static void written_attention_with_short_rows_is_one_kernel(void **state)
{
    static const struct {
        const char *rows, *between;
        bool is_joined;
    } cases[] = {
        {"8, 4096, 32", "{\"op\": \"div\", \"in\": [\"s\", 4], \"out\": \"t\"}", true},
        {"8, 4096, 32", "{\"op\": \"mul\", \"in\": [\"s\", 0.25], \"out\": \"t\"}", true},
        {"8, 4096, 32", "{\"op\": \"add\", \"in\": [\"s\", 0.25], \"out\": \"t\"}", false},
        {"8, 4096, 32", "{\"op\": \"mul\", \"in\": [\"s\", \"s\"], \"out\": \"t\"}", false},
        {"8, 4096, 64", "{\"op\": \"div\", \"in\": [\"s\", 4], \"out\": \"t\"}", false},
        {"8, 1024, 32", "{\"op\": \"div\", \"in\": [\"s\", 4], \"out\": \"t\"}", false},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct strbuf text = {0};
        struct candidate candidate;

        strbuf_addf(&text,
                    "{\"kforge\": 1, \"name\": \"rows\", \"summary\": \"\", \"dims\": {}, "
                    "\"tensors\": {\"q\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": "
                    "[%s], \"fill\": {\"uniform\": [0, 1]}}, \"y\": {\"role\": \"output\", "
                    "\"dtype\": \"f32\", \"shape\": [%s]}}, \"graph\": [{\"op\": \"matmul\", "
                    "\"in\": [\"q\", \"q\"], \"out\": \"s\", \"transpose_b\": true}, %s, "
                    "{\"op\": \"softmax\", \"in\": [\"t\"], \"out\": \"p\", \"dim\": -1}, "
                    "{\"op\": \"matmul\", \"in\": [\"p\", \"q\"], \"out\": \"y\"}], "
                    "\"tolerance\": {\"class\": \"f32\"}}",
                    cases[i].rows, cases[i].rows, cases[i].between);
        candidate = builtin_fixture_first(strbuf_cstr(&text));
        if (!strstr(candidate.source, "matmul_") != cases[i].is_joined ||
            !strstr(candidate.source, "* 0.25f;") == cases[i].is_joined)
            fail_msg("%zu: %s", i, candidate.source);
        candidate_release(&candidate);
        strbuf_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_reduction_with_few_results_has_two_stages),
        cmocka_unit_test(a_work_group_normalizes_a_channel_of_a_small_batch),
        cmocka_unit_test(constants_are_computed_ahead),
        cmocka_unit_test(a_normalized_concatenation_is_read_once),
        cmocka_unit_test(readers_of_a_stored_sum_are_fused),
        cmocka_unit_test(a_work_group_adds_up_parts_of_a_column),
        cmocka_unit_test(few_long_rows_are_split),
        cmocka_unit_test(a_product_with_few_results_and_long_sums_has_sections),
        cmocka_unit_test(a_product_of_odd_sizes_needs_no_copies),
        cmocka_unit_test(rows_that_are_read_twice_are_held),
        cmocka_unit_test(reductions_of_a_common_operand_share_a_kernel),
        cmocka_unit_test(norms_over_channels_are_held),
        cmocka_unit_test(long_rows_are_read_once_for_all_passes),
        cmocka_unit_test(a_cross_entropy_picks_before_it_subtracts),
        cmocka_unit_test(elementwise_operations_that_meet_share_a_kernel),
        cmocka_unit_test(a_mean_of_squared_differences_is_a_variance),
        cmocka_unit_test(written_attention_with_short_rows_is_one_kernel),
    };

    return cmocka_run_group_tests_name("long_rows", tests, NULL, NULL);
}
