#include "tests/unit/unit.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/strbuf.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"

static const char good[] =
    "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"s\", \"dims\": {\"M\": 4, \"N\": 3},"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"],"
    "   \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"i\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"],"
    "   \"fill\": {\"integers\": [0, \"N-1\"]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [\"M\", \"N\"]}},"
    " \"graph\": [{\"op\": \"add\", \"in\": [\"x\", \"i\"], \"out\": \"t\"},"
    "  {\"op\": \"softmax\", \"in\": [\"t\"], \"out\": \"y\", \"dim\": -1}],"
    " \"dynamic\": [\"M\"], \"also\": [{\"M\": 1}], \"tolerance\": {\"class\": \"f32\"}}";

/* The valid problem with the first `from` replaced by `to`; the caller frees it. */
static char *altered(const char *from, const char *to)
{
    const char *found = strstr(good, from);
    struct strbuf text = {0};

    if (!found)
        fail_msg("the problem has no %s", from);
    strbuf_add(&text, good, (size_t)(found - good));
    strbuf_adds(&text, to);
    strbuf_adds(&text, found + strlen(from));
    return strbuf_take(&text);
}

static void assert_refused(const char *from, const char *to, const char *expected)
{
    char *text = altered(from, to);
    struct problem problem = {0};
    struct error err = {0};

    if (problem_parse(&problem, text, strlen(text), "p.json", &err) != STATUS_INVALID)
        fail_msg("%s is accepted in place of %s", to, from);
    assert_string_equal(err.text, expected);
    assert_null(problem.document);
    free(text);
}

static struct problem parse(const char *text)
{
    struct problem problem = {0};
    struct error err = {0};

    if (problem_parse(&problem, text, strlen(text), "p.json", &err))
        fail_msg("%s", err.text);
    return problem;
}

static void reads_what_the_file_says(void **state)
{
    struct problem problem = parse(good);
    struct binding bindings[2];
    struct scope scope = problem_scope(&problem, 1, bindings);

    (void)state;
    assert_string_equal(problem.name, "p");
    assert_int_equal(problem.dims.count, 2);
    assert_true(problem.dims.items[0].is_dynamic);
    assert_false(problem.dims.items[1].is_dynamic);
    assert_int_equal(problem.tensors.count, 3);
    assert_int_equal(problem_tensor(&problem, "y")->role, TENSOR_OUTPUT);
    assert_null(problem_tensor(&problem, "t"));
    assert_int_equal(scope_find(&scope, "M")->value, 1);
    assert_int_equal(scope_find(&scope, "N")->value, 3);
    assert_true(problem.tolerance.rtol == 1e-4 && problem.tolerance.matched == 1);
    problem_release(&problem);
}

static void reads_an_explicit_tolerance(void **state)
{
    char *text = altered("{\"class\": \"f32\"}",
                         "{\"atol\": 0.01, \"rtol\": 0.02, \"compat\": \"kernelbench\"}");
    struct problem problem = parse(text);

    (void)state;
    assert_true(problem.tolerance.atol == 0.01 && problem.tolerance.rtol == 0.02);
    assert_true(problem.tolerance.kernelbench);
    problem_release(&problem);
    free(text);
}

static void accepts_a_graph_that_is_not_known(void **state)
{
    const char *graph = strstr(good, "[{\"op\"");
    struct strbuf null_graph = {0};

    (void)state;
    strbuf_add(&null_graph, good, (size_t)(graph - good));
    strbuf_adds(&null_graph, "null, \"tolerance\": {\"class\": \"f32\"}}");

    struct problem problem = parse(strbuf_cstr(&null_graph));

    assert_int_equal(problem.nodes.count, 0);
    problem_release(&problem);
    strbuf_release(&null_graph);
}

struct refusal {
    const char *from, *to, *expected;
};

static void assert_all_refused(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused(refusals[i].from, refusals[i].to, refusals[i].expected);
}

#define ASSERT_ALL_REFUSED(list) assert_all_refused(list, sizeof(list) / sizeof(*(list)))

