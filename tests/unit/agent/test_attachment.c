#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/prompt/attachment.h"
#include "core/base/formats/base64.h"
#include "core/base/formats/media.h"
#include "core/base/mem.h"
#include "core/llm/image.h"

static void the_kind_of_an_image_is_in_its_first_bytes(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *type;
    } cases[] = {
        {"\x89PNG\r\n\x1A\n....", 12, "image/png"},
        {"\xFF\xD8\xFF\xE0", 4, "image/jpeg"},
        {"RIFF\x10\0\0\0WEBPVP8 ", 16, "image/webp"},
        {"GIF89a", 6, "image/gif"},
        {"GIF87a", 6, "image/gif"},
        {"RIFF\x10\0\0\0WAVEfmt ", 16, NULL},
        {"\x89PNG", 4, NULL},
        {"a,b\n", 4, "text/plain"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *type = media_type(cases[i].bytes, cases[i].len);

        assert_string_equal(type ? type : "none", cases[i].type ? cases[i].type : "none");
    }
}

static void only_what_a_model_can_be_given_is_attached(void **state)
{
    static const struct {
        struct brief_attachment attachment;
        const char *why; /* NULL: nothing is wrong */
    } cases[] = {
        {{"counters.csv", "a,b\n", 4, false}, NULL},
        {{"window.png", "\x89PNG\r\n\x1A\n", 8, false}, NULL},
        {{"a.out",
          "\x7F"
          "ELF\0",
          5, false},
         "a.out: is neither text in UTF-8 nor an image"},
        {{"latin.txt", "caf\xE9", 4, false}, "latin.txt: is neither text"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct error err = {0};
        enum status st = attachment_check(&cases[i].attachment, &err);

        assert_int_equal(st, cases[i].why ? STATUS_INVALID : STATUS_OK);
        assert_non_null(strstr(err.text, cases[i].why ? cases[i].why : ""));
    }
}

static void what_is_too_large_is_named(void **state)
{
    static const char gif[] = {'G', 'I', 'F', '8', '9', 'a'};
    char *bytes = mem_alloc_zeroed(1, IMAGE_MAX_BYTES + 1);
    struct error err = {0};

    (void)state;
    memset(bytes, 'x', IMAGE_MAX_BYTES + 1);
    assert_int_equal(
        attachment_check(
            &(struct brief_attachment){"log.txt", bytes, ATTACHMENT_MAX_TEXT_BYTES + 1, false},
            &err),
        STATUS_INVALID);
    assert_string_equal(err.text, "log.txt: 1048577 bytes; a text may have 1048576");
    memcpy(bytes, gif, sizeof(gif));
    assert_int_equal(
        attachment_check(&(struct brief_attachment){"w.gif", bytes, IMAGE_MAX_BYTES + 1, false},
                         &err),
        STATUS_INVALID);
    assert_string_equal(err.text, "w.gif: 3932161 bytes; an image may have 3932160");
    assert_int_equal(
        attachment_check(&(struct brief_attachment){"w.gif", bytes, IMAGE_MAX_BYTES, false}, &err),
        STATUS_OK);
    free(bytes);
}

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
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct strbuf out = {0};

        base64_add(&out, cases[i][0], strlen(cases[i][0]));
        assert_string_equal(strbuf_cstr(&out), cases[i][1]);
        strbuf_release(&out);
        assert_true(base64_decode(&out, cases[i][1]));
        assert_string_equal(strbuf_cstr(&out), cases[i][0]);
        strbuf_release(&out);
    }
}

static void what_is_no_base64_is_no_bytes(void **state)
{
    static const char *const wrong[] = {"Z", "Zg=", "Zg", "Zg==Zg==", "Zm9v Zg==", "====", "Zm-_"};
    struct strbuf out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(base64_decode(&out, wrong[i]));
    assert_int_equal(out.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kind_of_an_image_is_in_its_first_bytes),
        cmocka_unit_test(only_what_a_model_can_be_given_is_attached),
        cmocka_unit_test(what_is_too_large_is_named),
        cmocka_unit_test(bytes_go_in_base64),
        cmocka_unit_test(what_is_no_base64_is_no_bytes),
    };

    return cmocka_run_group_tests_name("attachment", tests, NULL, NULL);
}
