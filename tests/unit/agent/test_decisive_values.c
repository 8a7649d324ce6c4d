#include "tests/unit/graph_fixture.h"

#include <stdlib.h>

#include "core/base/strbuf.h"
#include "core/codegen/decisive_values.h"

#define TENSOR(role, shape) "{\"role\": \"" role "\", \"dtype\": \"f32\", \"shape\": [" shape "]"
#define GIVEN(shape)        TENSOR("input", shape) ", \"fill\": {\"normal\": [0, 1]}}"

/* A problem in which `nodes` compute y from `logits`, the product of a and b. */
static char *problem_of(const char *nodes, const char *result)
{
    struct strbuf text = {0};

    strbuf_addf(
        &text,
        "{\"kforge\": 1, \"name\": \"choice\", \"summary\": \"One.\", \"dims\": {},"
        "\"tensors\": {\"a\": " GIVEN("4, 8") ", \"b\": " GIVEN(
            "8, 6") ", \"y\": {\"role\": \"output\", %s}}, \"graph\": ["
                    "{\"op\": \"matmul\", \"in\": [\"a\", \"b\"], \"out\": \"logits\"}, %s],"
                    "\"tolerance\": {\"class\": \"mixed\"}}",
        result, nodes);
    return strbuf_take(&text);
}

static void a_decision_is_one_that_others_are_computed_from(void **state)
{
    static const struct {
        const char *nodes, *result;
        bool decides; /* a decision depends on the product */
    } rows[] = {
        {"{\"op\": \"argmax\", \"in\": [\"logits\"], \"out\": \"i\", \"dim\": [1]},"
         "{\"op\": \"index_select\", \"in\": [\"b\", \"i\"], \"out\": \"y\", \"dim\": 0}",
         "\"dtype\": \"f32\", \"shape\": [4, 6]", true},
        {"{\"op\": \"relu\", \"in\": [\"logits\"], \"out\": \"r\"},"
         "{\"op\": \"gt\", \"in\": [\"r\", 1], \"out\": \"c\"},"
         "{\"op\": \"where\", \"in\": [\"c\", \"r\", 0], \"out\": \"y\"}",
         "\"dtype\": \"f32\", \"shape\": [4, 6]", true},
        {"{\"op\": \"sign\", \"in\": [\"logits\"], \"out\": \"s\"},"
         "{\"op\": \"neg\", \"in\": [\"s\"], \"out\": \"y\"}",
         "\"dtype\": \"f32\", \"shape\": [4, 6]", true},
        {"{\"op\": \"argmax\", \"in\": [\"logits\"], \"out\": \"y\", \"dim\": [1]}",
         "\"dtype\": \"i64\", \"shape\": [4]", false},
        {"{\"op\": \"ne\", \"in\": [\"logits\", \"logits\"], \"out\": \"c\"},"
         "{\"op\": \"where\", \"in\": [\"c\", 0, \"logits\"], \"out\": \"y\"}",
         "\"dtype\": \"f32\", \"shape\": [4, 6]", false},
        {"{\"op\": \"max\", \"in\": [\"logits\"], \"out\": \"y\", \"dim\": [1]}",
         "\"dtype\": \"f32\", \"shape\": [4]", false},
    };
    (void)state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *text = problem_of(rows[i].nodes, rows[i].result);
        struct graph_fixture built = {0};
        struct error err = {0};
        bool *decides;

        if (graph_fixture_build(text, &built, &err))
            fail_msg("%s", err.text);
        decides = decisive_values_of(&built.graph);
        assert_int_equal(decides[graph_find(&built.graph, "logits")], rows[i].decides);
        assert_int_equal(decides[graph_find(&built.graph, "a")], rows[i].decides);
        free(decides);
        graph_fixture_release(&built);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decision_is_one_that_others_are_computed_from),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
