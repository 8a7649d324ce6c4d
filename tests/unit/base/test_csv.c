#include "tests/unit/unit.h"

#include "core/base/formats/csv.h"

static void assert_row(const char **text, size_t count, const char *const *fields)
{
    struct csv_row row = {0};

    assert_true(csv_next(text, &row));
    assert_int_equal(row.fields.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(csv_field(&row, i), fields[i]);
    csv_row_release(&row);
}

static void rows_have_their_fields(void **state)
{
    const char *text = "a,b,,d\r\n\"x, y\",\"say \"\"no\"\"\",\"two\nlines\"\nlast";
    struct csv_row row = {0};

    (void)state;
    assert_row(&text, 4, (const char *const[]){"a", "b", "", "d"});
    assert_row(&text, 3, (const char *const[]){"x, y", "say \"no\"", "two\nlines"});
    assert_row(&text, 1, (const char *const[]){"last"});
    assert_false(csv_next(&text, &row));
}

/* RFC 4180 forbids a single quote mark inside a field, but ncu prints source lines like this. */
static void a_quote_alone_is_one_of_the_text(void **state)
{
    const char *text = "\"3\",\"extern \"C\" void f()\",\"5\"\n\"\",\"x\"\n";

    (void)state;
    assert_row(&text, 3, (const char *const[]){"3", "extern \"C\" void f()", "5"});
    assert_row(&text, 2, (const char *const[]){"", "x"});
}

static void columns_are_found_by_name(void **state)
{
    const char *text = "ID,Kernel Name\n";
    struct csv_row row = {0};

    (void)state;
    assert_true(csv_next(&text, &row));
    assert_int_equal(csv_find(&row, "Kernel Name"), 1);
    assert_int_equal(csv_find(&row, "Kernel"), 2);
    assert_string_equal(csv_field(&row, 2), "");
    csv_row_release(&row);
}

static void a_quote_without_an_end_ends_with_the_text(void **state)
{
    const char *text = "a,\"b\nc";
    struct csv_row row = {0};

    (void)state;
    assert_row(&text, 2, (const char *const[]){"a", "b\nc"});
    assert_false(csv_next(&text, &row));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_their_fields),
        cmocka_unit_test(a_quote_alone_is_one_of_the_text),
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(a_quote_without_an_end_ends_with_the_text),
    };

    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
