/* Tensors of more than 2^31 elements: their kernels have 64-bit indices, those of others have not.
 */
#include "tests/unit/unit.h"

#include <ctype.h>
#include <string.h>

#include "core/base/array.h"
#include "core/codegen/plain.h"
#include "core/codegen/wide_kernels.h"
#include "core/model/problem_reader.h"
#include "tests/unit/builtin_fixture.h"

/* A problem with an input "x" of `in`, an output "y" of `out`, and one operation. */
static void write_problem(struct strbuf *text, const char *in, const char *out, const char *node)
{
    strbuf_addf(text,
                "{\"kforge\": 1, \"name\": \"wide\", \"summary\": \"Wide.\","
                " \"dims\": {\"M\": 70000, \"N\": 40000}, \"dynamic\": [\"M\"],"
                " \"tensors\": {\"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": %s,"
                " \"fill\": {\"uniform\": [0, 1]}},"
                " \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": %s}},"
                " \"graph\": [{\"in\": [\"x\"], \"out\": \"y\", %s}],"
                " \"tolerance\": {\"class\": \"f32\"}}",
                in, out, node);
}

/* True if a kernel of the source declares variables of type int. */
static bool has_ints(const char *source, const char *kernel_word)
{
    bool is_kernel = false;

    for (const char *line = source; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *end = line + strcspn(line, "\n"), *found = line;

        is_kernel =
            (is_kernel && *line != '}') || strncmp(line, kernel_word, strlen(kernel_word)) == 0;
        while (is_kernel && (found = memmem(found, (size_t)(end - found), "int ", 4))) {
            if (!isalnum((unsigned char)found[-1]) && found[4] != '*')
                return true;
            found++;
        }
    }
    return false;
}

static const struct {
    const char *in, *out, *node;
} cases[] = {
    {"[\"M\", \"N\"]", "[\"M\", \"N\"]", "\"op\": \"relu\""},
    {"[\"M\", \"N\"]", "[\"M\", \"N\"]", "\"op\": \"softmax\", \"dim\": -1"},
    {"[\"M\", \"N\"]", "[\"M\", \"N\"]", "\"op\": \"cumsum\", \"dim\": 1"},
    {"[\"M\", \"N\"]", "[\"N\", \"M\"]", "\"op\": \"transpose\", \"dim0\": 0, \"dim1\": 1"},
    {"[\"M\", \"N\"]", "[\"M\"]", "\"op\": \"sum\", \"dim\": -1"},
    {"[16, 64, 2048, 2048]", "[16, 64, 186, 186]", "\"op\": \"avg_pool2d\", \"kernel_size\": 11"},
    {"[2147487741]", "[2147487741]", "\"op\": \"relu\""},
};

static void kernels_of_large_tensors_have_no_int(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct strbuf text = {0};
        struct candidate candidate;

        write_problem(&text, cases[i].in, cases[i].out, cases[i].node);
        candidate = builtin_fixture_first(strbuf_cstr(&text));
        if (!strstr(cases[i].node, "pool"))
            assert_false(has_ints(candidate.source, "extern \"C\" __global__ void"));
        candidate_release(&candidate);
        strbuf_release(&text);
    }
}

static void plain_kernels_have_no_int_in_any_language(void **state)
{
    static const struct {
        const char *language, *word;
    } languages[] = {
        {"opencl", "__kernel"}, {"hip", "extern \"C\" __global__ void"}, {"c", "INLINE void"}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases) * COUNT(languages); i++) {
        const size_t which = i / COUNT(languages), language = i % COUNT(languages);
        const struct plain_target target = {.language = languages[language].language};
        struct strbuf text = {0};
        struct problem problem = {0};
        struct candidate candidate = {0};
        struct error err = {0};

        write_problem(&text, cases[which].in, cases[which].out, cases[which].node);
        assert_int_equal(problem_parse(&problem, strbuf_cstr(&text), text.len, "wide.json", &err),
                         STATUS_OK);
        assert_int_equal(plain_candidate(&problem, &target, &candidate, &err), STATUS_OK);
        builtin_fixture_check_plan(&problem, &candidate);
        assert_non_null(strstr(candidate.source, "const long i"));
        assert_false(has_ints(candidate.source, languages[language].word));
        candidate_release(&candidate);
        problem_release(&problem);
        strbuf_release(&text);
    }
}

