#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

#include "core/base/strbuf.h"
#include "core/suite/report/suite_comparison.h"

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

/* Reports of one arm; each side of a test lists its tasks. */

static void add_task(struct strbuf *out, const char *problem, double speedup, const char *over)
{
    strbuf_addf(out,
                "%s{\"problem\": \"%s\", \"arm\": \"a\", \"state\": \"ended\", \"session\": \"s\", "
                "\"usd\": 1, \"tokens\": 10, \"correct\": %s",
                out->len ? ", " : "", problem, speedup > 0 ? "true" : "false");
    if (speedup > 0)
        strbuf_addf(out,
                    ", \"over\": \"%s\", \"speedup\": {\"value\": %g, \"low\": %g, \"high\": %g}, "
                    "\"speedups\": [{\"over\": \"reference\", \"speedup\": {\"value\": %g}}]",
                    over, speedup, speedup * 0.99, speedup * 1.01, 10 * speedup);
    strbuf_adds(out, "}");
}

static struct json *report_of(struct strbuf *tasks)
{
    struct strbuf text = {0};
    struct error err;
    struct json *report;

    strbuf_addf(&text, "{\"kforge\": 1, \"tasks\": [%s]}", strbuf_cstr(tasks));
    report = json_parse(strbuf_cstr(&text), text.len, &err);
    assert_non_null(report);
    strbuf_release(&text);
    strbuf_release(tasks);
    return report;
}

/* Three repeats around a speedup. */
static void add_repeats(struct strbuf *out, const char *problem, double speedup, const char *over)
{
    add_task(out, problem, speedup * 0.99, over);
    add_task(out, problem, speedup, over);
    add_task(out, problem, speedup * 1.01, over);
}

static void compare(struct suite_comparison *comparison, struct json *old, struct json *new)
{
    const struct json_ref before = json_ref_root(old, "old"), after = json_ref_root(new, "new");
    struct error err = {0};

    if (suite_comparison_make(comparison, &before, &after, &err))
        fail_msg("%s", err.text);
}

static const struct compared_cell *cell_of(const struct suite_comparison *comparison,
                                           const char *problem)
{
    for (size_t i = 0; i < comparison->cells.count; i++)
        if (strcmp(comparison->cells.items[i].problem, problem) == 0)
            return &comparison->cells.items[i];
    fail_msg("no cell %s", problem);
    return NULL;
}

static void what_got_worse_is_found(void **state)
{
    struct strbuf old = {0}, new = {0};
    struct suite_comparison comparison;
    struct json *before, *after;

    (void)state;
    add_repeats(&old, "slower", 2, "library");
    add_repeats(&new, "slower", 1, "library");
    add_repeats(&old, "same", 2, "library");
    add_repeats(&new, "same", 2.005, "library");
    add_repeats(&old, "faster", 1, "library");
    add_repeats(&new, "faster", 2, "library");
    add_repeats(&old, "broken", 2, "library");
    add_task(&new, "broken", 2, "library");
    add_task(&new, "broken", 0, NULL);
    add_task(&new, "broken", 2, "library");
    add_task(&old, "gone", 2, "library");
    add_task(&new, "added", 2, "library");
    before = report_of(&old);
    after = report_of(&new);
    compare(&comparison, before, after);
    assert_int_equal(comparison.worse, 2);
    assert_int_equal(comparison.better, 1);
    assert_int_equal(cell_of(&comparison, "slower")->state, COMPARED_WORSE);
    assert_near(cell_of(&comparison, "slower")->speed.ratio.value, 0.5);
    assert_true(cell_of(&comparison, "slower")->speed.ratio.high < 0.6);
    assert_int_equal(cell_of(&comparison, "same")->state, COMPARED_SAME);
    assert_int_equal(cell_of(&comparison, "faster")->state, COMPARED_BETTER);
    assert_string_equal(cell_of(&comparison, "broken")->reason, "fewer are correct");
    assert_true(cell_of(&comparison, "slower")->corrected_p >=
                2 * cell_of(&comparison, "slower")->speed.p);
    assert_int_equal(comparison.alone.count, 2);
    assert_string_equal(comparison.alone.items[0], "old: gone, a");
    assert_string_equal(comparison.alone.items[1], "new: added, a");
    assert_int_equal(comparison.arms.count, 1);
    assert_int_equal(comparison.arms.items[0].problems, 4);
    assert_int_equal(comparison.arms.items[0].new_correct, 11);
    assert_near(comparison.arms.items[0].old_usd, 13);
    suite_comparison_release(&comparison);
    json_free(before);
    json_free(after);
}

/* With another strongest baseline, speedups are compared over one that both sides have. */
static void speedups_are_over_the_same_baseline(void **state)
{
    struct strbuf old = {0}, new = {0};
    struct suite_comparison comparison;
    struct json *before, *after;

    (void)state;
    add_repeats(&old, "moved", 2, "library");
    add_repeats(&new, "moved", 2, "eager");
    before = report_of(&old);
    after = report_of(&new);
    compare(&comparison, before, after);
    assert_string_equal(comparison.cells.items[0].over, "reference");
    assert_near(comparison.cells.items[0].speed.ratio.value, 1);
    suite_comparison_release(&comparison);
    json_free(before);
    json_free(after);
}

/* One repeat on a side has the interval of its measurements. */
static void single_repeats_have_the_interval_of_their_sessions(void **state)
{
    struct strbuf old = {0}, new = {0};
    struct suite_comparison comparison;
    struct json *before, *after;
    const struct ratio *ratio;

    (void)state;
    add_task(&old, "p", 2, "library");
    add_task(&new, "p", 1, "library");
    before = report_of(&old);
    after = report_of(&new);
    compare(&comparison, before, after);
    ratio = &comparison.cells.items[0].speed.ratio;
    assert_int_equal(comparison.cells.items[0].state, COMPARED_WORSE);
    assert_near(log(ratio->high / ratio->low), sqrt(2) * log(1.01 / 0.99));
    suite_comparison_release(&comparison);
    json_free(before);
    json_free(after);
}

static void what_is_no_report_is_refused(void **state)
{
    struct error err = {0};
    struct json *json = json_parse("{\"kforge\": 1}", 13, &err);
    const struct json_ref root = json_ref_root(json, "x.json");
    struct suite_comparison comparison;

    (void)state;
    assert_int_equal(suite_comparison_make(&comparison, &root, &root, &err), STATUS_INVALID);
    assert_string_equal(err.text, "x.json: is not a report: kforge suite report --json writes one");
    json_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_got_worse_is_found),
        cmocka_unit_test(speedups_are_over_the_same_baseline),
        cmocka_unit_test(single_repeats_have_the_interval_of_their_sessions),
        cmocka_unit_test(what_is_no_report_is_refused),
    };

    return cmocka_run_group_tests_name("suite_comparison", tests, NULL, NULL);
}
