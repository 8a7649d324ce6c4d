#include "tests/unit/unit.h"

#include "core/judge/listing.h"

static void check(const char *listing, const char *want)
{
    struct strbuf text = {0};

    listing_drop_folders(listing, &text);
    assert_string_equal(strbuf_cstr(&text), want);
    strbuf_release(&text);
}

static void files_lose_their_folders(void **state)
{
    (void)state;
    check("//## File \"/home/me/kernel.cu\", line 3\n LDC R1 ;\n//## File \"/a/b.h\", line 4\n",
          "//## File \"kernel.cu\", line 3\n LDC R1 ;\n//## File \"b.h\", line 4\n");
    check("//## File \"kernel.cu\", line 3\n", "//## File \"kernel.cu\", line 3\n");
}

static void a_truncated_line_stays(void **state)
{
    (void)state;
    check("", "");
    check("no file / at all", "no file / at all");
    check("File \"/home/me", "File \"me");
    check("File \"", "File \"");
}

static void a_form_is_found_by_its_name(void **state)
{
    (void)state;
    assert_int_equal(listing_form_of(listing_form_name(LISTING_PTX)), LISTING_PTX);
    assert_int_equal(listing_form_of(listing_form_name(LISTING_SASS)), LISTING_SASS);
    assert_int_equal(listing_form_of("elf"), LISTING_NONE);
    assert_int_equal(listing_form_of(listing_form_name(LISTING_NONE)), LISTING_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_lose_their_folders),
        cmocka_unit_test(a_truncated_line_stays),
        cmocka_unit_test(a_form_is_found_by_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
