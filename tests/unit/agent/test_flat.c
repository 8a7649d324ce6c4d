/* Launches on a GPU have no more work-groups along the second and third axis than it takes. */
#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "tests/unit/builtin_fixture.h"

/* A problem with the inputs "x" and "z", an output "y", and one operation. */
static struct candidate first(const char *x, const char *z, const char *y, const char *node)
{
    struct strbuf text = {0};
    struct candidate candidate;

    strbuf_addf(&text,
                "{\"kforge\": 1, \"name\": \"flat\", \"summary\": \"Flat.\", \"dims\": {},"
                " \"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": %s,"
                " \"fill\": {\"uniform\": [0, 1]}},"
                " \"z\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": %s,"
                " \"fill\": {\"uniform\": [0, 1]}},"
                " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": %s}},"
                " \"graph\": [%s], \"tolerance\": {\"class\": \"f32\"}}",
                x, z, y, node);
    candidate = builtin_fixture_first(strbuf_cstr(&text));
    strbuf_release(&text);
    return candidate;
}

/* Check the second and third sizes of the first launch. */
static void check_axes(const struct candidate *candidate, const char *down, const char *deep)
{
    struct json *plan = json_parse(candidate->plan, strlen(candidate->plan), NULL);
    const struct json *global = json_get(json_first(json_get(plan, "launches")), "global");

    assert_non_null(global);
    assert_string_equal(json_string(json_at(global, 1), "1"), down);
    assert_string_equal(json_string(json_at(global, 2), "1"), deep);
    json_free(plan);
}

static const char matmul[] = "{\"op\": \"matmul\", \"in\": [\"x\", \"z\"], \"out\": \"y\"}";

static void many_matrices_are_along_the_first_axis(void **state)
{
    struct candidate candidate =
        first("[70000, 16, 16]", "[70000, 16, 16]", "[70000, 16, 16]", matmul);

    (void)state;
    check_axes(&candidate, "8", "1");
    assert_non_null(strstr(candidate.source, ", const long flat_across, const long flat_down)"));
    assert_non_null(strstr(candidate.source, "(blockIdx.x / (uint)(flat_across * flat_down))"));
    assert_null(strstr(candidate.source, "blockIdx.z"));
    candidate_release(&candidate);
}

static void fewer_matrices_stay_along_the_third_axis(void **state)
{
    struct candidate candidate =
        first("[60000, 16, 16]", "[60000, 16, 16]", "[60000, 16, 16]", matmul);

    (void)state;
    check_axes(&candidate, "align(ceildiv(16, 2), 8)", "60000");
    assert_null(strstr(candidate.source, "flat_"));
    candidate_release(&candidate);
}

/* A work-item for each result: a tile of a product would be nearly empty. */
static void small_matrices_are_multiplied_by_elements(void **state)
{
    static const struct {
        const char *x, *z, *y, *node;
    } cases[] = {
        {"[100000, 3, 3]", "[100000, 3, 3]", "[100000, 3, 3]", ""},
        {"[100000, 3, 3]", "[100000, 3, 3]", "[100000, 3, 3]", ", \"transpose_b\": true"},
        {"[100000, 3, 3]", "[100000, 3, 3]", "[100000, 3, 3]", ", \"transpose_a\": true"},
        {"[100000, 4]", "[4, 4]", "[100000, 4]", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct strbuf node = {0};
        struct candidate candidate;

        strbuf_addf(&node, "{\"op\": \"matmul\", \"in\": [\"x\", \"z\"], \"out\": \"y\"%s}",
                    cases[i].node);
        candidate = first(cases[i].x, cases[i].z, cases[i].y, strbuf_cstr(&node));
        assert_null(strstr(candidate.source, " matmul_"));
        assert_non_null(strstr(candidate.source, " places_"));
        candidate_release(&candidate);
        strbuf_release(&node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_matrices_are_along_the_first_axis),
        cmocka_unit_test(fewer_matrices_stay_along_the_third_axis),
        cmocka_unit_test(small_matrices_are_multiplied_by_elements),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
