#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/array.h"
#include "tui/panels/profile/profile_counters.h"

/* Limits stand in the order of what they could gain; those that are not estimated are last. */
static void limits_are_sorted_by_their_gain(void **state)
{
    struct profile_rule rules[] = {
        {.name = (char[]){"cache"}, .has_estimate = true, .estimate = 2},
        {.name = (char[]){"latency"}},
        {.name = (char[]){"spills"}, .has_estimate = true, .estimate = 8}};
    static const char *const order[] = {"limit: spills, 8.00x", "spills:", "cache:", "latency:"};
    struct verdict verdict = {.profile = {.is_present = true}};
    struct page page = {0};
    char none[] = "";
    const char *at;

    (void)state;
    for (size_t i = 0; i < COUNT(rules); i++)
        rules[i].kernel = rules[i].text = none;
    verdict.profile.rules.items = rules;
    verdict.profile.rules.count = COUNT(rules);
    profile_counters_add_top_limit(&page, &verdict);
    profile_counters_add(&page, &verdict.profile, NULL, NULL, 80);
    at = strbuf_cstr(&page.text);
    for (size_t i = 0; i < COUNT(order); i++) {
        at = strstr(at, order[i]);
        assert_non_null(at);
    }
    page_release(&page);
}

/* Where there are no counters, the page says why, and which key takes them. */
static void missing_counters_have_a_reason_and_a_key(void **state)
{
    static const char remedy[] = "c takes them";
    char why[] = "0.998x over the best is no gain";
    struct profile skipped = {.is_present = true, .missing = why}, none = {0};
    struct page page = {0};

    (void)state;
    profile_counters_add(&page, &skipped, NULL, remedy, 80);
    assert_non_null(
        strstr(strbuf_cstr(&page.text), "none: 0.998x over the best is no gain. c takes"));
    page_begin(&page, 1);
    profile_counters_add(&page, &none, NULL, remedy, 80);
    assert_non_null(strstr(strbuf_cstr(&page.text), "none: c takes them"));
    page_begin(&page, 1);
    profile_counters_add(&page, &none, NULL, NULL, 80);
    assert_int_equal(page.lines.count, 0);
    page_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_sorted_by_their_gain),
        cmocka_unit_test(missing_counters_have_a_reason_and_a_key),
    };

    return cmocka_run_group_tests_name("profile_counters", tests, NULL, NULL);
}
