#include "tests/unit/unit.h"

#include "core/base/strbuf.h"
#include "core/judge/oracle/variation/variation_kind.h"

/* The meaning is found by the whole name: "very large numbers" are not "large numbers". */
static void each_variation_has_a_name_and_a_meaning_of_its_own(void **state)
{
    (void)state;
    for (int v = VARIATION_NONE + 1; v < VARIATION_COUNT; v++) {
        struct strbuf trial = {0};
        const char *meaning = variation_meaning(variation_name((enum variation)v));

        strbuf_addf(&trial, "M=5 N=7, %s", variation_name((enum variation)v));
        assert_true(*meaning);
        assert_ptr_equal(variation_meaning(strbuf_cstr(&trial)), meaning);
        for (int other = VARIATION_NONE + 1; other < v; other++)
            assert_ptr_not_equal(variation_meaning(variation_name((enum variation)other)), meaning);
        strbuf_release(&trial);
    }
}

static void drawn_data_have_no_meaning(void **state)
{
    (void)state;
    assert_string_equal(variation_name(VARIATION_NONE), "");
    assert_string_equal(variation_meaning(""), "");
    assert_string_equal(variation_meaning("M=5 N=7"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_variation_has_a_name_and_a_meaning_of_its_own),
        cmocka_unit_test(drawn_data_have_no_meaning),
    };

    return cmocka_run_group_tests_name("variation_kind", tests, NULL, NULL);
}
