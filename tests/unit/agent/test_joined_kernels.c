/* Small launches that run side by side on a GPU. */
#include "tests/unit/unit.h"

#include <string.h>

#include "tests/unit/builtin_fixture.h"

/* The first candidate for three layers over x, of which the last one reads the second one. */
static struct candidate layers(const char *rows)
{
    struct strbuf text = {0};
    struct candidate candidate;

    strbuf_addf(
        &text,
        "{\"kforge\": 1, \"name\": \"layers\", \"summary\": \"Layers.\", \"dims\": {},"
        " \"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [%s, 40],"
        " \"fill\": {\"normal\": [0, 1]}}, \"v\": {\"role\": \"param\", \"dtype\": \"f32\","
        " \"shape\": [40, 40], \"fill\": {\"normal\": [0, 1]}}, \"w\": {\"role\": \"param\","
        " \"dtype\": \"f32\", \"shape\": [40, 40], \"fill\": {\"normal\": [0, 1]}},"
        " \"a\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [%s, 40]},"
        " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [%s, 40]}}, \"graph\": ["
        "{\"op\": \"linear\", \"in\": [\"x\", \"v\"], \"out\": \"a\"},"
        "{\"op\": \"linear\", \"in\": [\"x\", \"w\"], \"out\": \"b\"},"
        "{\"op\": \"linear\", \"in\": [\"b\", \"v\"], \"out\": \"y\"}],"
        " \"tolerance\": {\"class\": \"f32\"}}",
        rows, rows, rows);
    candidate = builtin_fixture_first(strbuf_cstr(&text));
    strbuf_release(&text);
    return candidate;
}

static size_t count(const char *text, const char *word)
{
    size_t found = 0;

    while ((text = strstr(text, word))) {
        found++;
        text += strlen(word);
    }
    return found;
}

static void independent_launches_are_one(void **state)
{
    struct candidate candidate = layers("70");
    const char *launches = strstr(candidate.plan, "\"launches\"");

    (void)state;
    assert_non_null(launches);
    assert_int_equal(count(launches, "\"kernel\""), 2);
    assert_int_equal(count(launches, "\"joined_0\""), 1);
    assert_non_null(strstr(candidate.source, "joined_0(const float *restrict p0"));
    assert_non_null(
        strstr(candidate.source, "_part(joined < 18 ? p0 : p1, p2, joined < 18 ? p3 : p4"));
    candidate_release(&candidate);
}

/* The weights of one product are converted ahead, those of the other beside its rows. */
static void prepared_kernels_stay(void **state)
{
    struct candidate candidate = builtin_fixture_first(
        "{\"kforge\": 1, \"name\": \"products\", \"summary\": \"Products.\", \"dims\": {},"
        " \"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [256, 200],"
        " \"fill\": {\"normal\": [0, 1]}}, \"v\": {\"role\": \"param\", \"dtype\": \"f32\","
        " \"shape\": [200, 256], \"fill\": {\"normal\": [0, 1]}}, \"w\": {\"role\": \"input\","
        " \"dtype\": \"f32\", \"shape\": [200, 256], \"fill\": {\"normal\": [0, 1]}},"
        " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [256, 256]},"
        " \"z\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [256, 256]}}, \"graph\": ["
        "{\"op\": \"matmul\", \"in\": [\"x\", \"v\"], \"out\": \"y\"},"
        "{\"op\": \"matmul\", \"in\": [\"x\", \"w\"], \"out\": \"z\"}],"
        " \"tolerance\": {\"class\": \"mixed\"}}");

    (void)state;
    assert_non_null(strstr(candidate.source, "halve_b_0_part"));
    assert_non_null(strstr(candidate.source, " halve_b_0("));
    candidate_release(&candidate);
}

/* They would fill a GPU one by one. */
static void large_launches_stay_apart(void **state)
{
    struct candidate candidate = layers("70000");

    (void)state;
    assert_null(strstr(candidate.source, "joined"));
    candidate_release(&candidate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_launches_are_one),
        cmocka_unit_test(prepared_kernels_stay),
        cmocka_unit_test(large_launches_stay_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
