#include "tests/unit/graph_fixture.h"

#include <math.h>
#include <stdlib.h>

static void costs_are_those_of_the_graph(void **state)
{
    const double m = 512, n = 1024, k = 768, h = 2880;
    struct graph_fixture linear = graph_fixture_load("linear_gelu");
    struct graph_fixture norm = graph_fixture_load("add_rmsnorm");

    (void)state;
    assert_true(graph_flops(&linear.graph) == m * n * (2 * k + 1 + 5));
    assert_true(graph_bytes(&linear.graph) == 4 * (m * k + n * k + n + m * n));
    assert_true(graph_flops(&norm.graph) == m * h * (1 + 4));
    assert_true(graph_bytes(&norm.graph) == 4 * (4 * m * h + h));
    graph_fixture_release(&linear);
    graph_fixture_release(&norm);
}

/* Expected flops and bytes of one operation; operands are f32 unless `types` differs. */
struct cost {
    const char *node;
    const char *shapes[3], *types[3];
    const char *result;
    double flops, bytes;
};

static void assert_cost(const struct cost *cost)
{
    char *text = graph_fixture_one_node(cost->node, cost->shapes, cost->types, cost->result);
    struct graph_fixture built = {0};
    struct error err = {0};

    if (graph_fixture_build(text, &built, &err))
        fail_msg("%s", err.text);
    assert_true(fabs(graph_flops(&built.graph) - cost->flops) <= 1e-9 * cost->flops);
    assert_true(fabs(graph_bytes(&built.graph) - cost->bytes) <= 1e-9 * cost->bytes);
    graph_fixture_release(&built);
    free(text);
}

static const struct cost costs[] = {
    {"\"op\": \"avg_pool1d\", \"in\": [\"a\"], \"kernel_size\": 4, \"stride\": 3, "
     "\"padding\": 2, \"ceil_mode\": true",
     {"[2, 3, 10]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [2, 3, 4]",
     2 * 3 * (2 + 4 + 4 + 3),
     4 * (2 * 3 * 10 + 2 * 3 * 4)},
    {"\"op\": \"max_pool1d\", \"in\": [\"a\"], \"kernel_size\": 3, \"stride\": 1, "
     "\"dilation\": 2, \"padding\": 1",
     {"[1, 1, 9]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [1, 1, 7]",
     5 * 3 + 2 * 2,
     4 * (9 + 7)},
    {"\"op\": \"adaptive_avg_pool1d\", \"in\": [\"a\"], \"output_size\": 4",
     {"[1, 1, 10]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [1, 1, 4]",
     3 + 3 + 3 + 3,
     4 * (10 + 4)},
    /* Five windows of three elements; each of the two outer windows lacks one. */
    {"\"op\": \"conv1d\", \"in\": [\"a\", \"b\"], \"padding\": 1",
     {"[2, 3, 5]", "[7, 3, 3]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [2, 7, 5]",
     2 * 2 * 3 * 7 * 13,
     4 * (2 * 3 * 5 + 7 * 3 * 3 + 2 * 7 * 5)},
    {"\"op\": \"conv_transpose1d\", \"in\": [\"a\", \"b\"], \"stride\": 2",
     {"[1, 1, 5]", "[1, 1, 3]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [1, 1, 11]",
     2 * 5 * 3,
     4 * (5 + 3 + 11)},
    {"\"op\": \"scaled_dot_product_attention\", \"in\": [\"a\", \"b\", \"b\"], "
     "\"is_causal\": true",
     {"[2, 3, 8]", "[2, 4, 8]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [2, 3, 8]",
     2 * (1 + 2 + 3) * (4 * 8 + 5),
     4 * (2 * 3 * 8 + 2 * 4 * 8 + 2 * 3 * 8)},
    {"\"op\": \"slice\", \"in\": [\"a\"], \"dim\": 0, \"end\": 2",
     {"[1000, 8]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [2, 8]",
     0,
     4 * (2 * 8 + 2 * 8)},
    /* The index is filled with a single number, which names one row. */
    {"\"op\": \"embedding\", \"in\": [\"a\", \"b\"]",
     {"[2]", "[50, 8]"},
     {"i32"},
     "\"dtype\": \"f32\", \"shape\": [2, 8]",
     0,
     4 * (2 + 1 * 8 + 2 * 8)},
    {"\"op\": \"index_copy\", \"in\": [\"a\", \"b\", \"c\"], \"dim\": 0",
     {"[50, 8]", "[2]", "[2, 8]"},
     {"f32", "i32", "f32"},
     "\"dtype\": \"f32\", \"shape\": [50, 8]",
     0,
     4 * (48 * 8 + 2 + 2 * 8 + 50 * 8)},
};

static void only_what_is_needed_is_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++)
        assert_cost(&costs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_those_of_the_graph),
        cmocka_unit_test(only_what_is_needed_is_counted),
    };

    return cmocka_run_group_tests_name("graph_cost", tests, NULL, NULL);
}
