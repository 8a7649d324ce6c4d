#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session/store/history.h"
#include "core/suite/report/suite_report.h"
#include "core/system/file.h"
#include "tests/golden/golden.h"
#include "tui/cli/suite/report_data.h"
#include "tui/cli/suite/report_svg.h"
#include "tui/cli/suite/report_text.h"

/*
 * Reports of a suite of two problems and two arms, whose sessions are journals in
 * tests/golden/suite. The fourth task failed. All attempts of the first two sessions have one
 * verdict, which is in the repository; those of the third have verdicts that are nowhere.
 */

enum { MAX_BYTES = 1 << 20, TASKS = 4 };

/* Of the first session. */
#define ATTEMPTS         5
#define TEXT_OF(number)  TEXT_OF_(number)
#define TEXT_OF_(number) #number

static char folder[] = "/tmp/kforge-report-XXXXXX";
static struct suite_store store;

static const char text[] =
    "{\"kforge\": 1, \"name\": \"both\", \"problems\": [\"a.json\", \"b.json\"], \"arms\": "
    "[{\"name\": \"first\"}, {\"name\": \"second\"}]}";

static const char verdict[] =
    "{\"kforge\": 1, \"outcome\": \"correct\", \"detail\": \"fine\", \"strongest\": \"reference\", "
    "\"timing\": "
    "{\"median_us\": 100, \"ci95_us\": [98, 102]}, \"against\": [{\"name\": \"best\", "
    "\"median_us\": "
    "120, \"ci95_us\": [119, 121], \"speedup\": 1.2, \"speedup_ci95\": [1.1, 1.3]}, {\"name\": "
    "\"reference\", \"median_us\": 300, \"ci95_us\": [290, 310], \"speedup\": 3, \"speedup_ci95\": "
    "[2.8, 3.2]}, {\"name\": \"library\", \"median_us\": 600, \"ci95_us\": [590, 610], "
    "\"speedup\": "
    "6, \"speedup_ci95\": [5.5, 6.5]}], \"where\": {\"device\": \"a device\", \"driver\": \"driver "
    "7\", \"compiler\": \"compiler 8\", \"host\": \"gpu7\", \"version\": \"0.1.0\"}}";

/* Make the repository with the verdict, and name that in the journal of a session. */
static void name_verdict(char *journal)
{
    static const char key[] = "\"verdict\":\"";
    char *path = catalog_repository(), id[OBJECT_ID_SIZE];
    struct history *history;
    struct error err;

    if (history_open(path, &history, &err) ||
        history_put(history, verdict, strlen(verdict), id, &err))
        abort();
    for (char *at = strstr(journal, key); at; at = strstr(at + 1, key))
        memcpy(at + strlen(key), id, OBJECT_ID_SIZE - 1);
    history_close(history);
    free(path);
}

/* Put a journal where that of a session is looked for. */
static void place(const char *journal, const char *id)
{
    char *session = catalog_folder(id);
    char path[256];
    struct strbuf events = {0};
    struct error err;

    snprintf(path, sizeof(path), KFORGE_SOURCE_DIR "/tests/golden/suite/%s.jsonl", journal);
    if (catalog_make(id, &err) || file_read(path, MAX_BYTES, &events, &err))
        abort();
    if (strcmp(journal, "transpose") != 0)
        name_verdict(events.data);
    if (file_write_text(session, "events.jsonl", strbuf_cstr(&events), &err))
        abort();
    strbuf_release(&events);
    free(session);
}

static void apply(enum event_type type, const void *data)
{
    struct event event = event_make(type, data);
    struct error err;

    if (suite_state_apply(&store.state, &event, &err))
        abort();
    event_release(&event);
}

