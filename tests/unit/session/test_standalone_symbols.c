#include "tests/unit/unit.h"

#include <string.h>

#include "core/session/recorded/standalone/standalone_symbols.h"
#include "tests/unit/graph_fixture.h"

static const char form[] =
    "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {\"M\": 6, \"N\": 8}, "
    "\"dynamic\": [\"%s\"], \"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", "
    "\"shape\": [\"M\", \"N\"], \"fill\": {\"normal\": [0, 1]}}, "
    "\"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]}}, "
    "\"tolerance\": {\"class\": \"f32\"}, "
    "\"graph\": [{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"y\"}]}";

#define PLAN(grid, more)                                                                      \
    "{\"build\": [" more "], \"scratch\": {\"s\": {\"dtype\": \"f32\", \"shape\": [\"M\"]}}," \
    " \"launches\": [{\"kernel\": \"k\", " grid ", \"args\": [\"x\", \"M\"]}]}"

static const struct row {
    const char *dynamic, *plan;
    bool is_possible;
} rows[] = {
    {"M", PLAN("\"grid\": [\"M\"], \"block\": [64]", ""), true},
    {"M", PLAN("\"global\": [\"M * N\"], \"local\": [\"N\"]", "\"-DN={N}\""), true},
    {"N", PLAN("\"grid\": [\"M\"], \"block\": [64]", ""), false},
    {"M", PLAN("\"grid\": [\"M\"], \"block\": [64]", "\"-DROWS={M}\""), false},
    {"M", PLAN("\"grid\": [1], \"block\": [\"M\"]", ""), false},
    {"M", PLAN("\"global\": [\"M\"]", ""), false},
};

static void expressions_over_the_batch_are_found(void **state)
{
    static const struct binding dims[] = {{"M", 6}, {"N", 8}};
    const struct scope scope = {dims, 2, NULL};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct candidate candidate = {0};
        struct standalone_batch batch;
        struct graph_fixture built;
        struct strbuf text = {0};
        struct json *symbols;
        struct error err;
        char plan[512];

        strbuf_addf(&text, form, rows[i].dynamic);
        if (graph_fixture_build(strbuf_cstr(&text), &built, &err))
            fail_msg("row %zu: %s", i, err.text);
        assert_true(strlen(rows[i].plan) < sizeof(plan));
        candidate.plan = strcpy(plan, rows[i].plan);
        standalone_batch_find(&batch, &built.problem, &built.graph);
        symbols = standalone_symbols(&batch, &built.problem, &candidate, &scope);
        assert_int_equal(symbols != NULL, rows[i].is_possible);
        if (symbols)
            assert_string_equal(json_get_string(symbols, "dimension", ""), "M");
        json_free(symbols);
        standalone_batch_release(&batch);
        graph_fixture_release(&built);
        strbuf_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(expressions_over_the_batch_are_found)};

    return cmocka_run_group_tests_name("standalone_symbols", tests, NULL, NULL);
}
