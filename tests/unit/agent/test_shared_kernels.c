/* Plain kernels in C that differ only in names or in sizes. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/codegen/plain.h"
#include "tests/unit/graph_fixture.h"

static const char head[] =
    "{\"kforge\": 1, \"name\": \"chain\", \"summary\": \"A chain.\", \"dims\": {}, \"tensors\": {"
    "\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [2000], \"fill\": {\"uniform\": "
    "[1, 2]}}, \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [16]}}, \"graph\": ["
    "{\"op\": \"slice\", \"in\": [\"x\"], \"dim\": 0, \"start\": 0, \"end\": 16, \"out\": \"t0\"}";

/* Sum `count` parts of x, each of which begins elsewhere. */
static char *sum_of_parts(int count)
{
    struct strbuf text = {0};

    strbuf_adds(&text, head);
    for (int i = 1; i < count; i++)
        strbuf_addf(&text,
                    ", {\"op\": \"slice\", \"in\": [\"x\"], \"dim\": 0, \"start\": %d, \"end\": %d,"
                    " \"out\": \"s%d\"}, {\"op\": \"add\", \"in\": [\"t%d\", \"s%d\"], \"out\": "
                    "\"t%d\"}",
                    i, i + 16, i, i - 1, i, i);
    strbuf_addf(&text,
                ", {\"op\": \"neg\", \"in\": [\"t%d\"], \"out\": \"y\"}],"
                " \"tolerance\": {\"class\": \"f32\"}}",
                count - 1);
    return strbuf_take(&text);
}

static struct candidate plain_kernels_of(int parts, const char *language)
{
    char *text = sum_of_parts(parts);
    struct plain_target target = {.language = language};
    struct candidate candidate = {0};
    struct graph_fixture built;
    struct error err = {0};

    assert_int_equal(graph_fixture_build(text, &built, &err), STATUS_OK);
    assert_int_equal(plain_candidate(&built.problem, &target, &candidate, &err), STATUS_OK);
    graph_fixture_release(&built);
    free(text);
    return candidate;
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;

    while ((text = strstr(text, word))) {
        count++;
        text += strlen(word);
    }
    return count;
}

static void kernels_that_differ_in_names_are_one_in_c(void **state)
{
    struct candidate c = plain_kernels_of(20, "c");

    (void)state;
    assert_int_equal(occurrences(c.source, "\nINLINE void add_"), 1);
    assert_int_equal(occurrences(c.source, "\nvoid add_"), 1);
    assert_int_equal(occurrences(c.source, "\nvoid slice_"), 20);
    assert_null(strstr(c.source, "given0"));
    candidate_release(&c);
}

/* The sizes come last in the parameters of both functions, and in the arguments of the launches. */
static void kernels_of_long_sources_share_sizes_in_c(void **state)
{
    struct candidate c = plain_kernels_of(900, "c");
    struct error err = {0};
    struct json *plan = json_parse(c.plan, strlen(c.plan), &err);
    double sizes = 0;

    (void)state;
    assert_int_equal(occurrences(c.source, "\nINLINE void slice_"), 1);
    assert_int_equal(occurrences(c.source, ", const struct place item_at, const int given0)\n"), 1);
    assert_int_equal(occurrences(c.source, ", const long items0, const int given0)\n"), 1);
    assert_int_equal(occurrences(c.source, ", item_at, given0))\n"), 1);
    assert_non_null(plan);
    for (const struct json *l = json_first(json_get(plan, "launches")); l; l = json_next(l))
        sizes += json_get_number(json_at(json_get(l, "args"), 3), "i32", 0);
    assert_true(sizes == 899 * 450.0);
    json_free(plan);
    candidate_release(&c);
}

/* A short source may have kernels for minutes of a compiler's time. */
static void many_kernels_share_sizes(void **state)
{
    struct candidate few = plain_kernels_of(120, "cuda"), many = plain_kernels_of(140, "cuda");

    (void)state;
    assert_int_equal(occurrences(few.source, "void slice_"), 120);
    assert_int_equal(occurrences(many.source, "void slice_"), 1);
    assert_true(strlen(many.source) < 200 << 10);
    candidate_release(&few);
    candidate_release(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_that_differ_in_names_are_one_in_c),
        cmocka_unit_test(kernels_of_long_sources_share_sizes_in_c),
        cmocka_unit_test(many_kernels_share_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