/* Pooling finds planes in 64 bits, and counts results and places in a plane with ints. */
static void pooling_keeps_ints(void **state)
{
    struct strbuf text = {0};
    struct candidate candidate;

    (void)state;
    write_problem(&text, "[16, 64, 2048, 2048]", "[16, 64, 186, 186]",
                  "\"op\": \"avg_pool2d\", \"kernel_size\": 11");
    candidate = builtin_fixture_first(strbuf_cstr(&text));
    assert_non_null(strstr(candidate.source, "const int x2 = "));
    assert_non_null(strstr(candidate.source, "p_x + (long)(o0 * 64 + o1) * (2048 * 2048)"));
    candidate_release(&candidate);
    strbuf_release(&text);
}

static void smaller_tensors_keep_ints(void **state)
{
    struct strbuf text = {0};
    struct candidate candidate;

    (void)state;
    write_problem(&text, "[\"M\", 4000]", "[\"M\", 4000]", "\"op\": \"softmax\", \"dim\": -1");
    candidate = builtin_fixture_first(strbuf_cstr(&text));
    assert_true(has_ints(candidate.source, "extern \"C\" __global__ void"));
    candidate_release(&candidate);
    strbuf_release(&text);
}

/* Work-items without groups would need a divisor of their number, which may be a prime. */
static void many_single_work_items_get_groups(void **state)
{
    const struct plain_target target = {.language = "cuda"};
    struct strbuf text = {0};
    struct problem problem = {0};
    struct candidate candidate = {0};
    struct error err = {0};

    (void)state;
    write_problem(&text, "[2147483659]", "[2147483659]", "\"op\": \"relu\"");
    assert_int_equal(problem_parse(&problem, strbuf_cstr(&text), text.len, "wide.json", &err),
                     STATUS_OK);
    assert_int_equal(plain_candidate(&problem, &target, &candidate, &err), STATUS_OK);
    assert_non_null(strstr(candidate.source, " >= 2147483659)\n        return;"));
    assert_non_null(strstr(candidate.plan, "align(2147483659, 256)"));
    candidate_release(&candidate);
    problem_release(&problem);
    strbuf_release(&text);
}

static void texts_become_wide(void **state)
{
    static const char *const macros[] = {"N", NULL};
    static const struct {
        const char *narrow, *wide;
    } texts[] = {
        {"const int i = get_global_id(0), j = i / (64 * 32);",
         "const long i = get_global_id(0), j = i / (64L * 32L);"},
        {"int row = 3; x = p[row * N + 1];", "long row = 3; x = p[row * (long)N + 1];"},
        {"int i; end = min(i + 8, N);", "long i; end = min((long)(i + 8), (long)((long)N));"},
        {"int i; v = max(p_x[i], 0.0f);", "long i; v = max(p_x[i], 0.0f);"},
        {"int i; v = max(load(i, p_x), 0.0f);", "long i; v = max(load(i, p_x), 0.0f);"},
        {"int i = blockIdx.x * 4;", "long i = (long)blockIdx.x * 4L;"},
        {"const int *p; v = (int)p_x[0] * 2.0f;", "const int *p; v = (int)p_x[0] * 2.0f;"},
        {"int i; v = VECTOR(int4, i) + VECTOR(int4, 0, 1, 2, 3);",
         "long i; v = VECTOR(int4, (int)(i)) + VECTOR(int4, 0, 1, 2, 3);"},
        {"#pragma unroll 4 * 2\nint i;", "#pragma unroll 4 * 2\nlong i;"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct strbuf out = {0};

        wide_text(texts[i].narrow, strlen(texts[i].narrow), macros, &out);
        assert_string_equal(strbuf_cstr(&out), texts[i].wide);
        strbuf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_large_tensors_have_no_int),
        cmocka_unit_test(plain_kernels_have_no_int_in_any_language),
        cmocka_unit_test(pooling_keeps_ints),
        cmocka_unit_test(smaller_tensors_keep_ints),
        cmocka_unit_test(many_single_work_items_get_groups),
        cmocka_unit_test(texts_become_wide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
