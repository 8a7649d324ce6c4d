#include "tests/unit/unit.h"

#include <string.h>

#include "core/model/problem_reader.h"
#include "core/model/roofline/bound.h"

/* y = x w', 64 x 32 x 16: 65536 operations on 4 * (64*16 + 32*16 + 64*32) = 14336 bytes. */
static const char problem_text[] =
    "{\"kforge\": 1, \"name\": \"linear\", \"summary\": \"A linear layer.\","
    " \"dims\": {\"M\": 64, \"N\": 32, \"K\": 16},"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"K\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [\"N\", \"K\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]}},"
    " \"graph\": [{\"op\": \"linear\", \"in\": [\"x\", \"w\"], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

static struct bound bound_of(struct roofs roofs, const struct tolerance *tolerance,
                             const struct estimate *time)
{
    struct problem problem = {0};
    struct graph graph = {0};
    struct binding bindings[3];
    struct error err = {0};
    struct bound bound = {0};

    if (problem_parse(&problem, problem_text, strlen(problem_text), "linear.json", &err))
        fail_msg("%s", err.text);
    struct scope scope = problem_scope(&problem, 0, bindings);
    assert_int_equal(graph_build(&graph, &problem, &scope, NULL), STATUS_OK);
    bound_compute(&graph, tolerance, &roofs, time, &bound);
    graph_release(&graph);
    problem_release(&problem);
    return bound;
}

static struct roofs one_level(double bytes_per_us, double flops_per_us)
{
    return (struct roofs){
        .memory = {{.bytes = 1, .bytes_per_us = bytes_per_us}},
        .memory_count = 1,
        .flops_per_us = flops_per_us,
    };
}

static const struct tolerance exact = {.rtol = 1e-4};

/* Matrix units set the bound only for problems whose operands may be rounded. */
static void matrix_units_are_for_what_may_be_rounded(void **state)
{
    const struct tolerance mixed = {.rtol = 1e-2, .allows_mixed = true};
    struct roofs roofs = one_level(1000, 100);

    (void)state;
    assert_true(roofs_allowed(&roofs, &mixed).flops_per_us == 100);
    roofs.matrix_flops_per_us = 1600;
    assert_true(roofs_allowed(&roofs, &mixed).flops_per_us == 1600);
    assert_true(roofs_allowed(&roofs, &exact).flops_per_us == 100);
}

static void the_slower_roof_limits(void **state)
{
    const struct estimate time = {.median_us = 28.672};
    struct bound b = bound_of(one_level(1000, 65536), &exact, &time);

    (void)state;
    assert_true(b.is_present);
    assert_true(b.flops == 65536 && b.bytes == 14336);
    assert_true(b.us == 14.336);
    assert_int_equal(b.limiter, LIMITER_MEMORY);
    assert_true(b.fraction == 0.5);
    b = bound_of(one_level(14336, 32768), &exact, NULL);
    assert_true(b.us == 2);
    assert_int_equal(b.limiter, LIMITER_COMPUTE);
    assert_true(b.fraction == 0);
}

static void a_size_has_the_bandwidth_of_the_level_it_has_outgrown(void **state)
{
    const struct roofs roofs = {.memory = {{1000, 50}, {10000, 40}, {100000, 45}, {1000000, 10}},
                                .memory_count = 4};

    (void)state;
    assert_true(roofs_bandwidth(&roofs, 10) == 50);
    assert_true(roofs_bandwidth(&roofs, 20000) == 45); /* the highest bandwidth from this size on */
    assert_true(roofs_bandwidth(&roofs, 100000) == 45);
    assert_true(roofs_bandwidth(&roofs, 5000000) == 10);
    assert_true(roofs_bandwidth(&(struct roofs){0}, 10) == 0);
}

/* A candidate that beats the bound does less than the graph says. */
static void the_share_says_what_it_means(void **state)
{
    struct bound bound = {.is_present = true, .fraction = 0.847};
    char text[BOUND_SHARE_SIZE];

    (void)state;
    assert_string_equal(bound_share(&bound, text), "85 % of the graph's bound");
    bound.fraction = 1.04; /* within the roofs' own error */
    assert_string_equal(bound_share(&bound, text), "104 % of the graph's bound");
    bound.fraction = 3.21;
    assert_string_equal(bound_share(&bound, text), "3.2x fewer bytes than the graph");
    bound.limiter = LIMITER_COMPUTE;
    bound.fraction = 71.4;
    assert_string_equal(bound_share(&bound, text), "71x fewer operations than the graph");
}

/* The weights may be rounded to 16 bits in advance: 64 x 16 + 64 x 32 floats and 32 x 16 halves. */
static void params_that_may_be_rounded_count_half(void **state)
{
    const struct tolerance mixed = {.rtol = 1e-2, .allows_mixed = true};

    (void)state;
    assert_true(bound_of(one_level(1000, 1), &mixed, NULL).bytes == 14336 - 2 * 32 * 16);
}

static void without_roofs_there_is_no_bound(void **state)
{
    (void)state;
    assert_false(bound_of((struct roofs){0}, &exact, NULL).is_present);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_units_are_for_what_may_be_rounded),
        cmocka_unit_test(the_slower_roof_limits),
        cmocka_unit_test(a_size_has_the_bandwidth_of_the_level_it_has_outgrown),
        cmocka_unit_test(the_share_says_what_it_means),
        cmocka_unit_test(params_that_may_be_rounded_count_half),
        cmocka_unit_test(without_roofs_there_is_no_bound),
    };

    return cmocka_run_group_tests_name("bound", tests, NULL, NULL);
}
