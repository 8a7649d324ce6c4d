#include "tests/unit/unit.h"

#include <stdio.h>

#include "core/system/texts.h"

enum { MANY = 5000 };

static void a_text_is_kept_once(void **state)
{
    struct texts *texts = NULL;
    char again[] = "local memory";
    const char *first = texts_keep(&texts, "local memory");

    (void)state;
    assert_string_equal(first, "local memory");
    assert_ptr_equal(texts_keep(&texts, again), first);
    assert_ptr_not_equal(texts_keep(&texts, "registers"), first);
    assert_string_equal(texts_keep(&texts, ""), "");
    assert_null(texts_keep(&texts, NULL));
    texts_release(texts);
}

static void texts_stay_where_they_are(void **state)
{
    static const char *kept[MANY];
    struct texts *texts = NULL;
    char text[32];

    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof(text), "candidate %d", i);
        kept[i] = texts_keep(&texts, text);
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof(text), "candidate %d", i);
        assert_string_equal(kept[i], text);
        assert_ptr_equal(texts_keep(&texts, text), kept[i]);
    }
    texts_release(texts);
}

static void texts_stay_until_the_last_owner_releases_them(void **state)
{
    struct texts *texts = NULL, *shared;
    const char *text = texts_keep(&texts, "tile of 64");

    (void)state;
    shared = texts_share(texts);
    texts_release(texts);
    assert_string_equal(text, "tile of 64");
    assert_ptr_equal(texts_keep(&shared, "tile of 64"), text);
    texts_release(shared);
    assert_null(texts_share(NULL));
    texts_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_kept_once),
        cmocka_unit_test(texts_stay_where_they_are),
        cmocka_unit_test(texts_stay_until_the_last_owner_releases_them),
    };

    return cmocka_run_group_tests_name("texts", tests, NULL, NULL);
}
