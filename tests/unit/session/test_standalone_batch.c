#include "tests/unit/unit.h"

#include <string.h>

#include "core/session/recorded/standalone/standalone_batch.h"
#include "tests/unit/graph_fixture.h"

/* Tensors that a graph of two nodes may use: inputs of 4 samples, and params. */
static const struct tensor_text {
    const char *name, *text;
} tensors[] = {
    {"\"a\"", "\"role\": \"input\", \"shape\": [4, 6, 8]"},
    {"\"b\"", "\"role\": \"input\", \"shape\": [4, 8, 6]"},
    {"\"w\"", "\"role\": \"param\", \"shape\": [8, 8]"},
    {"\"c\"", "\"role\": \"param\", \"shape\": [4, 1, 1]"},
};

static const struct row {
    const char *shape, *first, *second, *reason;
} rows[] = {
    {"[4, 6, 8]", "\"relu\", \"in\": [\"a\"]", "\"softmax\", \"in\": [\"t\"], \"dim\": -1", ""},
    {"[4, 6, 8]", "\"relu\", \"in\": [\"a\"]", "\"softmax\", \"in\": [\"t\"], \"dim\": 0",
     "graph[1], softmax, works along it"},
    {"[6, 8]", "\"relu\", \"in\": [\"a\"]", "\"mean\", \"in\": [\"t\"], \"dim\": 0",
     "graph[1], mean, works along it"},
    {"[4, 6]", "\"matmul\", \"in\": [\"a\", \"b\"]", "\"sum\", \"in\": [\"t\"], \"dim\": 2", ""},
    {"[4, 6, 8]", "\"linear\", \"in\": [\"a\", \"w\"]", "\"add\", \"in\": [\"t\", \"c\"]",
     "graph[1], add, has other values for each sample"},
    {"[4, 48]", "\"permute\", \"in\": [\"a\"], \"dims\": [2, 0, 1]",
     "\"reshape\", \"in\": [\"t\"], \"shape\": [4, 48]", "graph[1], reshape, moves its samples"},
    {"[4, 48]", "\"reshape\", \"in\": [\"a\"], \"shape\": [24, 8]",
     "\"reshape\", \"in\": [\"t\"], \"shape\": [4, 48]", ""},
    {"[4, 6, 8]", "\"relu\", \"in\": [\"a\"]",
     "\"slice\", \"in\": [\"t\"], \"dim\": 2, \"step\": -1", ""},
    {"[4, 6, 8]", "\"relu\", \"in\": [\"a\"]",
     "\"slice\", \"in\": [\"t\"], \"dim\": 0, \"step\": -1", "graph[1], slice, moves its samples"},
    {"[6, 4, 8]", "\"relu\", \"in\": [\"a\"]",
     "\"transpose\", \"in\": [\"t\"], \"dim0\": 0, \"dim1\": 1", "it is not the first axis of y"},
    {"[8, 6, 8]", "\"relu\", \"in\": [\"a\"]", "\"concat\", \"in\": [\"t\", \"t\"], \"dim\": 0",
     "graph[1], concat, works along it"},
    {"[4, 12, 8]", "\"relu\", \"in\": [\"a\"]", "\"concat\", \"in\": [\"t\", \"a\"], \"dim\": 1",
     ""},
    {"[4, 6, 6]", "\"transpose\", \"in\": [\"b\"], \"dim0\": 1, \"dim1\": 2",
     "\"matmul\", \"in\": [\"a\", \"t\"], \"transpose_b\": true", ""},
};

/* The problem of a row; y is its output. */
static void write_problem(const struct row *row, struct strbuf *text)
{
    strbuf_adds(text,
                "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, \"tensors\": {");
    for (size_t i = 0; i < sizeof(tensors) / sizeof(tensors[0]); i++)
        if (strstr(row->first, tensors[i].name) || strstr(row->second, tensors[i].name))
            strbuf_addf(text, "%s: {%s, \"dtype\": \"f32\", \"fill\": {\"normal\": [0, 1]}}, ",
                        tensors[i].name, tensors[i].text);
    strbuf_addf(text, "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": %s}}, ",
                row->shape);
    strbuf_addf(text,
                "\"tolerance\": {\"class\": \"f32\"}, "
                "\"graph\": [{\"op\": %s, \"out\": \"t\"}, {\"op\": %s, \"out\": \"y\"}]}",
                row->first, row->second);
}

static void samples_are_followed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct graph_fixture built;
        struct standalone_batch batch;
        struct strbuf text = {0};
        struct error err;

        write_problem(&rows[i], &text);
        if (graph_fixture_build(strbuf_cstr(&text), &built, &err))
            fail_msg("row %zu: %s", i, err.text);
        standalone_batch_find(&batch, &built.problem, &built.graph);
        assert_string_equal(strbuf_cstr(&batch.reason), rows[i].reason);
        assert_int_equal(batch.size, 4);
        standalone_batch_release(&batch);
        graph_fixture_release(&built);
        strbuf_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_followed)};

    return cmocka_run_group_tests_name("standalone_batch", tests, NULL, NULL);
}
