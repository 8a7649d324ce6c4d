#include <string.h>

#include "core/codegen/matrix.h"
#include "tests/unit/unit.h"

static size_t count(const struct strbuf *text, const char *part)
{
    size_t found = 0;

    for (const char *at = strbuf_cstr(text); (at = strstr(at, part)); at++)
        found++;
    return found;
}

/* A kernel gets the products that it calls, all of them in one piece of assembly. */
static void products_are_written_together(void **state)
{
    struct strbuf text = {0};

    (void)state;
    matrix_functions("multiply_128_parts(added, a, b, k > 0); multiply_16_line(sums, a, b);",
                     "bf16", &text);
    assert_int_equal(count(&text, "m64n128k16"), 12);
    assert_int_equal(count(&text, "m64n16k16"), 4);
    assert_int_equal(count(&text, "wgmma.mma_async"), 16);
    assert_int_equal(count(&text, "void multiply_1"), 2);
    strbuf_release(&text);
}

/* The third part of the lines times the first one of the columns is among the smallest products. */
static void the_smallest_products_of_parts_come_first(void **state)
{
    struct strbuf text = {0};
    const char *smallest, *largest;

    (void)state;
    matrix_functions("multiply_64_parts(added, a, b);", "bf16", &text);
    smallest = strstr(strbuf_cstr(&text), "add.s64 line, %32, 1024;\\nadd.s64 column, %33, 0;");
    largest = strstr(strbuf_cstr(&text), "add.s64 line, %32, 0;\\nadd.s64 column, %33, 0;");
    assert_non_null(smallest);
    assert_non_null(largest);
    assert_true(smallest < largest);
    strbuf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_written_together),
        cmocka_unit_test(the_smallest_products_of_parts_come_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
