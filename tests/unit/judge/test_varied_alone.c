#include "tests/unit/tried_fixture.h"

#include "core/base/strbuf.h"

/* Data of which one tensor alone is huge. */

/* True if a tensor of the graph varies alone: x is an input, w a param. */
static bool varies_alone(const char *graph)
{
    struct strbuf text = {0};
    struct tried tried;

    strbuf_addf(&text,
                "\"dims\": {}, \"tensors\": {"
                "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [40, 40],"
                " \"fill\": {\"normal\": [0, 1]}},"
                "\"w\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [40, 40],"
                " \"fill\": {\"normal\": [0, 1]}},"
                "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [40, 40]}},"
                "\"graph\": [%s]",
                graph);
    tried = tried_on(strbuf_cstr(&text));
    strbuf_release(&text);
    return tried.is_tried[VARIATION_ALONE];
}

/* Winograd's inner products add elements of both factors. */
static void factors_of_products_do_not(void **state)
{
    (void)state;
    assert_false(varies_alone("{\"op\": \"matmul\", \"in\": [\"x\", \"w\"], \"out\": \"y\"}"));
    assert_false(varies_alone("{\"op\": \"permute\", \"in\": [\"x\"], \"out\": \"t\","
                              " \"dims\": [1, 0]},"
                              "{\"op\": \"matmul\", \"in\": [\"t\", \"w\"], \"out\": \"y\"}"));
}

static void other_tensors_do(void **state)
{
    (void)state;
    assert_true(varies_alone("{\"op\": \"mul\", \"in\": [\"x\", \"w\"], \"out\": \"y\"}"));
    assert_true(varies_alone("{\"op\": \"matmul\", \"in\": [\"x\", \"x\"], \"out\": \"s\"},"
                             "{\"op\": \"matmul\", \"in\": [\"s\", \"w\"], \"out\": \"y\"}"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_of_products_do_not),
        cmocka_unit_test(other_tensors_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
