#include "tests/unit/builtin_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* First candidates for large products on the matrix units of Hopper, with operands in 16 bits. */

/*
 * The candidate for the layer x w -> t of some rows, with a graph behind it that makes y; `other`
 * is the shape of its param o, "" for none.
 */
static struct candidate layer(const char *const sizes[3], const char *other, const char *graph,
                              const char *result)
{
    struct strbuf text = {0}, param = {0};
    struct candidate candidate;

    if (*other)
        strbuf_addf(&param,
                    "\"o\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [%s], "
                    "\"fill\": {\"normal\": [0, 1]}},",
                    other);
    strbuf_addf(
        &text,
        "{\"kforge\": 1, \"name\": \"layer\", \"summary\": \"A layer.\", \"dims\": {},"
        "\"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%s, %s],"
        " \"fill\": {\"uniform\": [0, 1]}}, \"w\": {\"role\": \"param\", \"dtype\": \"f32\","
        " \"shape\": [%s, %s], \"fill\": {\"normal\": [0, 0.02]}}, %s \"y\": {\"role\": "
        "\"output\", \"dtype\": \"f32\", \"shape\": [%s, %s]}}, \"graph\": [{\"op\": "
        "\"linear\", \"in\": [\"x\", \"w\"], \"out\": \"t\"}, %s], \"tolerance\": "
        "{\"class\": \"mixed\"}}",
        sizes[0], sizes[1], sizes[2], sizes[1], strbuf_cstr(&param), sizes[0], result, graph);
    candidate = builtin_fixture_first(strbuf_cstr(&text));
    strbuf_release(&param);
    strbuf_release(&text);
    return candidate;
}

/* Operands that are the same in each row are loaded once for four rows. */
static void columns_are_loaded_once_for_several_rows(void **state)
{
    static const char *const sizes[] = {"16384", "1024", "4096"};
    struct candidate candidate = layer(
        sizes, "4096",
        "{\"op\": \"mean\", \"in\": [\"t\"], \"out\": \"m\", \"dim\": [0], \"keepdim\": true},"
        "{\"op\": \"sub\", \"in\": [\"t\", \"m\"], \"out\": \"d\"},"
        "{\"op\": \"mul\", \"in\": [\"d\", \"o\"], \"out\": \"y\"}",
        "4096");
    (void)state;

    assert_non_null(strstr(candidate.source, "for (int part = 0; part < 4; part++) {\n"
                                             "        const int row = 16384 - 1 - "));
    assert_non_null(strstr(candidate.plan, "16384 / 4 * align("));
    candidate_release(&candidate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_loaded_once_for_several_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
