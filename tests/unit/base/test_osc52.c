#include "tests/unit/unit.h"

#include <string.h>

#include "core/base/formats/osc52.h"

/* The examples of RFC 4648, section 10. */
static void bytes_go_in_base64(void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xff\xfe", "//4="},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct strbuf out = {0}, expected = {0};

        osc52_add_copy(&out, cases[i][0], strlen(cases[i][0]));
        strbuf_addf(&expected, "\033]52;c;%s\a", cases[i][1]);
        assert_string_equal(strbuf_cstr(&out), strbuf_cstr(&expected));
        strbuf_release(&out);
        strbuf_release(&expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_go_in_base64)};

    return cmocka_run_group_tests_name("osc52", tests, NULL, NULL);
}
