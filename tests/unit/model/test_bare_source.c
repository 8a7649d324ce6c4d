#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/plan/bare_source.h"

/* The source with the names that it uses, as the compiler gets it. */
static void check(const char *source, const char *expected)
{
    char *completed = bare_source_complete(source, "kernel.cu");

    assert_string_equal(completed, expected);
    free(completed);
}

static void a_name_that_is_used_is_defined(void **state)
{
    (void)state;
    check("x = FLT_MAX;", "#ifndef FLT_MAX\n#define FLT_MAX 3.40282347e38f\n#endif\n"
                          "#line 1 \"kernel.cu\"\nx = FLT_MAX;");
    check("const int8_t x;", "typedef signed char int8_t;\n#line 1 \"kernel.cu\"\nconst int8_t x;");
}

static void a_source_that_uses_none_stays(void **state)
{
    (void)state;
    check("", "");
    check("float x = MY_NAN + NANS; int8_tt y;\n", "float x = MY_NAN + NANS; int8_tt y;\n");
}

static void a_name_that_the_source_defines_stays_its_own(void **state)
{
    static const char *const sources[] = {"#define NAN 1\nx = NAN;",
                                          "#ifndef NAN\n#define\tNAN 1\n#endif\nx = NAN;",
                                          "constexpr float NAN = 1; x = NAN;",
                                          "typedef char int8_t; int8_t x;",
                                          "using int8_t = char; const int8_t x;",
                                          "using cuda::std::int8_t; const int8_t x;"};

    (void)state;
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        check(sources[i], sources[i]);
}

static void standard_headers_become_comments(void **state)
{
    (void)state;
    check("#include <math.h>\n # include \"cstdint\"\n#include <cuda_fp16.h>\n",
          "//#include <math.h>\n// # include \"cstdint\"\n#include <cuda_fp16.h>\n");
}

/* "return NAN" is no declaration of a variable NAN. */
static void a_keyword_before_a_name_declares_nothing(void **state)
{
    char *completed = bare_source_complete("return NAN;", "kernel.cu");

    (void)state;
    assert_non_null(strstr(completed, "#define NAN "));
    free(completed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_is_used_is_defined),
        cmocka_unit_test(a_source_that_uses_none_stays),
        cmocka_unit_test(a_name_that_the_source_defines_stays_its_own),
        cmocka_unit_test(standard_headers_become_comments),
        cmocka_unit_test(a_keyword_before_a_name_declares_nothing),
    };

    return cmocka_run_group_tests_name("bare_source", tests, NULL, NULL);
}
