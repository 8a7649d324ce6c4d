#include "tests/unit/graph_fixture.h"

#include <stdlib.h>

struct inference {
    const char *node;
    const char *shapes[3], *types[3];
    const char *result; /* the declaration of y */
};

static void assert_inferred(const struct inference *expected)
{
    char *text =
        graph_fixture_one_node(expected->node, expected->shapes, expected->types, expected->result);
    struct graph_fixture built = {0};
    struct error err = {0};

    if (graph_fixture_build(text, &built, &err))
        fail_msg("%s", err.text);
    graph_fixture_release(&built);
    free(text);
}

static const struct inference inferences[] = {
    {"\"op\": \"add\", \"in\": [\"a\", \"b\"]",
     {"[\"M\", 1, \"N\"]", "[5, 1]"},
     {"f16", "bf16"},
     "\"dtype\": \"f32\", \"shape\": [4, 5, 6]"},
    {"\"op\": \"sub\", \"in\": [1, \"a\"]",
     {"[\"M\"]"},
     {"i32"},
     "\"dtype\": \"i32\", \"shape\": [4]"},
    {"\"op\": \"div\", \"in\": [\"a\", 2]",
     {"[\"M\"]"},
     {"i32"},
     "\"dtype\": \"f32\", \"shape\": [4]"},
    {"\"op\": \"where\", \"in\": [\"a\", \"b\", -1e9]",
     {"[\"N\"]", "[\"M\", 1]"},
     {"bool", "bf16"},
     "\"dtype\": \"bf16\", \"shape\": [4, 6]"},
    {"\"op\": \"cast\", \"in\": [\"a\"], \"dtype\": \"f16\"",
     {"[\"M\"]"},
     {"i64"},
     "\"dtype\": \"f16\", \"shape\": [4]"},
    {"\"op\": \"sum\", \"in\": [\"a\"], \"dim\": [0, -1]",
     {"[\"M\", 3, \"N\"]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [3]"},
    {"\"op\": \"mean\", \"in\": [\"a\"], \"dim\": 1, \"keepdim\": true",
     {"[\"M\", 3, \"N\"]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [4, 1, 6]"},
    {"\"op\": \"argmax\", \"in\": [\"a\"]",
     {"[\"M\", \"N\"]"},
     {0},
     "\"dtype\": \"i64\", \"shape\": []"},
    {"\"op\": \"matmul\", \"in\": [\"a\", \"b\"], \"transpose_a\": true",
     {"[2, 1, 3, \"M\"]", "[5, 3, \"N\"]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [2, 5, 4, 6]"},
    {"\"op\": \"linear\", \"in\": [\"a\", \"b\", \"c\"]",
     {"[7, \"M\", 3]", "[\"N\", 3]", "[\"N\"]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [7, 4, 6]"},
    {"\"op\": \"layer_norm\", \"in\": [\"a\"], \"normalized_shape\": [3, \"N\"]",
     {"[\"M\", 3, \"N\"]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [4, 3, 6]"},
    {"\"op\": \"conv2d\", \"in\": [\"a\", \"b\", \"c\"], \"stride\": [2, 1], \"padding\": 1, "
     "\"groups\": 2",
     {"[3, \"M\", 9, 9]", "[\"N\", 2, 3, 3]", "[\"N\"]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [3, 6, 5, 9]"},
    {"\"op\": \"conv_transpose1d\", \"in\": [\"a\", \"b\"], \"stride\": \"M\", "
     "\"output_padding\": 1",
     {"[2, \"N\", 5]", "[\"N\", 3, 4]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [2, 3, 21]"},
    {"\"op\": \"max_pool2d\", \"in\": [\"a\"], \"kernel_size\": 3, \"stride\": 2, "
     "\"ceil_mode\": true",
     {"[1, 2, 8, 7]"},
     {"f16"},
     "\"dtype\": \"f16\", \"shape\": [1, 2, 4, 3]"},
    {"\"op\": \"adaptive_avg_pool3d\", \"in\": [\"a\"], \"output_size\": [1, 2, 9]",
     {"[1, 2, 8, 7, 6]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [1, 2, 1, 2, 9]"},
    {"\"op\": \"scaled_dot_product_attention\", \"in\": [\"a\", \"b\", \"c\"], "
     "\"enable_gqa\": true",
     {"[2, \"N\", \"M\", 8]", "[2, 3, 7, 8]", "[2, 3, 7, 5]"},
     {"f16", "f16", "f16"},
     "\"dtype\": \"f16\", \"shape\": [2, 6, 4, 5]"},
    {"\"op\": \"cumsum\", \"in\": [\"a\"], \"dim\": 0",
     {"[\"M\"]"},
     {"i32"},
     "\"dtype\": \"i64\", \"shape\": [4]"},
    {"\"op\": \"reshape\", \"in\": [\"a\"], \"shape\": [\"2 * M\", -1]",
     {"[\"M\", \"N\"]"},
     {0},
     "\"dtype\": \"f32\", \"shape\": [8, 3]"},
    {"\"op\": \"slice\", \"in\": [\"a\"], \"dim\": -1, \"start\": 1, \"end\": \"N - 1\", "
     "\"step\": 2",
     {"[\"M\", \"N\"]"},
     {"bool"},
     "\"dtype\": \"bool\", \"shape\": [4, 2]"},
    {"\"op\": \"concat\", \"in\": [\"a\", \"b\", \"a\"], \"dim\": 1",
     {"[\"M\", \"N\"]", "[\"M\", 1]"},
     {"f16", "f32"},
     "\"dtype\": \"f32\", \"shape\": [4, 13]"},
    {"\"op\": \"embedding\", \"in\": [\"a\", \"b\"]",
     {"[\"M\", 2]", "[50, \"N\"]"},
     {"i32", "bf16"},
     "\"dtype\": \"bf16\", \"shape\": [4, 2, 6]"},
};

static void shapes_and_types_follow_from_the_operands(void **state)
{

    (void)state;
    for (size_t i = 0; i < sizeof(inferences) / sizeof(*inferences); i++)
        assert_inferred(&inferences[i]);
}

struct refusal {
    const char *node;
    const char *shapes[3], *types[3];
    const char *expected;
};

static void assert_refused(const struct refusal *refusal)
{
    char *text = graph_fixture_one_node(refusal->node, refusal->shapes, refusal->types,
                                        "\"dtype\": \"f32\", \"shape\": []");
    struct graph_fixture built = {0};
    struct error err = {0};

    if (!graph_fixture_build(text, &built, &err))
        fail_msg("%s is accepted", refusal->node);
    assert_string_equal(err.text, refusal->expected);
    graph_fixture_release(&built);
    free(text);
}

static const struct refusal refusals[] = {
    {"\"op\": \"linear\", \"in\": [\"a\", \"b\"]",
     {"[\"M\", 3]", "[3, \"N\"]"},
     {0},
     "p.json: graph[0]: linear of a f32 [4, 3], b f32 [3, 6]: expected x [..., K] and weight "
     "[N, K]"},
    {"\"op\": \"linear\", \"in\": [\"a\", \"b\", \"c\"]",
     {"[3]", "[\"N\", 3]", "[1]"},
     {0},
     "p.json: graph[0]: linear of a f32 [3], b f32 [6, 3], c f32 [1]: expected bias [6]"},
    {"\"op\": \"matmul\", \"in\": [\"a\", \"b\"]",
     {"[\"M\", 3]", "[2, 4, \"N\"]"},
     {0},
     "p.json: graph[0]: matmul of a f32 [4, 3], b f32 [2, 4, 6]: expected the same inner size, "
     "found 3 and 4"},
    {"\"op\": \"matmul\", \"in\": [\"a\", 2]",
     {"[\"M\", 3]"},
     {0},
     "p.json: graph[0]: matmul of a f32 [4, 3], 2: expected matrices, or batches of them"},
    {"\"op\": \"add\", \"in\": [\"a\", 0.5]",
     {"[\"M\"]"},
     {"i32"},
     "p.json: graph[0].in[1]: i32 cannot represent 0.5: cast \"a\""},
    {"\"op\": \"where\", \"in\": [\"a\", 1, 2]",
     {"[\"M\"]"},
     {0},
     "p.json: graph[0]: where of a f32 [4], 1, 2: expected a bool condition as the first "
     "operand"},
    {"\"op\": \"neg\", \"in\": [\"a\"]",
     {"[\"M\"]"},
     {"bool"},
     "p.json: graph[0]: neg of a bool [4]: expected numbers, found bool"},
    {"\"op\": \"sum\", \"in\": [\"a\"], \"dim\": [0, -1]",
     {"[\"M\"]"},
     {0},
     "p.json: graph[0].dim: sum of a f32 [4]: an axis is given twice"},
    {"\"op\": \"argmin\", \"in\": [\"a\"], \"dim\": [0, 1]",
     {"[\"M\", 2]"},
     {0},
     "p.json: graph[0].dim: argmin of a f32 [4, 2]: expected one axis"},
    {"\"op\": \"rms_norm\", \"in\": [\"a\", \"b\"]",
     {"[\"M\", \"N\"]", "[\"M\"]"},
     {0},
     "p.json: graph[0]: rms_norm of a f32 [4, 6], b f32 [4]: expected normalized_shape, weight "
     "and bias to be [6]"},
    {"\"op\": \"add\", \"in\": [\"a\", \"b\"]",
     {"[60000000, 1]", "[60000]"},
     {0},
     "p.json: graph[0]: the result [60000000, 60000] is more than 1099511627776 elements"},
    {"\"op\": \"matmul\", \"in\": [\"a\", \"b\"]",
     {"[3000000000, 2]", "[2, 3]"},
     {0},
     "p.json: graph[0]: matmul of a matrix with a side of more than 2147483647"},
    {"\"op\": \"gelu\", \"in\": [\"a\"], \"approximate\": \"erf\"",
     {"[\"M\"]"},
     {0},
     "p.json: graph[0].approximate: \"erf\" is not one of \"none\", \"tanh\""},
    {"\"op\": \"conv2d\", \"in\": [\"a\", \"b\"]",
     {"[1, 3, 8]", "[2, 3, 3]"},
     {0},
     "p.json: graph[0]: conv2d of a f32 [1, 3, 8], b f32 [2, 3, 3]: expected input and weight "
     "with 4 axes: [batch, channels, 2 of space]"},
    {"\"op\": \"conv1d\", \"in\": [\"a\", \"b\"], \"groups\": 2",
     {"[1, \"M\", 8]", "[2, \"M\", 3]"},
     {0},
     "p.json: graph[0]: conv1d of a f32 [1, 4, 8], b f32 [2, 4, 3]: expected weight "
     "[out, in, ...] with 2 input channels"},
    {"\"op\": \"conv1d\", \"in\": [\"a\", \"b\"], \"dilation\": 4",
     {"[1, \"M\", 8]", "[2, \"M\", 3]"},
     {0},
     "p.json: graph[0]: conv1d of a f32 [1, 4, 8], b f32 [2, 4, 3]: a window of 9 places "
     "leaves "
     "no result along axis 2, of size 8 with padding 0"},
    {"\"op\": \"conv_transpose1d\", \"in\": [\"a\", \"b\"], \"output_padding\": 1",
     {"[1, \"M\", 8]", "[\"M\", 2, 3]"},
     {0},
     "p.json: graph[0].output_padding: conv_transpose1d of a f32 [1, 4, 8], b f32 [4, 2, 3]: "
     "expected less than stride or dilation, found 1"},
    {"\"op\": \"avg_pool2d\", \"in\": [\"a\"], \"kernel_size\": [3, 3, 3]",
     {"[1, 3, 8, 8]"},
     {0},
     "p.json: graph[0].kernel_size: avg_pool2d of a f32 [1, 3, 8, 8]: expected one number or "
     "2"},
    {"\"op\": \"max_pool1d\", \"in\": [\"a\"], \"kernel_size\": 3, \"padding\": 2",
     {"[1, 3, 8]"},
     {0},
     "p.json: graph[0].padding: max_pool1d of a f32 [1, 3, 8]: expected at most half of the "
     "window's size, 3"},
    {"\"op\": \"max_pool1d\", \"in\": [\"a\"], \"kernel_size\": 3, \"stride\": 0",
     {"[1, 3, 8]"},
     {0},
     "p.json: graph[0].stride: max_pool1d of a f32 [1, 3, 8]: expected 1 to 2147483647, found "
     "0"},
    {"\"op\": \"group_norm\", \"in\": [\"a\"], \"num_groups\": 4",
     {"[1, \"N\", 8]"},
     {0},
     "p.json: graph[0].num_groups: group_norm of a f32 [1, 6, 8]: expected a divisor of 6 "
     "channels, found 4"},
    {"\"op\": \"scaled_dot_product_attention\", \"in\": [\"a\", \"b\", \"b\"]",
     {"[4, 3, 8]", "[2, 3, 8]"},
     {0},
     "p.json: graph[0]: scaled_dot_product_attention of a f32 [4, 3, 8], b f32 [2, 3, 8], b "
     "f32 "
     "[2, 3, 8]: expected the same batches of queries and keys; with enable_gqa keys may have "
     "a "
     "divisor of the heads"},
    {"\"op\": \"scaled_dot_product_attention\", \"in\": [\"a\", \"a\", \"a\", \"b\"]",
     {"[3, 8]", "[2, 3]"},
     {0},
     "p.json: graph[0]: scaled_dot_product_attention of a f32 [3, 8], a f32 [3, 8], a f32 [3, "
     "8], b f32 [2, 3]: expected a mask that broadcasts to [3, 3]"},
    {"\"op\": \"rope\", \"in\": [\"a\", \"b\", \"b\"]",
     {"[3, 2, 8]", "[3, 4]"},
     {0},
     "p.json: graph[0]: rope of a f32 [3, 2, 8], b f32 [3, 4], b f32 [3, 4]: expected cosines "
     "and sines that broadcast to [3, 2, 4]"},
    {"\"op\": \"reshape\", \"in\": [\"a\"], \"shape\": [5, -1]",
     {"[\"M\", \"N\"]"},
     {0},
     "p.json: graph[0].shape: reshape of a f32 [4, 6]: expected sizes for 24 elements, found "
     "5"},
    {"\"op\": \"permute\", \"in\": [\"a\"], \"dims\": [1, 1]",
     {"[\"M\", \"N\"]"},
     {0},
     "p.json: graph[0].dims: permute of a f32 [4, 6]: expected each of the 2 axes once"},
    {"\"op\": \"slice\", \"in\": [\"a\"], \"dim\": 0, \"start\": 4",
     {"[\"M\", \"N\"]"},
     {0},
     "p.json: graph[0]: slice of a f32 [4, 6]: the slice from 4 to 4 is empty"},
    {"\"op\": \"concat\", \"in\": [\"a\", \"b\"]",
     {"[\"M\", \"N\"]", "[\"M\", 5]"},
     {0},
     "p.json: graph[0]: concat of a f32 [4, 6], b f32 [4, 5]: expected the same sizes along "
     "all "
     "axes but 0"},
    {"\"op\": \"pad\", \"in\": [\"a\"], \"pad\": [0, \"-N\"]",
     {"[\"M\", \"N\"]"},
     {0},
     "p.json: graph[0].pad: pad of a f32 [4, 6]: nothing is left along axis 1"},
    {"\"op\": \"embedding\", \"in\": [\"a\", \"b\"]",
     {"[\"M\"]", "[1, \"N\"]"},
     {"i64"},
     "p.json: graph[0]: embedding of a i64 [4], b f32 [1, 6]: expected an index from 0 to 0, "
     "\"a\" is filled with 1 to 1"},
    {"\"op\": \"gather\", \"in\": [\"a\", \"b\"], \"dim\": 1",
     {"[\"M\", \"N\"]", "[5, 2]"},
     {"f32", "i64"},
     "p.json: graph[0]: gather of a f32 [4, 6], b i64 [5, 2]: expected an index of at most 4 "
     "along axis 0"},
};

static void what_does_not_fit_is_named_with_its_shapes(void **state)
{

    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++)
        assert_refused(&refusals[i]);
}

static void attributes_have_their_defaults(void **state)
{
    static const char *const shapes[3] = {"[]"}, *const types[3] = {0};
    char *text = graph_fixture_one_node("\"op\": \"softplus\", \"in\": [\"a\"], \"beta\": 2",
                                        shapes, types, "\"dtype\": \"f32\", \"shape\": []");
    struct graph_fixture built = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(graph_fixture_build(text, &built, &err), STATUS_OK);

    struct op_call call = graph_call(&built.graph, 0);

    assert_true(op_attribute(&call, "beta")->number == 2);
    assert_true(op_attribute(&call, "threshold")->number == 20);
    assert_false(op_attribute(&call, "threshold")->is_given);
    graph_fixture_release(&built);
    free(text);
}

static void inner_values_follow_the_tensors(void **state)
{
    struct graph_fixture built = graph_fixture_load("linear_gelu");
    size_t inner = graph_find(&built.graph, "t");

    (void)state;
    assert_int_equal(inner, 4);
    assert_int_equal(built.graph.values.items[inner].role, TENSOR_INNER);
    assert_int_equal(built.graph.nodes.items[0].out, inner);
    assert_int_equal(built.graph.nodes.items[1].in[0], inner);
    assert_int_equal(graph_find(&built.graph, "nothing"), built.graph.values.count);
    graph_fixture_release(&built);
}

/* A graph knows its values by name, however many there are. */
static void each_of_many_values_has_its_name(void **state)
{
    enum { NODES = 500 };
    struct strbuf text = {0};
    struct graph_fixture built = {0};
    struct error err = {0};

    (void)state;
    strbuf_adds(&text,
                "{\"kforge\": 1, \"name\": \"many\", \"summary\": \"Many.\", \"dims\": {},"
                "\"tensors\": {\"t0\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4],"
                "\"fill\": {\"normal\": [0, 1]}}, \"y\": {\"role\": \"output\", \"dtype\":"
                "\"f32\", \"shape\": [4]}}, \"tolerance\": {\"class\": \"f32\"}, \"graph\": [");
    for (int i = 1; i < NODES; i++)
        strbuf_addf(&text, "{\"op\": \"add\", \"in\": [\"t%d\", 1], \"out\": \"t%d\"},", i - 1, i);
    strbuf_addf(&text, "{\"op\": \"neg\", \"in\": [\"t%d\"], \"out\": \"y\"}]}", NODES - 1);
    if (graph_fixture_build(strbuf_cstr(&text), &built, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < built.graph.values.count; i++)
        if (built.graph.values.items[i].role != TENSOR_CONSTANT)
            assert_int_equal(graph_find(&built.graph, built.graph.values.items[i].name), i);
    assert_int_equal(graph_find(&built.graph, "t500"), built.graph.values.count);
    graph_fixture_release(&built);
    strbuf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_of_many_values_has_its_name),
        cmocka_unit_test(shapes_and_types_follow_from_the_operands),
        cmocka_unit_test(what_does_not_fit_is_named_with_its_shapes),
        cmocka_unit_test(attributes_have_their_defaults),
        cmocka_unit_test(inner_values_follow_the_tensors),
    };

    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
