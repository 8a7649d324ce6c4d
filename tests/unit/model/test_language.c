#include "tests/unit/unit.h"

#include <string.h>

#include "core/model/language.h"
#include "core/system/file.h"

/*
 * Each row of the table is complete: its names are set, and its folder has all files that agents
 * need.
 */
static void every_language_is_complete(void **state)
{
    static const char *const parts[] = {"facts.md", "rules.md", "example.md", "export/main.c",
                                        "export/libraries.cmake.j2"};

    (void)state;
    for (const struct language *language = languages; language->name; language++) {
        assert_ptr_equal(language_of(language->name), language);
        assert_non_null(language->title);
        assert_non_null(language->source_file);
        assert_non_null(language->syntax);
        assert_string_equal(language->fences[0], language->name);
        for (size_t i = 0; i < (language->runs_in_c ? sizeof(parts) / sizeof(parts[0]) : 3); i++) {
            struct strbuf path = {0};

            strbuf_addf(&path, "%s/prompts/platforms/%s/%s", KFORGE_SOURCE_DIR, language->name,
                        parts[i]);
            if (!file_exists(strbuf_cstr(&path)))
                fail_msg("%s: there is none", strbuf_cstr(&path));
            strbuf_release(&path);
        }
    }
}

static void an_unknown_language_has_no_features(void **state)
{
    const struct language *unknown = language_of("brook");

    (void)state;
    assert_null(unknown->name);
    assert_string_equal(unknown->source_file, "kernel.txt");
    assert_int_equal(unknown->dialect, DIALECT_NONE);
    assert_false(unknown->has_nvidia_tools || unknown->runs_in_torch || unknown->names_buffers);
    assert_true(language_of("cuda")->names_buffers && !language_of("opencl")->names_buffers);
    assert_ptr_equal(language_of(NULL), unknown);
}

static void options_and_variables_are_those_of_some_language(void **state)
{
    (void)state;
    assert_true(language_allows_option("-cl-fast-relaxed-math"));
    assert_true(language_allows_option("--use_fast_math"));
    assert_false(language_allows_option("--include-path=/etc"));
    assert_true(language_reads_variable("POCL_DEVICES=cpu"));
    assert_true(language_reads_variable("CUDA_VISIBLE_DEVICES=0"));
    assert_false(language_reads_variable("AWS_SECRET=1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_language_is_complete),
        cmocka_unit_test(an_unknown_language_has_no_features),
        cmocka_unit_test(options_and_variables_are_those_of_some_language),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