static void refuses_what_is_no_problem(void **state)
{
    static const struct refusal refusals[] = {
        {"{\"kforge\": 1", "{\"kforge\": 1,,",
         "p.json: line 1 column 15: not valid JSON: check quotes, commas and brackets"},
        {"\"kforge\": 1", "\"kforge\": 2",
         "p.json: kforge: expected version 1, found 2: a newer kforge may read it"},
        {"\"summary\"", "\"sumary\"",
         "p.json: unknown key \"sumary\": expected one of kforge, name, summary, dims, tensors, "
         "graph, "
         "dynamic, also, tolerance, torch"},
        {"\"name\": \"p\"", "\"name\": \"p\", \"name\": \"q\"",
         "p.json: key \"name\" is given twice"},
        {"\"name\": \"p\"", "\"name\": \"../p\"",
         "p.json: name: \"../p\" is not a valid name: expected letters, digits and _"},
        {"\"class\": \"f32\"", "\"class\": \"f31\"",
         "p.json: tolerance.class: \"f31\" is not one of \"f32\", \"mixed\""},
        {", \"tolerance\": {\"class\": \"f32\"}", "",
         "p.json: tolerance: missing: add {\"class\": \"f32\"} or \"mixed\", or atol and rtol"},
        {"\"class\": \"f32\"", "\"atol\": 0.1",
         "p.json: tolerance.rtol: missing, expected a number"},
        {"\"class\": \"f32\"", "\"class\": \"f32\", \"matched\": 2",
         "p.json: tolerance.matched: expected 0 to 1, found 2"},
    };

    (void)state;
    ASSERT_ALL_REFUSED(refusals);
}

static void refuses_bad_dimensions(void **state)
{
    static const struct refusal refusals[] = {
        {"\"M\": 4", "\"M\": 0", "p.json: dims.M: expected 1 to 1099511627776, found 0"},
        {"\"M\": 4", "\"M\": 1099511627777",
         "p.json: dims.M: expected 1 to 1099511627776, found 1099511627777"},
        {"\"M\": 4", "\"M\": 1e999", "p.json: dims.M: the number is too large"},
        {"\"M\": 4", "\"M\": 4.5", "p.json: dims.M: expected an integer, found 4.5"},
        {"\"M\": 4", "\"M\": 1e18",
         "p.json: dims.M: expected an integer of at most 2^53, found 1e+18"},
        {"\"M\": 4", "\"M\": \"4\"", "p.json: dims.M: expected a number, found a text"},
        {"\"M\": 4", "\"M\": 4, \"M\": 5", "p.json: dims.M: declared twice"},
        {"\"M\": 4", "\"2M\": 4",
         "p.json: dims.2M: \"2M\" is not a valid name: expected letters, digits and _"},
        {"[\"M\"], \"also\"", "[\"Q\"], \"also\"", "p.json: dynamic[0]: no dimension \"Q\""},
        {"{\"M\": 1}", "{\"N\": 1}",
         "p.json: also[0].N: \"N\" is not among the dynamic dimensions"},
        {"{\"M\": 1}", "{\"M\": 1000000000000}",
         "p.json: tensors.x.shape: [1000000000000, 3] is more than 1099511627776 elements "
         "(at the dimensions of also[0])"},
    };

    (void)state;
    ASSERT_ALL_REFUSED(refusals);
}

static void refuses_bad_tensors(void **state)
{
    static const struct refusal refusals[] = {
        {"\"input\"", "\"inner\"",
         "p.json: tensors.x.role: \"inner\" is not one of \"input\", \"param\", \"output\""},
        {"\"f32\"", "\"fp32\"",
         "p.json: tensors.x.dtype: \"fp32\" is not one of \"f32\", \"f16\", \"bf16\", \"f64\", "
         "\"i32\", \"i64\", \"bool\""},
        {"[\"M\", \"N\"]", "[\"M\", \"N-3\"]",
         "p.json: tensors.x.shape[1]: expected at least 1, found 0"},
        {"[\"M\", \"N\"]", "[\"M\", \"K\"]",
         "p.json: tensors.x.shape[1]: \"K\", at character 1: no \"K\": expected one of M, N"},
        {"[\"M\", \"N\"]", "[2147483647, \"M*1000000000\", 9]",
         "p.json: tensors.x.shape: [2147483647, 4000000000, 9] is more than 1099511627776 "
         "elements"},
        {"[\"M\", \"N\"]", "[1, 1, 1, 1, 1, 1, 1, 1, 1]",
         "p.json: tensors.x.shape: more than 8 dimensions"},
        {"{\"uniform\": [-1, 1]}", "{\"uniform\": [1]}",
         "p.json: tensors.x.fill.uniform: expected 2 numbers, found 1"},
        {"{\"uniform\": [-1, 1]}", "{\"uniform\": [1, -1]}",
         "p.json: tensors.x.fill.uniform: the low end is above the high end"},
        {"{\"uniform\": [-1, 1]}", "{\"uniform\": [0, 1], \"constant\": 1}",
         "p.json: tensors.x.fill: expected one way to fill, found 2"},
        {"\"x\": {", "\"M\": {", "p.json: tensors.M: declared twice"},
        {"\"i\": {", "\"x\": {", "p.json: tensors.x: declared twice"},
        {"\"role\": \"output\"", "\"role\": \"output\", \"fill\": {\"constant\": 0}",
         "p.json: tensors.y.fill: an output is computed, not filled"},
    };

    (void)state;
    ASSERT_ALL_REFUSED(refusals);
}

