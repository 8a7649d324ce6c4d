#include "tests/unit/unit.h"

#include <string.h>

#include "tui/term/pattern.h"

static void finds_as_smart_case_does(void **state)
{
    static const struct {
        const char *pattern, *text;
        size_t at;
    } cases[] = {
        {"float", "a FLOAT b", 2}, {"Float", "a float Float", 8}, {"b", "aab", 2}, {"", "abc", 3},
        {"abcd", "abc", 3},        {"\u00e9t", "d\u00e9t", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pattern pattern;

        pattern_set(&pattern, cases[i].pattern);
        assert_int_equal(pattern_find(&pattern, cases[i].text, strlen(cases[i].text)), cases[i].at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_as_smart_case_does)};

    return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