static int set_up(void **state)
{
    static const char *const journals[TASKS] = {"softmax", "linear", "transpose", "none"};
    const struct suite_opened opened = {"1124-000000-0000", "both", TASKS};
    struct error err;

    (void)state;
    if (!mkdtemp(folder) || suite_parse(&store.suite, text, strlen(text), "s.json", &err))
        return -1;
    setenv("XDG_DATA_HOME", folder, 1);
    snprintf(store.id, sizeof(store.id), "1124-000000-0000");
    store.folder = file_join(folder, "suite");
    apply(EVENT_SUITE_OPENED, &opened);
    for (unsigned i = 1; i <= TASKS; i++) {
        char id[CATALOG_ID_SIZE];
        const struct task_started started = {i, id, "p", "a", 1, NULL};
        const struct task_ended ended = {i, id, TASK_IMPROVED};
        const struct task_failed failed = {i, id, "the device is gone"};

        snprintf(id, sizeof(id), "1124-00000%u-abcd", i);
        apply(EVENT_TASK_STARTED, &started);
        apply(i < TASKS ? EVENT_TASK_ENDED : EVENT_TASK_FAILED,
              i < TASKS ? (const void *)&ended : (const void *)&failed);
        if (i < TASKS)
            place(journals[i - 1], id);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    suite_store_close(&store);
    file_remove_folder(folder);
    return 0;
}

static void test_forms(void **state)
{
    struct suite_report report;
    struct strbuf columns = {0}, markdown = {0}, csv = {0}, data = {0}, picture = {0};
    struct json *object;

    (void)state;
    suite_report_make(&report, &store);
    report_text_add(&report, false, &columns);
    report_text_add(&report, true, &markdown);
    report_data_add_csv(&report, &csv);
    object = report_data_encode(&report);
    json_print_pretty(object, &data);
    golden_compare("suite/report.txt", &columns);
    golden_compare("suite/report.md", &markdown);
    golden_compare("suite/report.csv", &csv);
    golden_compare("suite/report.json", &data);
    report_svg_add(&report, &picture);
    golden_compare("suite/report.svg", &picture);
    strbuf_release(&picture);
    json_free(object);
    suite_report_release(&report);
    strbuf_release(&columns);
    strbuf_release(&markdown);
    strbuf_release(&csv);
    strbuf_release(&data);
}

/* Only the first problem compares the arms: the second has no speedup with the second arm. */
static void test_only_problems_of_both_arms_are_compared(void **state)
{
    struct suite_report report;
    const struct report_pair *pair;

    (void)state;
    suite_report_make(&report, &store);
    assert_int_equal(report.pairs.count, 1);
    pair = &report.pairs.items[0];
    assert_int_equal(pair->problems, 1);
    assert_int_equal(pair->left_out, 1);
    assert_true(fabs(pair->ratio.value -
                     report.rows[0].speedup.value / report.rows[1].speedup.value) < 1e-9);
    assert_true(pair->test.p == 1);
    assert_int_equal(report.arms[1].failed, 1);
    assert_int_equal(report.arms[0].ended, 2);
    suite_report_release(&report);
}

/* On the scale of its session a verdict keeps the ratio of its baselines. */
static void test_each_baseline_has_a_speedup(void **state)
{
    struct suite_report report;
    const struct ratio *strongest, *other;

    (void)state;
    suite_report_make(&report, &store);
    assert_int_equal(report.baselines.count, 2);
    strongest = report_row_speedup(&report.rows[0], "reference");
    other = report_row_speedup(&report.rows[0], "library");
    assert_non_null(strongest);
    assert_non_null(other);
    assert_true(fabs(strongest->value - report.rows[0].speedup.value) < 1e-9);
    assert_true(fabs(other->value / strongest->value - 2) < 1e-9);
    assert_null(report_row_speedup(&report.rows[0], "best"));
    assert_int_equal(report.rows[2].speedups.count, 0);
    assert_int_equal(report.machines.count, 1);
    assert_int_equal(report.machines.items[0].tasks, 2);
    assert_string_equal(report.machines.items[0].host, "gpu7");
    suite_report_release(&report);
}

/* A session whose journal is gone is told of, and takes no part in any share. */
static void test_a_lost_session_is_left_out(void **state)
{
    char *lost = catalog_folder("1124-000002-abcd");
    struct suite_report report;

    (void)state;
    file_remove_folder(lost);
    suite_report_make(&report, &store);
    assert_int_equal(report.arms[1].ended, 0);
    assert_int_equal(report.arms[1].failed, 2);
    assert_true(isnan(report.arms[1].success[0]));
    assert_non_null(strstr(report.rows[1].trouble, "events.jsonl"));
    assert_false(report.arms[1].has_usd);
    suite_report_release(&report);
    place("linear", "1124-000002-abcd");
    free(lost);
}

/* Replace the first `old` in a file by `fresh`, which is as long. */
static void change(const char *path, const char *old, const char *fresh)
{
    struct strbuf bytes = {0};
    struct error err;
    char *at;

    if (file_read(path, MAX_BYTES, &bytes, &err))
        fail_msg("%s", err.text);
    at = strstr(bytes.data, old);
    assert_non_null(at);
    memcpy(at, fresh, strlen(fresh));
    if (file_write(path, bytes.data, bytes.len, &err))
        fail_msg("%s", err.text);
    strbuf_release(&bytes);
}

static unsigned attempts_of_first(void)
{
    struct suite_report report;
    unsigned attempts;

    suite_report_make(&report, &store);
    attempts = report.rows[0].attempts;
    suite_report_release(&report);
    return attempts;
}

/* Reports read the rows that earlier ones kept; one whose journal has changed is made anew. */
static void test_rows_are_kept_until_their_journal_changes(void **state)
{
    char *tasks = file_join(store.folder, "tasks"), *row = file_join(tasks, "1.row.json");
    char *session = catalog_folder("1124-000001-abcd"),
         *journal = file_join(session, "events.jsonl");
    struct error err;

    (void)state;
    assert_false(file_exists(row));
    assert_int_equal(file_make_folder(tasks, &err), 0);
    assert_int_equal(attempts_of_first(), ATTEMPTS);
    change(row, "\"attempts\":" TEXT_OF(ATTEMPTS), "\"attempts\":9");
    assert_int_equal(attempts_of_first(), 9);
    change(journal, "{", "{"); /* the same bytes at another time */
    assert_int_equal(attempts_of_first(), ATTEMPTS);
    change(row, "{", "["); /* damaged */
    assert_int_equal(attempts_of_first(), ATTEMPTS);
    change(row, "\"version\":2", "\"version\":1");
    change(row, "\"attempts\":" TEXT_OF(ATTEMPTS), "\"attempts\":9");
    assert_int_equal(attempts_of_first(), ATTEMPTS);
    file_remove_folder(tasks);
    free(journal);
    free(session);
    free(row);
    free(tasks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_only_problems_of_both_arms_are_compared),
        cmocka_unit_test(test_each_baseline_has_a_speedup),
        cmocka_unit_test(test_a_lost_session_is_left_out),
        cmocka_unit_test(test_rows_are_kept_until_their_journal_changes),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
