#include "tests/unit/unit.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/session/recorded/port.h"
#include "core/session/recorded/review_report.h"
#include "core/session/store/catalog.h"
#include "core/session/store/journal.h"
#include "core/system/file.h"

/* The shipped sessions: softmax_written has two recommendations, linear_gelu_builtin has five. */
static struct review shipped(void)
{
    struct review review = {0};
    struct error err = {0};

    assert_int_equal(review_add(&review, "softmax_written", true, &err), STATUS_OK);
    assert_int_equal(review_add(&review, "linear_gelu_builtin", true, &err), STATUS_OK);
    return review;
}

static void an_item_says_what_was_promised_and_what_came_of_it(void **state)
{
    struct review review = shipped();
    const struct review_item *item = &review.items[0];
    char text[FORMAT_SIZE];

    (void)state;
    assert_int_equal(review.count, 7);
    assert_string_equal(item->name, "softmax_written");
    assert_string_equal(item->problem, "softmax");
    assert_int_equal(item->step, 8);
    assert_string_equal(item->bottleneck, "scalar exponentials");
    assert_non_null(strstr(item->evidence, "exponentials per element = 2"));
    assert_string_equal(item->tags, "vectors");
    assert_int_equal(item->decision, DECISION_ACCEPTED);
    assert_int_equal(item->decider, DECIDER_POLICY);
    assert_true(item->promised > 2.99 && item->promised < 3.01);
    assert_int_equal(item->follower, 4);
    assert_true(review_has_gain(item));
    assert_string_equal(review_result(item, text), "6.84x");
    review_release(&review);
}

static void filters_and_totals(void **state)
{
    struct review review = shipped();
    const struct review_filter none = {0};
    const struct review_filter tile = {.values = {[REVIEW_TAG] = "tile"}};
    const struct review_filter nothing = {
        .values = {[REVIEW_TAG] = "tile", [REVIEW_PROBLEM] = "softmax"}};
    struct review_totals totals = review_total_of(&review, &none);
    struct strbuf values = {0};

    (void)state;
    assert_int_equal(totals.count, 7);
    assert_int_equal(totals.accepted + totals.edited + totals.vetoed, 7);
    assert_int_equal(review_total_of(&review, &tile).count, 3);
    assert_int_equal(review_total_of(&review, &nothing).count, 0);
    assert_true(review_total_of(&review, &nothing).promised == 0);
    review_add_values(&review, REVIEW_TAG, &values);
    assert_string_equal(strbuf_cstr(&values), "locality\nloop\nrecomputation\ntile\nvectors\n");
    strbuf_release(&values);
    review_release(&review);
}

/* Promised were 3x and 1.5x, gained were 6.84x and 1.37x; the totals are geometric means. */
static void calibration_is_the_mean_of_both(void **state)
{
    const struct review_filter softmax = {.values = {[REVIEW_PROBLEM] = "softmax"}};
    struct review review = shipped();
    struct review_totals totals = review_total_of(&review, &softmax);

    (void)state;
    assert_int_equal(totals.compared, 2);
    assert_int_equal(totals.faster, 2);
    assert_true(totals.promised > 2.12 && totals.promised < 2.13);
    assert_true(totals.gained > 3.05 && totals.gained < 3.06);
    review_release(&review);
}

