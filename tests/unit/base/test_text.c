#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"

static void finds_what_follows_a_beginning(void **state)
{
    (void)state;
    assert_string_equal(text_after("compile (default)", "compile "), "(default)");
    assert_string_equal(text_after("at ", "at "), "");
    assert_null(text_after("a", "at "));
    assert_true(text_begins("gpu", ""));
    assert_false(text_begins("", "gpu"));
}

static void compares_bytes_with_a_whole_word(void **state)
{
    (void)state;
    assert_true(text_is("tune,run", 4, "tune"));
    assert_false(text_is("tune,run", 3, "tune"));
    assert_false(text_is("tuner", 5, "tune"));
}

static void missing_texts_equal_empty_ones(void **state)
{
    (void)state;
    assert_true(text_equals(NULL, NULL));
    assert_true(text_equals(NULL, ""));
    assert_true(text_equals("cuda:0", "cuda:0"));
    assert_false(text_equals("cuda:0", NULL));
}

static void knows_the_characters_of_names(void **state)
{
    (void)state;
    for (const char *c = "aZ_9"; *c; c++)
        assert_true(text_is_of_name(*c));
    for (const char *c = " -.$\xe4"; *c; c++)
        assert_false(text_is_of_name(*c));
    assert_false(text_is_of_name('\0'));
}

static void computes_with_integers(void **state)
{
    (void)state;
    assert_int_equal(number_gcd(12, 18), 6);
    assert_int_equal(number_gcd(0, 7), 7);
    assert_int_equal(number_gcd(7, 0), 7);
    assert_int_equal(number_round_up(0, 16), 0);
    assert_int_equal(number_round_up(16, 16), 16);
    assert_int_equal(number_round_up(17, 16), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_follows_a_beginning),
        cmocka_unit_test(compares_bytes_with_a_whole_word),
        cmocka_unit_test(missing_texts_equal_empty_ones),
        cmocka_unit_test(knows_the_characters_of_names),
        cmocka_unit_test(computes_with_integers),
    };

    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
