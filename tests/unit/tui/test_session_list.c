#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/screens/recommendation_page.h"
#include "tui/screens/review_list.h"
#include "tui/screens/session_list.h"
#include "tui/term/screenshot.h"

/* A data folder whose sessions are the two of tests/screens. */
static int open_data(void **state)
{
    static char folder[] = "/tmp/kforge-list-XXXXXX", link[64];

    if (!mkdtemp(folder))
        return -1;
    snprintf(link, sizeof(link), "%s/kforge", folder);
    *state = link;
    setenv("XDG_DATA_HOME", folder, 1);
    return symlink(KFORGE_SOURCE_DIR "/tests/screens", link);
}

static int close_data(void **state)
{
    int failed = unlink(*state);

    return failed ? failed : rmdir(getenv("XDG_DATA_HOME"));
}

/* The engineer's selection is a row: rows may not vanish while the sessions are read again. */
static void a_list_that_is_read_anew_keeps_its_rows(void **state)
{
    struct session_list list = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(session_list_open(&list, &err), STATUS_OK);
    assert_true(session_list_read(&list));
    assert_int_equal(list.count, 1);
    assert_true(session_list_read(&list));
    assert_false(session_list_read(&list));
    assert_int_equal(list.count, 2);

    assert_int_equal(session_list_reopen(&list, &err), STATUS_OK);
    assert_int_equal(list.count, 2);
    assert_true(session_list_read(&list));
    assert_true(list.is_anew);
    assert_int_equal(session_list_find(&list, "1120-233721-80ea"), 1);
    assert_int_equal(session_list_reopen(&list, &err), STATUS_OK);
    while (session_list_read(&list))
        assert_int_equal(list.count, 2);
    assert_false(list.is_anew);
    assert_int_equal(session_list_find(&list, "1120-233721-80ea"), 1);
    assert_int_equal(session_list_find(&list, "absent"), 2);
    session_list_release(&list);
}

/* The engineer is not asked about an undone step, so its row and its page have no waiting step. */
static void an_undone_recommendation_does_not_wait(void **state)
{
    static char word[] = "word", nothing[] = "";
    const struct review_item item = {.is_undone = true,
                                     .at = "2026-11-23T22:57:00",
                                     .session = word,
                                     .problem = word,
                                     .device = word,
                                     .agent = word,
                                     .change = word,
                                     .evidence = nothing,
                                     .note = nothing};
    struct strbuf text = {0};
    struct canvas canvas = {0};
    struct page page = {0};
    struct pen pen;

    (void)state;
    canvas_reset(&canvas, 80, 20);
    pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 80, 1}), 0, 0);
    review_list_put(&item, &pen);
    recommendation_page_write(&item, &page, 80);
    page_draw(&page, canvas_area(&canvas, (struct rect){0, 1, 80, 19}));
    screenshot_text(&canvas, &text);
    assert_non_null(strstr(strbuf_cstr(&text), " un ...."));
    assert_non_null(strstr(strbuf_cstr(&text), "decision\nundone\n"));
    strbuf_release(&text);
    canvas_release(&canvas);
    page_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_list_that_is_read_anew_keeps_its_rows, open_data,
                                        close_data),
        cmocka_unit_test(an_undone_recommendation_does_not_wait),
    };

    return cmocka_run_group_tests_name("session_list", tests, NULL, NULL);
}
