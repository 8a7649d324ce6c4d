#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/strbuf.h"
#include "core/base/vec.h"

static void starts_empty(void **state)
{
    struct strbuf sb = {0};

    (void)state;
    assert_string_equal(strbuf_cstr(&sb), "");
    strbuf_release(&sb);
}

static void appends_formatted_text(void **state)
{
    struct strbuf sb = {0};

    (void)state;
    strbuf_adds(&sb, "gpu");
    strbuf_addf(&sb, "%d: %s", 7, "ready");
    assert_string_equal(strbuf_cstr(&sb), "gpu7: ready");
    assert_int_equal(sb.len, 11);
    strbuf_release(&sb);
}

static void take_hands_over_the_bytes(void **state)
{
    struct strbuf sb = {0};
    char *text;

    (void)state;
    strbuf_adds(&sb, "mine");
    text = strbuf_take(&sb);
    assert_string_equal(text, "mine");
    assert_string_equal(strbuf_cstr(&sb), "");
    free(text);
}

static void vec_grows(void **state)
{
    struct {
        int *items;
        size_t count, capacity;
    } v = {0};

    (void)state;
    for (int i = 0; i < 1000; i++)
        vec_push(&v, i);
    assert_int_equal(v.count, 1000);
    assert_int_equal(v.items[999], 999);
    vec_release(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_empty),
        cmocka_unit_test(appends_formatted_text),
        cmocka_unit_test(take_hands_over_the_bytes),
        cmocka_unit_test(vec_grows),
    };

    return cmocka_run_group_tests_name("strbuf", tests, NULL, NULL);
}
