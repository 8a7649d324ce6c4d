#include "tests/unit/unit.h"

#include <string.h>

#include "core/judge/bound.h"

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

static struct bound bound_of(struct roofs roofs, bool allows_mixed, const struct estimate *time)
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
    bound_compute(&graph, &roofs, allows_mixed, time, &bound);
    graph_release(&graph);
    problem_release(&problem);
    return bound;
}

static void the_slower_roof_limits(void **state)
{
    const struct estimate time = {.median_us = 28.672};
    struct bound b =
        bound_of((struct roofs){.bytes_per_us = 1000, .flops_per_us = 65536}, false, &time);

    (void)state;
    assert_true(b.is_present);
    assert_true(b.flops == 65536 && b.bytes == 14336);
    assert_true(b.us == 14.336);
    assert_int_equal(b.limiter, LIMITER_MEMORY);
    assert_true(b.fraction == 0.5);
    b = bound_of((struct roofs){.bytes_per_us = 14336, .flops_per_us = 32768}, false, NULL);
    assert_true(b.us == 2);
    assert_int_equal(b.limiter, LIMITER_COMPUTE);
    assert_true(b.fraction == 0);
}

static void sixteen_bits_count_only_where_allowed(void **state)
{
    const struct roofs roofs = {.flops_per_us = 32768, .low_flops_per_us = 65536};

    (void)state;
    assert_true(bound_of(roofs, false, NULL).us == 2);
    assert_true(bound_of(roofs, true, NULL).us == 1);
    assert_true(bound_of((struct roofs){.flops_per_us = 32768}, true, NULL).us == 2);
}

static void without_roofs_there_is_no_bound(void **state)
{
    (void)state;
    assert_false(bound_of((struct roofs){0}, true, NULL).is_present);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slower_roof_limits),
        cmocka_unit_test(sixteen_bits_count_only_where_allowed),
        cmocka_unit_test(without_roofs_there_is_no_bound),
    };

    return cmocka_run_group_tests_name("bound", tests, NULL, NULL);
}
