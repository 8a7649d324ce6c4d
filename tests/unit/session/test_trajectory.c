#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/formats/csv.h"
#include "core/session/recorded/trajectory_csv.h"
#include "core/session/recorded/trajectory_file.h"
#include "core/session/recorded/trajectory_svg.h"

/* Reads a recording, with the levels of its reference. */
struct recorded_session {
    struct recording recording;
    struct trajectory trajectory;
    struct verdict verdict;
};

static struct recorded_session recorded_session_of(const char *name)
{
    struct recorded_session recorded = {0};
    struct error err = {0};
    unsigned reference;

    assert_int_equal(recording_open(name, &recorded.recording, &err), STATUS_OK);
    reference = trajectory_reference(&recorded.recording.session);
    trajectory_read(&recorded.trajectory, &recorded.recording.session);
    assert_int_equal(recording_verdict(&recorded.recording,
                                       session_attempt(&recorded.recording.session, reference),
                                       &recorded.verdict, &err),
                     STATUS_OK);
    trajectory_add_levels(&recorded.trajectory, reference, &recorded.verdict);
    return recorded;
}

static void release(struct recorded_session *recorded)
{
    trajectory_release(&recorded->trajectory);
    verdict_release(&recorded->verdict);
    recording_release(&recorded->recording);
}

static const struct trajectory_point *point_of(const struct recorded_session *recorded,
                                               unsigned attempt)
{
    return &recorded->trajectory.points.items[attempt - 1];
}

static void each_attempt_has_its_result_and_speed(void **state)
{
    static const enum trajectory_result results[] = {
        TRAJECTORY_FAILED, TRAJECTORY_WRONG, TRAJECTORY_KEPT, TRAJECTORY_KEPT, TRAJECTORY_BEST};
    struct recorded_session recorded = recorded_session_of("softmax_written");

    (void)state;
    assert_int_equal(recorded.trajectory.points.count, 5);
    for (unsigned i = 1; i <= 5; i++) {
        const struct trajectory_point *point = point_of(&recorded, i);

        assert_int_equal(point->result, results[i - 1]);
        assert_int_equal(point->speed > 0, i >= 3);
        assert_true(point->low <= point->speed && point->speed <= point->high);
        assert_true(i == 1 || point->seconds >= point_of(&recorded, i - 1)->seconds);
    }
    assert_true(point_of(&recorded, 3)->speed == 1);
    assert_true(point_of(&recorded, 5)->speed > point_of(&recorded, 4)->speed);
    assert_true(point_of(&recorded, 2)->best == 0);
    assert_true(point_of(&recorded, 5)->best == point_of(&recorded, 5)->speed);
    release(&recorded);
}

static void vetoes_and_edits_are_told_apart(void **state)
{
    struct recorded_session builtin = recorded_session_of("linear_gelu_builtin"),
                            edited = recorded_session_of("transpose_h200");

    (void)state;
    assert_int_equal(point_of(&builtin, 3)->result, TRAJECTORY_VETOED);
    assert_int_equal(trajectory_chart_mark(point_of(&builtin, 3)), 'v');
    assert_int_equal(point_of(&edited, 1)->result, TRAJECTORY_UNJUDGED);
    assert_true(point_of(&edited, 2)->is_by_hand);
    assert_int_equal(trajectory_chart_mark(point_of(&edited, 2)), 'H');
    release(&builtin);
    release(&edited);
}

/* The baseline's level and its speedup are the same fact. */
static void levels_agree_with_the_verdict(void **state)
{
    struct recorded_session recorded = recorded_session_of("softmax_written");
    const struct trajectory_point *best = point_of(&recorded, 5);
    const struct trajectory *trajectory = &recorded.trajectory;

    (void)state;
    assert_int_equal(trajectory->level_count, 3);
    assert_string_equal(trajectory->levels[0].name, "bound");
    assert_true(fabs(best->speed / trajectory->levels[0].speed - best->bound_fraction) < 1e-9);
    assert_string_equal(trajectory->levels[1].name, "plain kernel");
    assert_true(fabs(best->speed / trajectory->levels[1].speed -
                     verdict_against(&recorded.verdict, "reference")->speedup) < 1e-9);
    for (size_t i = 1; i < trajectory->level_count; i++)
        assert_true(trajectory->levels[i].speed <= trajectory->levels[i - 1].speed);
    release(&recorded);
}

