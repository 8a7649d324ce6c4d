#include "core/session/store/handed_decision.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session/store/catalog.h"
#include "core/system/file.h"
#include "tests/unit/unit.h"

static char data[] = "/tmp/kforge-handed-XXXXXX";
static const char session[] = "1120-214703-3f2a";

static int open_data(void **state)
{
    struct error err;

    (void)state;
    snprintf(data, sizeof(data), "/tmp/kforge-handed-XXXXXX");
    return mkdtemp(data) && !setenv("XDG_DATA_HOME", data, 1) && !catalog_make(session, &err) ? 0
                                                                                              : -1;
}

static int remove_data(void **state)
{
    (void)state;
    file_remove_folder(data);
    return 0;
}

static void a_decision_arrives_whole_and_once(void **state)
{
    struct ruling edit = {.step = 7,
                          .decision = DECISION_EDITED,
                          .reason = "a \"why\"",
                          .text = "line\nand\tanother\n"};
    struct handed_decision read;
    struct error err;

    (void)state;
    assert_false(handed_decision_exists(session));
    assert_int_equal(handed_decision_read(session, &read, &err), STATUS_NOT_FOUND);
    assert_int_equal(handed_decision_give(session, &edit, &err), STATUS_OK);
    edit.decision = DECISION_ACCEPTED;
    assert_int_equal(handed_decision_give(session, &edit, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, session));
    assert_int_equal(handed_decision_read(session, &read, &err), STATUS_OK);
    assert_int_equal(read.ruling.step, 7);
    assert_int_equal(read.ruling.decision, DECISION_EDITED);
    assert_string_equal(read.ruling.reason, "a \"why\"");
    assert_string_equal(read.ruling.text, "line\nand\tanother\n");
    handed_decision_release(&read);
    handed_decision_remove(session);
    assert_int_equal(handed_decision_give(session, &edit, &err), STATUS_OK);
}

static void a_file_that_is_no_decision_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "{\"step\": 1}",
        "{\"step\": 0, \"decision\": \"accepted\"}",
        "{\"step\": 1, \"decision\": \"pending\"}",
        "{\"step\": 1, \"decision\": \"edited\"}",
        "{\"step\": 1, \"decision\": \"accepted\", \"by\": \"policy\"}",
    };
    char *folder = catalog_folder(session);
    struct handed_decision read;
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(file_write_text(folder, handed_decision_file, texts[i], &err), STATUS_OK);
        assert_int_equal(handed_decision_read(session, &read, &err), STATUS_INVALID);
        assert_null(read.body);
    }
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_decision_arrives_whole_and_once, open_data, remove_data),
        cmocka_unit_test_setup_teardown(a_file_that_is_no_decision_is_refused, open_data,
                                        remove_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
