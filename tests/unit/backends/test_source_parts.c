#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cuda/source_parts.h"
#include "core/base/array.h"

static const char source[] = "#define __kernel extern \"C\" __global__\n"
                             "struct pair { int a, b; };\n"
                             "template <int N> __device__ int twice(int x) { return N * x; }\n"
                             "extern \"C\" __global__ void declared(int *x);\n"
                             "namespace own {\n"
                             "extern \"C\" {\n"
                             "__global__ void one(int *x)\n"
                             "{\n"
                             "#define M 2 // \"\n"
                             "#pragma unroll\n"
                             "    for (;;) { asm(\"{ }\" ); } /* } */\n"
                             "    int y = '}' + 1'000;\n"
                             "}\n"
                             "}\n"
                             "}\n"
                             "int between() { return M; }\n"
                             "__kernel void __launch_bounds__(8) two(int *x) { *x = M; }\n";

static char *only(const char *text, size_t index, size_t count)
{
    struct source_parts parts = {0};
    char *part;

    source_parts_find(text, &parts);
    assert_int_equal(parts.count, count);
    part = source_parts_only(text, &parts, index, index + 1);
    source_parts_release(&parts);
    return part;
}

static void a_part_has_all_but_the_other_kernels(void **state)
{
    char *one = only(source, 0, 2), *two = only(source, 1, 2);

    (void)state;
    assert_memory_equal(one, source, strstr(source, "__kernel void") - source);
    assert_string_equal(one + (strstr(source, "__kernel void") - source), "\n");
    assert_null(strstr(two, "one"));
    assert_null(strstr(two, "unroll"));
    assert_non_null(
        strstr(two, "extern \"C\" {\n\n\n#define M 2 // \"\n\n\n\n\n}\n}\nint between"));
    assert_non_null(strstr(two, "two(int *x) { *x = M; }"));
    free(one);
    free(two);
}

static void a_part_may_have_several_kernels(void **state)
{
    struct source_parts parts = {0};
    char *both;

    (void)state;
    source_parts_find(source, &parts);
    both = source_parts_only(source, &parts, 0, 2);
    assert_string_equal(both, source);
    source_parts_release(&parts);
    free(both);
}

static void what_may_connect_kernels_is_not_taken_apart(void **state)
{
    static const char *const texts[] = {
        "__device__ int n;\n",
        "__device__ float table[] = {1};\n",
        "__constant__ __align__(16) int n[4];\n",
        "template <int N> __global__ void three() {}\n",
        "WITH(4) __global__ void three() {}\n",
        "__global__\n#if 1\nvoid three() {}\n#endif\n",
        "__global__ void three() {\n#pragma nv_diag_suppress 177\n}\n",
        "__global__ void three() { three<<<1, 1>>>(); }\n",
        "const char *text = R\"({)\";\n",
        "int open() {\n",
        "}\n",
    };
    static const char kernels[] = "__global__ void one() {}\n__global__ void two() {}\n";

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct source_parts parts = {0};
        char text[256];

        snprintf(text, sizeof(text), "%s%s", kernels, texts[i]);
        source_parts_find(text, &parts);
        if (parts.count)
            fail_msg("%s", texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_has_all_but_the_other_kernels),
        cmocka_unit_test(a_part_may_have_several_kernels),
        cmocka_unit_test(what_may_connect_kernels_is_not_taken_apart),
    };

    return cmocka_run_group_tests_name("source parts", tests, NULL, NULL);
}