static void the_chart_has_room_for_all(void **state)
{
    struct recorded_session recorded = recorded_session_of("softmax_written");

    (void)state;
    for (enum trajectory_by by = TRAJECTORY_BY_ATTEMPT; by <= TRAJECTORY_BY_TIME; by++) {
        struct trajectory_chart chart = trajectory_chart_of(&recorded.trajectory, by);

        for (unsigned i = 1; i <= 5; i++) {
            const struct trajectory_point *point = point_of(&recorded, i);
            double x = axis_share(&chart.x, trajectory_chart_x(&chart, point));
            double y = axis_share(&chart.y, trajectory_chart_y(&chart, point));

            assert_true(x > 0 && x < 1 && y < 1);
            assert_true(i < 3 ? y == 0 : y > 0);
        }
    }
    release(&recorded);
}

static void names_of_levels_do_not_overlap(void **state)
{
    struct trajectory trajectory = {
        .levels = {{"a", 4}, {"b", 3.9}, {"c", 3.8}, {"d", 0.101}, {"e", 0.1}}, .level_count = 5};
    struct trajectory_chart chart = trajectory_chart_of(&trajectory, TRAJECTORY_BY_ATTEMPT);

    (void)state;
    trajectory_chart_part_names(&chart, 0.1);
    for (size_t i = 0; i < 5; i++) {
        assert_true(chart.names[i] >= -1e-9 && chart.names[i] <= 1 + 1e-9);
        assert_true(i == 0 || chart.names[i - 1] - chart.names[i] > 0.1 - 1e-9);
    }
}

/* The interval of an unsteady speed ends at the edges of the chart: from y = 470 up to 40. */
static void an_interval_stays_in_the_picture(void **state)
{
    struct trajectory_point point = {
        .attempt = 1, .speed = 2, .low = 0.001, .high = 900, .title = ""};
    struct trajectory trajectory = {.points = {&point, 1, 1}};
    struct trajectory_chart chart = trajectory_chart_of(&trajectory, TRAJECTORY_BY_ATTEMPT);
    struct strbuf text = {0};

    (void)state;
    trajectory_svg_add(&chart, "", &text);
    assert_non_null(strstr(strbuf_cstr(&text), " 40.0' fill='none' stroke='#555'"));
    assert_non_null(strstr(strbuf_cstr(&text), " 470.0L"));
    strbuf_release(&text);
}

/* Titles come from models: a spreadsheet and a browser must take them for text. */
static void hostile_titles_stay_text(void **state)
{
    struct trajectory_point point = {.attempt = 1, .speed = 2, .low = 1.9, .high = 2.1};
    struct trajectory trajectory = {.points = {&point, 1, 1}};
    struct trajectory_chart chart;
    struct strbuf text = {0};
    struct csv_row row = {0};
    const char *at;

    (void)state;
    point.title = "=HYPERLINK(\"x\"),\n<script>&";
    trajectory_csv_add(&trajectory, &text);
    at = strbuf_cstr(&text);
    assert_true(csv_next(&at, &row));
    assert_int_equal(csv_find(&row, "title") + 1, row.fields.count);
    csv_row_release(&row);
    assert_true(csv_next(&at, &row));
    assert_int_equal(row.fields.count, 13);
    assert_string_equal(csv_field(&row, 12), "'=HYPERLINK(\"x\"),\n<script>&");
    csv_row_release(&row);
    text.len = 0;
    chart = trajectory_chart_of(&trajectory, TRAJECTORY_BY_ATTEMPT);
    trajectory_svg_add(&chart, "a & b", &text);
    assert_null(strstr(strbuf_cstr(&text), "<script"));
    assert_non_null(strstr(strbuf_cstr(&text), "a &amp; b"));
    strbuf_release(&text);
}

static void a_file_of_another_kind_is_refused(void **state)
{
    struct recorded_session recorded = recorded_session_of("softmax_written");
    struct error err = {0};

    (void)state;
    assert_int_equal(
        trajectory_file_write(&recorded.recording, TRAJECTORY_BY_ATTEMPT, "/nowhere/x.pdf", &err),
        STATUS_INVALID);
    assert_non_null(strstr(err.text, ".svg or .csv"));
    release(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_attempt_has_its_result_and_speed),
        cmocka_unit_test(vetoes_and_edits_are_told_apart),
        cmocka_unit_test(levels_agree_with_the_verdict),
        cmocka_unit_test(the_chart_has_room_for_all),
        cmocka_unit_test(names_of_levels_do_not_overlap),
        cmocka_unit_test(an_interval_stays_in_the_picture),
        cmocka_unit_test(hostile_titles_stay_text),
        cmocka_unit_test(a_file_of_another_kind_is_refused),
    };

    return cmocka_run_group_tests_name("trajectory", tests, NULL, NULL);
}
