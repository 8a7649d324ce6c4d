#include "tests/unit/unit.h"

#include "core/session/recorded/standalone/standalone_rounding.h"
#include "tests/unit/graph_fixture.h"

/* A problem with an image x, a filter w of `filter` and one convolution, `nodes`. */
static const char form[] =
    "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, \"tolerance\": {\"class\": "
    "\"f32\"}, \"tensors\": {"
    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2, 4, 5, 5], \"fill\": "
    "{\"normal\": [0, 1]}},"
    "\"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [4, %s], \"fill\": {\"normal\": "
    "[0, 1]}},"
    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [2, 4, 5, 5]}}, \"graph\": [%s]}";

#define CONV(name, x, y, more) \
    "{\"op\": \"" name "\", \"in\": [\"" x "\", \"w\"], \"out\": \"" y "\", \"padding\": " more "}"
#define RELU "{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"t\"}, "
#define ADD  ", {\"op\": \"add\", \"in\": [\"t\", \"x\"], \"out\": \"y\"}"

static const struct row {
    const char *filter, *nodes, *found; /* the array, or the error */
} rows[] = {
    {"4, 3, 3", CONV("conv2d", "x", "y", "1"), "[[0,1],[1,1]]"},
    {"4, 1, 1", CONV("conv2d", "x", "y", "0"), "[[0,0],[1,0]]"},
    {"4, 3, 3", CONV("conv_transpose2d", "x", "y", "1"), "[[0,0],[1,0]]"},
    {"1, 3, 3", CONV("conv2d", "x", "y", "1, \"groups\": 4"), "[]"},
    {"4, 3, 3", RELU CONV("conv2d", "t", "y", "1"),
     "--tf32-convolutions: graph[1], conv2d, reads \"t\", which kernels compute: only inputs and "
     "params can be rounded"},
    {"4, 3, 3", CONV("conv2d", "x", "t", "1") ADD,
     "--tf32-convolutions: graph[1], add, also reads \"x\", which would be rounded for a "
     "convolution"},
};

static void operands_of_convolutions_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct graph_fixture built;
        struct strbuf text = {0}, found = {0};
        struct json *rounding;
        struct error err;

        strbuf_addf(&text, form, rows[i].filter, rows[i].nodes);
        if (graph_fixture_build(strbuf_cstr(&text), &built, &err))
            fail_msg("row %zu: %s", i, err.text);
        rounding = standalone_rounding(&built.graph, &err);
        if (rounding)
            json_print(rounding, &found);
        else
            strbuf_adds(&found, err.text);
        assert_string_equal(strbuf_cstr(&found), rows[i].found);
        json_free(rounding);
        graph_fixture_release(&built);
        strbuf_release(&found);
        strbuf_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operands_of_convolutions_are_found)};

    return cmocka_run_group_tests_name("standalone_rounding", tests, NULL, NULL);
}
