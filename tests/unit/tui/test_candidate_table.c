#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/vec.h"
#include "tests/golden/sample_session.h"
#include "tui/panels/candidate_filter.h"

static const struct table_view all = {0, 100};

/* The attempts of the rows as digits, from the first row on. */
static void assert_order(const struct candidate_table *table, size_t count, const char *expected)
{
    char order[16] = "";

    for (size_t row = 0; row < count; row++) {
        size_t attempt = candidate_table_attempt(table, row);

        order[row] = (char)('1' + attempt);
        assert_int_equal(candidate_table_row(table, attempt), row);
    }
    assert_string_equal(order, expected);
}

/* Of the six attempts, 3 was vetoed and 5 is wrong: they have no speed. */
static void rows_are_sorted_and_unknown_values_are_last(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_ROUND);
    struct candidate_table table = {0};

    (void)state;
    candidate_table_open(&table);
    candidate_table_update(&table, sample_session_scene(sample), all);
    assert_order(&table, 6, "123456");
    candidate_table_sort(&table, "speedup");
    candidate_table_update(&table, sample_session_scene(sample), all);
    assert_order(&table, 6, "462135");
    candidate_table_sort(&table, "time");
    candidate_table_update(&table, sample_session_scene(sample), all);
    assert_order(&table, 6, "462135");
    table.is_reversed = true;
    candidate_table_update(&table, sample_session_scene(sample), all);
    assert_order(&table, 6, "126435");
    candidate_table_release(&table);
    sample_session_free(sample);
}

static void columns_can_be_named(void **state)
{
    struct candidate_table table = {0};

    (void)state;
    candidate_table_open(&table);
    candidate_table_choose(&table, " dram  speedup");
    assert_int_equal(table.column_count, 2);
    assert_string_equal(candidate_table_name(table.columns[0]), "dram");
    candidate_table_sort(&table, "");
    assert_string_equal(candidate_table_name(table.sort - 1), "dram");
    candidate_table_sort(&table, "");
    assert_string_equal(candidate_table_name(table.sort - 1), "speedup");
    candidate_table_sort(&table, "");
    assert_int_equal(table.sort, 0);
    candidate_table_choose(&table, "speedup nothing");
    assert_string_equal(table.note, "no column \"nothing\"");
    assert_int_equal(table.column_count, 2);
    candidate_table_choose(&table, "");
    assert_int_equal(table.note[0], 0);
    assert_true(table.column_count > 2);
    candidate_table_release(&table);
}

/* Counters come from verdicts: those of attempts 1, 2 and 4 have a profile. */
static void measures_sort_too(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_ROUND);
    struct candidate_table table = {0};

    (void)state;
    candidate_table_open(&table);
    candidate_table_sort(&table, "dram");
    candidate_table_update(&table, sample_session_scene(sample), all);
    assert_false(table.is_loading);
    assert_order(&table, 6, "412356");
    candidate_table_release(&table);
    sample_session_free(sample);
}

struct counted {
    struct view_model_source source;
    size_t reads;
};

static enum status count_reads(void *data, const char *id, struct strbuf *out, struct error *err)
{
    struct counted *counted = data;

    counted->reads++;
    return counted->source.text(counted->source.data, id, out, err);
}

/* A frame has time for a few verdicts only; no verdict is read twice. */
static void verdicts_of_a_long_session_are_read_little_by_little(void **state)
{
    struct sample_session *sample = sample_session_new(SAMPLE_ROUND);
    struct session *session = sample_session_session(sample);
    struct view_model *view_model = sample_session_scene(sample);
    struct counted counted = {.source = view_model->source};
    struct candidate_table table = {0};
    size_t frames = 0;

    (void)state;
    for (unsigned i = (unsigned)session->attempts.count + 1; i <= 100; i++) {
        struct attempt attempt = {.number = i, .is_evaluated = true};

        snprintf(attempt.verdict, sizeof(attempt.verdict), "verdict1");
        vec_push(&session->attempts, attempt);
    }
    view_model->source = (struct view_model_source){.text = count_reads, .data = &counted};
    candidate_table_open(&table);
    candidate_table_sort(&table, "dram");
    do {
        size_t before = counted.reads;

        candidate_table_update(&table, view_model, (struct table_view){0, 10});
        assert_true(counted.reads - before <= 16);
        frames++;
    } while (table.is_loading && frames < 20);
    assert_false(table.is_loading);
    assert_true(frames >= 6);
    assert_int_equal(counted.reads, 99);
    candidate_table_update(&table, view_model, all);
    assert_int_equal(counted.reads, 99);
    candidate_table_release(&table);
    sample_session_free(sample);
}

/* The attempts that pass a filter, as digits; the rows have the text "row". */
static void assert_filter(const char *text, const char *expected)
{
    struct sample_session *sample = sample_session_new(SAMPLE_ROUND);
    const struct view_model *view_model = sample_session_scene(sample);
    struct candidate_table table = {.needs_all = true};
    struct candidate_filter filter = {0};
    struct strbuf row = {0};
    char passing[16] = "";

    strbuf_adds(&row, "row");
    candidate_table_open(&table);
    candidate_table_update(&table, view_model, all);
    candidate_filter_parse(&filter, text);
    assert_string_equal(filter.trouble, "");
    for (size_t i = 0; i < view_model->session->attempts.count; i++)
        if (candidate_filter_passes(&filter, &table, view_model->session, i, &row))
            passing[strlen(passing)] = (char)('1' + i);
    assert_string_equal(passing, expected);
    strbuf_release(&row);
    candidate_table_release(&table);
    sample_session_free(sample);
}

static void rows_are_filtered_by_numbers_and_results(void **state)
{
    (void)state;
    assert_filter("failed", "5");
    assert_filter("kept", "12");
    assert_filter("speedup>=1", "1246");
    assert_filter("speedup>1.5", "246"); /* over the baseline, as the list shows it */
    assert_filter("speedup>1.5 kept row", "2");
    assert_filter("speedup>1x absent", "");
    assert_filter("speedup row", ""); /* a text, which is looked for as a whole */
    assert_filter("ro", "123456");
    assert_filter("registers>0", "");
    assert_filter("time<1s", "1246");
    assert_filter("time<0.001us", "");
    assert_filter("dram>0", "124");
    assert_filter("best<-1%", "1");
    assert_filter("best>0%", "46");
}

static void a_wrong_filter_is_told(void **state)
{
    static const struct {
        const char *text, *trouble;
    } wrong[] = {{"sped>1", "no column \"sped\""},
                 {"kept speedup>", "speedup>: expected a number, such as 1.5, 40%, 12us or 4kB"},
                 {"time<3parsec", "time<3parsec: expected a number, such as 1.5, 40%, 12us or 4kB"},
                 {"speed=1", "speed=1: compare with <, <=, > or >="},
                 {"a b c d e f g h kept", "more than 8 conditions"}};
    struct candidate_filter filter = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        candidate_filter_parse(&filter, wrong[i].text);
        assert_string_equal(filter.trouble, wrong[i].trouble);
        assert_int_equal(filter.count, 0);
    }
    candidate_filter_parse(&filter, "kept");
    assert_string_equal(filter.trouble, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_and_unknown_values_are_last),
        cmocka_unit_test(columns_can_be_named),
        cmocka_unit_test(rows_are_filtered_by_numbers_and_results),
        cmocka_unit_test(a_wrong_filter_is_told),
        cmocka_unit_test(measures_sort_too),
        cmocka_unit_test(verdicts_of_a_long_session_are_read_little_by_little),
    };

    return cmocka_run_group_tests_name("candidate_table", tests, NULL, NULL);
}