static void refuses_bad_graphs(void **state)
{
    static const struct refusal refusals[] = {
        {"[\"x\", \"i\"]", "[\"x\", \"ii\"]",
         "p.json: graph[0].in[1]: no tensor \"ii\" before here: expected one of x, i"},
        {"[\"x\", \"i\"]", "[\"x\", \"y\"]",
         "p.json: graph[0].in[1]: \"y\" is not computed before here"},
        {"[\"x\", \"i\"]", "[\"x\"]",
         "p.json: graph[0].in: add takes the operands a, b, found 1 of them"},
        {"[\"x\", \"i\"]", "[\"x\", \"x\"]", "p.json: tensors.i: no operation uses this tensor"},
        {"[\"x\", \"i\"]", "[1, 2]", "p.json: graph[0].in: expected a tensor among the operands"},
        {"\"add\", \"in\": [\"x\", \"i\"]", "\"argmax\", \"in\": [\"x\"]",
         "p.json: graph[1]: softmax of t i64 []: expected floating types"},
        {"\"add\"", "\"plus\"",
         "p.json: graph[0].op: no operation \"plus\": they are named as PyTorch's functions, such "
         "as matmul, mul, gelu"},
        {"\"out\": \"t\"", "\"out\": \"x\"", "p.json: graph[0].out: there is a \"x\" already"},
        {"\"out\": \"t\"", "\"out\": \"M\"", "p.json: graph[0].out: \"M\" is a dimension"},
        {"[\"t\"]", "[\"x\"]", "p.json: graph: nothing uses \"t\""},
        {"\"dim\": -1", "\"dim\": 2",
         "p.json: graph[1].dim: softmax of t f32 [4, 3]: there is no axis 2"},
        {"\"dim\": -1", "\"axis\": 1",
         "p.json: graph[1]: unknown key \"axis\": expected one of op, in, out, dim"},
        {", \"dim\": -1", "", "p.json: graph[1].dim: expected a number or an expression"},
        {"\"out\": \"y\"", "\"out\": \"z\"",
         "p.json: tensors.y: no operation computes this output"},
        {"\"output\", \"dtype\": \"f32\"", "\"output\", \"dtype\": \"f16\"",
         "p.json: graph[1].out: \"y\" is declared as f16 [4, 3], computed is f32 [4, 3]"},
        {"[\"M\", \"N\"],   \"fill\": {\"integers\"", "[\"N\", \"M\"],   \"fill\": {\"integers\"",
         "p.json: graph[0]: add of x f32 [4, 3], i f32 [3, 4]: expected shapes that broadcast"},
        {"{\"op\": \"add\"", "7, {\"op\": \"add\"",
         "p.json: graph[0]: expected an object, found a number"},
    };

    (void)state;
    ASSERT_ALL_REFUSED(refusals);
}

/* Every shipped problem must load, and its name must be that of its file. */
static void shipped_problems_are_good(void **state)
{
    char *folder = file_shipped("prompts/problems");
    DIR *dir = opendir(folder);
    size_t loaded = 0;

    (void)state;
    assert_non_null(dir);
    /* cppcheck-suppress readdirCalled ; one thread */
    for (const struct dirent *entry; (entry = readdir(dir));) {
        char *path = file_join(folder, entry->d_name);
        struct problem problem = {0};
        struct error err = {0};

        if (strstr(entry->d_name, ".json")) {
            if (problem_load(&problem, path, &err))
                fail_msg("%s", err.text);
            assert_memory_equal(problem.name, entry->d_name, strlen(problem.name));
            loaded++;
        }
        problem_release(&problem);
        free(path);
    }
    closedir(dir);
    free(folder);
    assert_true(loaded >= 4);
}

static void an_unreadable_file_is_named(void **state)
{
    struct problem problem = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(problem_load(&problem, "/nonexistent/p.json", &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "/nonexistent/p.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_the_file_says),
        cmocka_unit_test(reads_an_explicit_tolerance),
        cmocka_unit_test(accepts_a_graph_that_is_not_known),
        cmocka_unit_test(refuses_what_is_no_problem),
        cmocka_unit_test(refuses_bad_dimensions),
        cmocka_unit_test(refuses_bad_tensors),
        cmocka_unit_test(refuses_bad_graphs),
        cmocka_unit_test(shipped_problems_are_good),
        cmocka_unit_test(an_unreadable_file_is_named),
    };

    return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
