#include "tests/unit/unit.h"

#include <string.h>

#include "core/model/bound.h"
#include "core/model/problem_reader.h"

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

static struct bound bound_of(struct roofs roofs, const struct estimate *time)
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
    bound_compute(&graph, &roofs, time, &bound);
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

/* Matrix units set the bound only for problems whose operands may be rounded. */
static void matrix_units_are_for_what_may_be_rounded(void **state)
{
    const struct tolerance exact = {.rtol = 1e-4}, mixed = {.rtol = 1e-2, .allows_mixed = true};
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
    struct bound b = bound_of(one_level(1000, 65536), &time);

    (void)state;
    assert_true(b.is_present);
    assert_true(b.flops == 65536 && b.bytes == 14336);
    assert_true(b.us == 14.336);
    assert_int_equal(b.limiter, LIMITER_MEMORY);
    assert_true(b.fraction == 0.5);
    b = bound_of(one_level(14336, 32768), NULL);
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

/* Other programs used one of the two cores, so the measured roofs may be half of the true ones. */
static void a_bound_of_a_busy_machine_accuses_nobody(void **state)
{
    const struct bound bound = {.is_present = true, .fraction = 2};
    struct roofs roofs = one_level(1000, 100);

    (void)state;
    assert_true(bound_is_beaten(&bound, &roofs, 2));
    assert_true(bound_is_beaten(&bound, &roofs, 0));
    roofs.busy_cores = 1;
    assert_false(bound_is_beaten(&bound, &roofs, 2));
    assert_true(bound_is_beaten(&bound, &roofs, 0));
    assert_true(bound_is_beaten(&bound, &roofs, 64));
    roofs.busy_cores = 3;
    assert_false(bound_is_beaten(&bound, &roofs, 2));
}

static void without_roofs_there_is_no_bound(void **state)
{
    (void)state;
    assert_false(bound_of((struct roofs){0}, NULL).is_present);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_units_are_for_what_may_be_rounded),
        cmocka_unit_test(the_slower_roof_limits),
        cmocka_unit_test(a_size_has_the_bandwidth_of_the_level_it_has_outgrown),
        cmocka_unit_test(a_bound_of_a_busy_machine_accuses_nobody),
        cmocka_unit_test(without_roofs_there_is_no_bound),
    };

    return cmocka_run_group_tests_name("bound", tests, NULL, NULL);
}
