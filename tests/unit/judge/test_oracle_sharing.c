#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/judge/device_oracle/oracle_sharing.h"
#include "tests/unit/oracle_program_fixture.h"

/* Kernels of the device oracle that launches share. */

static struct strbuf source;
static struct dispatch dispatch;
static struct oracle_sections sections;

/* Begin with a prelude. */
static int begin(void **state)
{
    (void)state;
    strbuf_adds(&source, "prelude\n");
    return 0;
}

static int end(void **state)
{
    (void)state;
    strbuf_release(&source);
    dispatch_release(&dispatch);
    vec_release(&sections);
    return 0;
}

/* Add a section with a kernel of this body, and a definition of N unless it is NULL. */
static void add(const char *definition, const char *body)
{
    size_t number = dispatch.launches.count;
    struct launch launch = {.rank = 1, .arg_count = 1};
    struct strbuf called = {0};

    strbuf_addf(&called, "oracle_%zu", number);
    launch.kernel = strbuf_take(&called);
    vec_push(&sections, source.len);
    vec_push(&dispatch.launches, launch);
    if (definition)
        strbuf_addf(&source, "#define N %s\n", definition);
    strbuf_addf(&source, "__kernel void oracle_%zu(__global double *p0)\n{\n    %s\n}\n", number,
                body);
    if (definition)
        strbuf_adds(&source, "#undef N\n");
}

static void launches(size_t launch, const char *kernel, size_t arguments)
{
    const struct launch *found = &dispatch.launches.items[launch];

    assert_string_equal(found->kernel, kernel);
    assert_int_equal(found->arg_count, 1 + arguments);
}

static void equal_kernels_are_one(void **state)
{
    (void)state;
    add("7", "p0[0] = N;");
    add("7", "p0[0] = N;");
    add("8", "p0[0] = N;");
    oracle_share_kernels(&source, &sections, &dispatch, 64);
    launches(0, "oracle_0", 0);
    launches(1, "oracle_0", 0);
    launches(2, "oracle_2", 0);
    assert_string_equal(strbuf_cstr(&source),
                        "prelude\n#define N 7\n__kernel void oracle_0(__global double *p0)\n{\n"
                        "    p0[0] = N;\n}\n#undef N\n"
                        "#define N 8\n__kernel void oracle_2(__global double *p0)\n{\n"
                        "    p0[0] = N;\n}\n#undef N\n");
}

static void sizes_become_arguments(void **state)
{
    (void)state;
    add("7", "p0[3 * N] = 5 + 7L * 4e-05 + 9;");
    add("8", "p0[3 * N] = 5 + 8L * 4e-05 + 6;");
    oracle_share_kernels(&source, &sections, &dispatch, 1);
    launches(0, "oracle_0", 2);
    launches(1, "oracle_0", 2);
    assert_int_equal(dispatch.launches.items[1].args[1].integer, 8);
    assert_int_equal(dispatch.launches.items[1].args[2].integer, 6);
    assert_string_equal(strbuf_cstr(&source),
                        "prelude\n#define N given0\n"
                        "__kernel void oracle_0(__global double *p0, const int given0, const int "
                        "given1)\n{\n"
                        "    p0[3 * N] = 5 + (long)given0 * 4e-05 + given1;\n}\n#undef N\n");
}

static void what_the_compiler_must_know_stays(void **state)
{
    static const char *const bodies[][2] = {
        {"double x[3];", "double x[4];"},                   /* an array */
        {"p0[0] = N * 1;", "p0[0] = N * 2;"},               /* vanishes */
        {"p0[0] = 0.5;", "p0[0] = 0.7;"},                   /* no whole numbers */
        {"p0[0] = 1e12;", "p0[0] = 1e14;"},                 /* the same */
        {"p0[0] = 12345678901L;", "p0[0] = 12345678902L;"}, /* no int */
        {"\n#pragma unroll\n    p0[0] = 3;", "\n#pragma unroll\n    p0[0] = 5;"}, /* a window */
        {"\n#pragma unroll 2\n    for", "\n#pragma unroll 4\n    for"},           /* a directive */
        {"\n#define SUMS 2\n    sums", "\n#define SUMS 3\n    sums"}, /* the size of arrays */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
        add("7", bodies[i][0]);
        add("7", bodies[i][1]);
    }
    oracle_share_kernels(&source, &sections, &dispatch, 1);
    for (size_t i = 0; i < dispatch.launches.count; i++)
        assert_int_equal(dispatch.launches.items[i].arg_count, 1);
    assert_null(strstr(strbuf_cstr(&source), "given"));
}

/* Products keep their sizes until nothing else is left to share. */
static void products_come_last(void **state)
{
    (void)state;
    add("7", "\n#pragma unroll\n    p0[0] = N;");
    add("8", "\n#pragma unroll\n    p0[0] = N;");
    add(NULL, "p0[0] = 7;");
    add(NULL, "p0[0] = 8;");
    oracle_share_kernels(&source, &sections, &dispatch, 3);
    launches(1, "oracle_1", 0);
    launches(3, "oracle_2", 1);
}

static size_t kernels_in(const struct strbuf *text)
{
    size_t count = 0;

    for (const char *at = strbuf_cstr(text); (at = strstr(at, "__kernel void ")); at++)
        count++;
    return count;
}

/* Layers of 90 widths, of which none has the sizes of another. */
static void a_deep_model_has_few_kernels(void **state)
{
    enum { LAYERS = 90 };
    struct strbuf text = {0};
    struct oracle_program_fixture written;

    (void)state;
    strbuf_adds(&text, "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {}, "
                       "\"tensors\": {\"t0\": {\"role\": \"input\", \"dtype\": \"f32\", "
                       "\"shape\": [40, 100], \"fill\": {\"normal\": [0, 1]}}");
    for (int i = 0; i < LAYERS; i++)
        strbuf_addf(&text,
                    ", \"w%d\": {\"role\": \"param\", \"dtype\": \"f32\", \"shape\": [%d, %d], "
                    "\"fill\": {\"normal\": [0, 0.1]}}",
                    i, 100 + i, 101 + i);
    strbuf_addf(&text, ", \"t%d\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [40, %d]}",
                2 * LAYERS, 100 + LAYERS);
    strbuf_adds(&text, "}, \"graph\": [");
    for (int i = 0; i < LAYERS; i++)
        strbuf_addf(&text,
                    "%s{\"op\": \"matmul\", \"in\": [\"t%d\", \"w%d\"], \"out\": \"t%d\"}, "
                    "{\"op\": \"relu\", \"in\": [\"t%d\"], \"out\": \"t%d\"}",
                    i ? ", " : "", 2 * i, i, 2 * i + 1, 2 * i + 1, 2 * i + 2);
    strbuf_adds(&text, "], \"tolerance\": {\"class\": \"mixed\"}}");
    oracle_program_fixture_write(strbuf_cstr(&text), &written);
    assert_true(written.program.dispatch.launches.count > 500);
    assert_true(kernels_in(&written.program.source) <= 64);
    oracle_program_fixture_release(&written);
    strbuf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_kernels_are_one, begin, end),
        cmocka_unit_test_setup_teardown(sizes_become_arguments, begin, end),
        cmocka_unit_test_setup_teardown(what_the_compiler_must_know_stays, begin, end),
        cmocka_unit_test_setup_teardown(products_come_last, begin, end),
        cmocka_unit_test(a_deep_model_has_few_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