static void tags_are_whole_words(void **state)
{
    struct review_item item = {.note = (char *)(uintptr_t) "",
                               .tags = (char *)(uintptr_t) "local memory, tile",
                               .device = (char *)(uintptr_t) "opencl:0",
                               .problem = (char *)(uintptr_t) "softmax"};

    (void)state;
    assert_true(review_passes(&item, &(struct review_filter){.values = {"tile"}}));
    assert_true(review_passes(&item, &(struct review_filter){.values = {"local memory"}}));
    assert_false(review_passes(&item, &(struct review_filter){.values = {"local"}}));
    assert_true(review_passes(&item, &(struct review_filter){.values = {""}}));
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

/* The recommendations and decisions that a fork inherits count for its parent only. */
static void a_fork_lists_only_its_own_decisions(void **state)
{
    char folder[] = "/tmp/kforge-review-XXXXXX", id[CATALOG_ID_SIZE];
    struct recording recording = {0};
    struct fork_options options = {.agent = "builtin"};
    struct review review = {0};
    struct error err = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_DATA_HOME", folder, 1);
    assert_int_equal(recording_open("softmax_written", &recording, &err), STATUS_OK);
    assert_int_equal(fork_session(&recording, 12, &options, id, &err), STATUS_OK);
    assert_int_equal(review_add(&review, id, false, &err), STATUS_OK);
    assert_int_equal(review.count, 1);
    assert_int_equal(review.items[0].step, 12);
    assert_int_equal(review.items[0].decision, DECISION_PENDING);
    assert_int_equal(review_add(&review, id, true, &err), STATUS_OK);
    assert_int_equal(review.count, 3);
    review_release(&review);
    recording_release(&recording);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* A session for another device shares no steps: it begins with the best kernel as its reference. */
static void a_port_begins_with_the_best_kernel(void **state)
{
    char folder[] = "/tmp/kforge-port-XXXXXX", id[CATALOG_ID_SIZE];
    struct recording parent = {0}, port = {0};
    struct fork_options options = {.agent = "manual"};
    struct strbuf text = {0};
    struct error err = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("XDG_DATA_HOME", folder, 1);
    assert_int_equal(recording_open("softmax_written", &parent, &err), STATUS_OK);
    assert_int_equal(
        port_session(&parent, &(struct port_target){.device = "brook:0"}, &options, id, &err),
        STATUS_INVALID);
    assert_int_equal(
        port_session(&parent, &(struct port_target){.device = "cuda:1"}, &options, id, &err),
        STATUS_OK);
    assert_int_equal(recording_open(id, &port, &err), STATUS_OK);
    assert_string_equal(port.session.language, "cuda");
    assert_string_equal(port.session.device, "cuda:1");
    assert_string_equal(port.session.agent, "manual");
    assert_string_equal(port.session.forked_from, parent.session.id);
    assert_string_equal(port.session.problem, parent.session.problem);
    assert_string_equal(port.session.reference_name, "kernel.cl");
    assert_string_equal(port.session.reference_language, "opencl");
    assert_true(session_has_unjudged_reference(&port.session));
    assert_int_equal(port.session.steps.count, 0);
    assert_int_equal(recording_text(&port, port.session.reference, &text, &err), STATUS_OK);
    assert_non_null(strstr(strbuf_cstr(&text), "kernel void"));
    strbuf_release(&text);
    recording_release(&port);
    recording_release(&parent);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Nobody is asked about a step that was undone before its decision. */
static void an_undone_step_does_not_wait(void **state)
{
    struct review_item item = {.decision = DECISION_PENDING};
    char text[FORMAT_SIZE];

    (void)state;
    assert_string_equal(review_result(&item, text), "waits");
    item.is_undone = true;
    assert_string_equal(review_result(&item, text), "undone");
}

static void a_missing_session_is_named(void **state)
{
    struct review review = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(review_add(&review, "nosuch", true, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "nosuch"));
    assert_int_equal(review.count, 0);
}

/* A data folder of its own for the journal of marks. */
static int open_data(void **state)
{
    static char folder[32];

    snprintf(folder, sizeof(folder), "/tmp/kforge-marks-XXXXXX");
    *state = folder;
    return mkdtemp(folder) ? setenv("XDG_DATA_HOME", folder, 1) : -1;
}

static int close_data(void **state)
{
    return nftw(*state, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void assert_shown(const struct review *review, enum review_shown shown, size_t count)
{
    struct review_rows rows = {0};

    review_choose(review, &(struct review_filter){.shown = shown}, &rows);
    assert_int_equal(rows.count, count);
    vec_release(&rows);
}

/* Marks stay when kforge ends, and another process sees them. */
static void marks_are_kept_and_filter(void **state)
{
    struct review review = shipped(), again = {0};
    char letters[REVIEW_LETTERS];
    struct error err = {0};

    (void)state;
    assert_int_equal(
        review_mark(&review, &review.items[1],
                    (struct recommendation_marked){.reviewed = true, .starred = false, .note = ""},
                    &err),
        STATUS_OK);
    assert_int_equal(review_mark(&review, &review.items[4],
                                 (struct recommendation_marked){
                                     .reviewed = false, .starred = true, .note = "try\n\"it\""},
                                 &err),
                     STATUS_OK);
    assert_int_equal(review_mark(&review, &review.items[4],
                                 (struct recommendation_marked){.reviewed = true,
                                                                .starred = true,
                                                                .note = review.items[4].note},
                                 &err),
                     STATUS_OK);
    assert_int_equal(review_read_marks(&again, &err), STATUS_OK);
    assert_int_equal(review_add(&again, "linear_gelu_builtin", true, &err), STATUS_OK);
    assert_int_equal(review_add(&again, "softmax_written", true, &err), STATUS_OK);
    assert_string_equal(again.items[2].note, "try\n\"it\"");
    assert_string_equal(review_letters(&again.items[2], letters), "*rn.");
    assert_shown(&again, REVIEW_ALL, 7);
    assert_shown(&again, REVIEW_REVIEWED, 2);
    assert_shown(&again, REVIEW_UNREVIEWED, 5);
    assert_shown(&again, REVIEW_STARRED, 1);
    assert_shown(&again, REVIEW_NOTED, 1);
    assert_shown(&again, REVIEW_KEPT, 3);
    assert_int_equal(
        review_mark(&again, &again.items[2],
                    (struct recommendation_marked){.reviewed = false, .starred = false, .note = ""},
                    &err),
        STATUS_OK);
    assert_shown(&again, REVIEW_STARRED, 0);
    assert_shown(&again, REVIEW_NOTED, 0);
    review_release(&review);
    review_release(&again);
}

static enum status on_nothing(void *data, const struct event *event, struct error *err)
{
    (void)data;
    (void)event;
    (void)err;
    return STATUS_OK;
}

/* A mark that is not written is not shown; a line that a crash cut short is dropped. */
static void a_mark_that_cannot_be_written_is_none(void **state)
{
    struct review review = shipped();
    char *path = catalog_review_journal();
    struct journal *other = NULL;
    struct strbuf text = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(
        review_mark(&review, &review.items[0],
                    (struct recommendation_marked){.reviewed = true, .starred = false, .note = ""},
                    &err),
        STATUS_OK);
    assert_int_equal(journal_open(path, on_nothing, NULL, &other, &err), STATUS_OK);
    assert_int_equal(
        review_mark(&review, &review.items[1],
                    (struct recommendation_marked){.reviewed = true, .starred = false, .note = ""},
                    &err),
        STATUS_UNAVAILABLE);
    assert_non_null(strstr(err.text, "another kforge"));
    assert_false(review.items[1].is_reviewed);
    journal_close(other);

    assert_int_equal(file_read(path, 1 << 20, &text, &err), STATUS_OK);
    strbuf_adds(&text, "{\"seq\": 2, \"at");
    assert_int_equal(file_write(path, text.data, text.len, &err), STATUS_OK);
    assert_int_equal(
        review_mark(&review, &review.items[1],
                    (struct recommendation_marked){.reviewed = false, .starred = true, .note = ""},
                    &err),
        STATUS_OK);
    assert_true(review.items[0].is_reviewed);
    assert_true(review.items[1].is_starred);
    strbuf_release(&text);
    free(path);
    review_release(&review);
}

/* The first 44 events of softmax_written end where attempt 4, which follows step 8, can be kept. */
static void write_session(const char *folder, const char *rest)
{
    char *shipped_path = file_shipped("prompts/sessions/softmax_written/events.jsonl");
    struct strbuf text = {0};
    struct error err = {0};
    char *line;

    assert_int_equal(file_read(shipped_path, 1 << 20, &text, &err), STATUS_OK);
    line = strstr(text.data, "{\"seq\":45,");
    assert_non_null(line);
    text.len = (size_t)(line - text.data);
    strbuf_adds(&text, rest);
    assert_int_equal(file_write_text(folder, "events.jsonl", strbuf_cstr(&text), &err), STATUS_OK);
    strbuf_release(&text);
    free(shipped_path);
}

static void write_session_kept_after_an_edit(const char *folder)
{
    static const char rest[] =
        "{\"seq\":45,\"at\":\"2026-11-22T05:42:09.000Z\",\"type\":\"step.proposed\",\"step\":12,"
        "\"kind\":\"candidate\",\"attempt\":5,\"title\":\"edited by hand\",\"is_by_hand\":true,"
        "\"edits\":4,\"text\":\"83d42a6eb4dc2b23ded508155342502c21e5fbb9\"}\n"
        "{\"seq\":46,\"at\":\"2026-11-22T05:42:09.000Z\",\"type\":\"step.decided\",\"step\":12,"
        "\"decision\":\"accepted\",\"by\":\"engineer\",\"reason\":\"\"}\n"
        "{\"seq\":47,\"at\":\"2026-11-22T05:42:10.000Z\",\"type\":\"evaluation.finished\","
        "\"attempt\":5,\"outcome\":\"build_failed\","
        "\"verdict\":\"c5eda9255c18fd4ba2ec3d0221cdc9dc37118b4c\",\"wall_us\":7}\n"
        "{\"seq\":48,\"at\":\"2026-11-22T05:42:11.000Z\",\"type\":\"step.proposed\",\"step\":13,"
        "\"kind\":\"keep\",\"attempt\":4,\"title\":\"the vectors\","
        "\"text\":\"83d42a6eb4dc2b23ded508155342502c21e5fbb9\"}\n"
        "{\"seq\":49,\"at\":\"2026-11-22T05:42:11.000Z\",\"type\":\"step.decided\",\"step\":13,"
        "\"decision\":\"accepted\",\"by\":\"engineer\",\"reason\":\"\"}\n"
        "{\"seq\":50,\"at\":\"2026-11-22T05:42:11.000Z\",\"type\":\"candidate.kept\","
        "\"attempt\":4,\"commit\":\"836b0b21df2b6f37ea2579e71c31f65f32d6779e\"}\n";

    write_session(folder, rest);
}

/* The engineer keeps attempt 4, and takes it back once it was followed by a recommendation. */
static void write_session_with_an_undone_step(const char *folder)
{
    static const char rest[] =
        "{\"seq\":45,\"at\":\"2026-11-22T05:42:09.000Z\",\"type\":\"step.decided\",\"step\":11,"
        "\"decision\":\"accepted\",\"by\":\"engineer\",\"reason\":\"\"}\n"
        "{\"seq\":46,\"at\":\"2026-11-22T05:42:09.000Z\",\"type\":\"candidate.kept\","
        "\"attempt\":4,\"commit\":\"836b0b21df2b6f37ea2579e71c31f65f32d6779e\"}\n"
        "{\"seq\":47,\"at\":\"2026-11-22T05:42:09.000Z\",\"type\":\"model.request\",\"step\":0,"
        "\"task\":\"analyse\",\"agent\":\"openai:written-by-hand\","
        "\"text\":\"5610c6784b95279d8c09c9614601dcbf7e98ff60\"}\n"
        "{\"seq\":48,\"at\":\"2026-11-22T05:42:09.000Z\",\"type\":\"model.reply\","
        "\"task\":\"analyse\",\"text\":\"d8faa301cb1af2654b98276d76431b6c65e389be\","
        "\"latency_us\":7}\n"
        "{\"seq\":49,\"at\":\"2026-11-22T05:42:09.000Z\",\"type\":\"step.proposed\",\"step\":12,"
        "\"kind\":\"recommendation\",\"attempt\":4,\"title\":\"keep the exponentials\","
        "\"text\":\"d8faa301cb1af2654b98276d76431b6c65e389be\",\"gain\":1.5}\n"
        "{\"seq\":50,\"at\":\"2026-11-22T05:42:10.000Z\",\"type\":\"step.undone\",\"step\":11}\n";

    write_session(folder, rest);
}

static void the_review_of_a_session_knows_what_was_undone(void **state)
{
    struct review review = {0};
    char text[FORMAT_SIZE];
    struct error err = {0};

    write_session_with_an_undone_step(*state);
    if (review_add(&review, *state, true, &err))
        fail_msg("%s", err.text);
    assert_int_equal(review.count, 2);
    assert_string_equal(review_result(&review.items[1], text), "undone");
    review_release(&review);
}

/* The attempt that was kept counts, not an edit of it that was not. */
static void advice_is_kept_with_any_attempt_that_follows_it(void **state)
{
    struct review review = {0};
    const struct review_item *item;
    char text[FORMAT_SIZE], letters[REVIEW_LETTERS];
    struct error err = {0};

    write_session_kept_after_an_edit(*state);
    if (review_add(&review, *state, true, &err))
        fail_msg("%s", err.text);
    item = &review.items[0];
    assert_int_equal(item->follower, 4);
    assert_string_equal(review_result(item, text), "6.84x");
    assert_string_equal(review_letters(item, letters), "...k");
    assert_shown(&review, REVIEW_KEPT, 1);
    review_release(&review);
}

static void a_report_is_saved_once_and_in_the_form_of_its_name(void **state)
{
    struct review review = shipped();
    struct review_rows rows = {0};
    char *markdown = file_join(*state, "advice.md"), *lines = file_join(*state, "advice.jsonl");
    struct strbuf text = {0};
    struct error err = {0};

    assert_int_equal(review_mark(&review, &review.items[0],
                                 (struct recommendation_marked){
                                     .reviewed = true, .starred = true, .note = "a | b"},
                                 &err),
                     STATUS_OK);
    review_choose(&review, &(struct review_filter){.values = {[REVIEW_PROBLEM] = "softmax"}},
                  &rows);
    assert_int_equal(review_report_save(&review, &rows, markdown, &err), STATUS_OK);
    assert_int_equal(file_read(markdown, 1 << 20, &text, &err), STATUS_OK);
    assert_non_null(
        strstr(strbuf_cstr(&text), "| 3.00x | 6.84x | accepted | yes | star, reviewed |"));
    assert_non_null(strstr(strbuf_cstr(&text), "- note: a \\| b\n"));
    strbuf_release(&text);
    assert_int_equal(review_report_save(&review, &rows, lines, &err), STATUS_OK);
    assert_int_equal(file_read(lines, 1 << 20, &text, &err), STATUS_OK);
    assert_non_null(strstr(strbuf_cstr(&text), "\"starred\":true,\"note\":\"a | b\"}\n"));
    assert_int_equal(review_report_save(&review, &rows, lines, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "already"));
    assert_int_equal(review_report_save(&review, &rows, "advice.txt", &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, ".md"));
    strbuf_release(&text);
    free(markdown);
    free(lines);
    vec_release(&rows);
    review_release(&review);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_says_what_was_promised_and_what_came_of_it),
        cmocka_unit_test(filters_and_totals),
        cmocka_unit_test(calibration_is_the_mean_of_both),
        cmocka_unit_test(tags_are_whole_words),
        cmocka_unit_test(an_undone_step_does_not_wait),
        cmocka_unit_test(a_missing_session_is_named),
        cmocka_unit_test(a_fork_lists_only_its_own_decisions),
        cmocka_unit_test(a_port_begins_with_the_best_kernel),
        cmocka_unit_test_setup_teardown(marks_are_kept_and_filter, open_data, close_data),
        cmocka_unit_test_setup_teardown(advice_is_kept_with_any_attempt_that_follows_it, open_data,
                                        close_data),
        cmocka_unit_test_setup_teardown(the_review_of_a_session_knows_what_was_undone, open_data,
                                        close_data),
        cmocka_unit_test_setup_teardown(a_mark_that_cannot_be_written_is_none, open_data,
                                        close_data),
        cmocka_unit_test_setup_teardown(a_report_is_saved_once_and_in_the_form_of_its_name,
                                        open_data, close_data),
    };

    return cmocka_run_group_tests_name("review", tests, NULL, NULL);
}
