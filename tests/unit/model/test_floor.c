#include "tests/unit/unit.h"

#include <string.h>

#include "core/model/problem_reader.h"
#include "core/model/roofline/floor.h"
#include "core/model/roofline/needs.h"

/* y = x w' + b: 64 x 16 and 64 x 32 numbers are moved in every run, 32 x 16 weights need not be. */
static const char problem_text[] =
    "{\"kforge\": 1, \"name\": \"linear\", \"summary\": \"A linear layer.\","
    " \"dims\": {\"M\": 64, \"N\": 32, \"K\": 16},"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"K\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"b\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"N\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [\"N\", \"K\"],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]}},"
    " \"graph\": [{\"op\": \"linear\", \"in\": [\"x\", \"w\", \"b\"], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

enum { X, B, W, Y, VALUES };

static struct time_floor floor_of(struct roofs roofs, const bool *ignored)
{
    struct problem problem = {0};
    struct graph graph = {0};
    struct binding bindings[3];
    struct error err = {0};
    struct time_floor made = {0};

    if (problem_parse(&problem, problem_text, strlen(problem_text), "linear.json", &err))
        fail_msg("%s", err.text);
    struct scope scope = problem_scope(&problem, 0, bindings);
    assert_int_equal(graph_build(&graph, &problem, &scope, NULL), STATUS_OK);
    assert_int_equal(graph.values.count, VALUES);
    floor_compute(&graph, ignored, &roofs, &made);
    graph_release(&graph);
    problem_release(&problem);
    return made;
}

static struct roofs roofs_of(double bytes_per_us, double launch_us)
{
    return (struct roofs){.memory = {{.bytes = 1, .bytes_per_us = bytes_per_us}},
                          .memory_count = 1,
                          .flops_per_us = 1,
                          .launch_us = launch_us};
}

static void inputs_and_outputs_make_the_floor(void **state)
{
    struct time_floor made = floor_of(roofs_of(640, 2), NULL);

    (void)state;
    assert_true(made.is_present && !floor_is_launch(&made));
    assert_true(made.bytes == 4 * (64 * 16 + 32 + 64 * 32));
    assert_true(made.us == made.bytes / 640);
}

static void an_ignored_input_does_not_count(void **state)
{
    bool ignored[VALUES] = {[B] = true};

    (void)state;
    assert_true(floor_of(roofs_of(640, 0), ignored).bytes == 4 * (64 * 16 + 64 * 32));
}

static void no_run_is_shorter_than_a_launch(void **state)
{
    struct time_floor made = floor_of(roofs_of(640, 25), NULL);

    (void)state;
    assert_true(made.us == 25 && floor_is_launch(&made));
    assert_false(floor_of((struct roofs){0}, NULL).is_present);
}

/* Other programs used one of the two cores, so the measured roofs may be half of the true ones. */
static void a_floor_of_a_busy_machine_accuses_nobody(void **state)
{
    const struct time_floor limit = {.is_present = true, .us = 20};
    struct roofs roofs = roofs_of(1000, 0);

    (void)state;
    assert_true(floor_is_beaten(&limit, 10, &roofs, 2));
    assert_true(floor_is_beaten(&limit, 10, &roofs, 0));
    assert_false(floor_is_beaten(&limit, 17, &roofs, 2)); /* within the roofs' own error */
    roofs.busy_cores = 1;
    assert_false(floor_is_beaten(&limit, 10, &roofs, 2));
    assert_true(floor_is_beaten(&limit, 10, &roofs, 0));
    assert_true(floor_is_beaten(&limit, 10, &roofs, 64));
    roofs.busy_cores = 3;
    assert_false(floor_is_beaten(&limit, 10, &roofs, 2));
    assert_false(floor_is_beaten(&(struct time_floor){0}, 10, &roofs, 0));
}

/* Three sets of more elements than are compared at a time. */
static void elements_that_all_sets_have_are_counted(void **state)
{
    enum { COUNT_OF_SET = 10000, SETS = 3 };
    static float elements[SETS][COUNT_OF_SET];
    struct value value = {.dtype = DTYPE_F32,
                          .shape = {.rank = 1, .dims = {COUNT_OF_SET}},
                          .fill = {.kind = FILL_MODEL},
                          .given = {(const unsigned char *)elements, sizeof(elements[0]), SETS, 0}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF_SET; i++)
        for (size_t set = 0; set < SETS; set++)
            elements[set][i] = (float)i;
    assert_int_equal(needs_count_common(&value), COUNT_OF_SET);
    elements[1][0] = 0.5f;
    elements[2][0] = 0.5f;
    elements[2][4096] += 1;
    elements[1][COUNT_OF_SET - 1] = -1;
    assert_int_equal(needs_count_common(&value), COUNT_OF_SET - 3);
    value.given.bytes = NULL;
    assert_int_equal(needs_count_common(&value), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_and_outputs_make_the_floor),
        cmocka_unit_test(an_ignored_input_does_not_count),
        cmocka_unit_test(no_run_is_shorter_than_a_launch),
        cmocka_unit_test(a_floor_of_a_busy_machine_accuses_nobody),
        cmocka_unit_test(elements_that_all_sets_have_are_counted),
    };

    return cmocka_run_group_tests_name("floor", tests, NULL, NULL);
}
