#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/file.h"
#include "tui/screens/problem_list.h"
#include "tui/screens/session_row.h"

/* The problems on the first screen: their rows, and the best speedup over all sessions of one. */

static const char problem_text[] =
    "{\"kforge\": 1, \"name\": \"twice\", \"summary\": \"\", \"dims\": {},"
    " \"tensors\": {"
    "  \"x\": {\"role\": \"input\", \"dtype\": \"f32\", \"shape\": [4],"
    "         \"fill\": {\"uniform\": [-1, 1]}},"
    "  \"y\": {\"role\": \"output\", \"dtype\": \"f32\", \"shape\": [4]}},"
    " \"graph\": [{\"op\": \"mul\", \"in\": [\"x\", 2], \"out\": \"y\"}],"
    " \"tolerance\": {\"class\": \"f32\"}}";

/* A session of "twice", over a baseline on a device. */
static struct listed_session session(char *device, char *over, double speedup)
{
    static char name[] = "twice";

    return (struct listed_session){
        .problem = name, .device = device, .over = over, .best_speedup = speedup};
}

static void speedups_over_other_baselines_do_not_count(void **state)
{
    char here[] = "opencl:0", there[] = "cuda:0", plain[] = "reference", host[] = "library";
    const struct listed_session sessions[] = {
        session(here, NULL, 0),   session(here, host, 2),   session(here, plain, 90),
        session(there, host, 80), session(here, host, 1.5), session(here, host, 3),
    };
    static const double best[] = {0, 2, 2, 2, 2, 3};
    struct problem_list list = {0};

    (void)state;
    assert_int_equal(problem_list_add(&list, "twice.json", problem_text, NULL), STATUS_OK);
    for (size_t i = 0; i < sizeof(best) / sizeof(*best); i++) {
        problem_list_note_best(&list, &sessions[i]);
        assert_float_equal(list.items[0].best_speedup, best[i], 0);
    }
    assert_string_equal(list.items[0].over, host);
    assert_string_equal(list.items[0].device, here);
    problem_list_forget_best(&list);
    problem_list_note_best(&list, &sessions[2]);
    assert_float_equal(list.items[0].best_speedup, 90, 0);
    assert_string_equal(list.items[0].over, plain);
    problem_list_release(&list);
}

static void write_problem(const char *path, const char *name)
{
    struct strbuf text = {0};
    struct error err;

    strbuf_addf(&text, "%.*s%s%s", (int)(strstr(problem_text, "twice") - problem_text),
                problem_text, name, strstr(problem_text, "twice") + strlen("twice"));
    assert_int_equal(file_write(path, strbuf_cstr(&text), text.len, &err), STATUS_OK);
    strbuf_release(&text);
}

/* A file that is opened again keeps its row, whatever it is called, and shows what it says now. */
static void a_file_has_one_row(void **state)
{
    char folder[] = "/tmp/kforge-problems-XXXXXX", path[64], other[64];
    struct problem_list list = {0};

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/mine.json", folder);
    snprintf(other, sizeof(other), "%s/./mine.json", folder);
    assert_int_equal(problem_list_find(&list, path), 0);
    write_problem(path, "before");
    assert_int_equal(problem_list_add(&list, path, NULL, NULL), STATUS_OK);
    assert_int_equal(problem_list_find(&list, other), 0);
    list.items[0].is_linted = true;
    write_problem(path, "after");
    assert_int_equal(problem_list_read_again(&list, 0, NULL), STATUS_OK);
    assert_string_equal(list.items[0].problem.name, "after");
    assert_false(list.items[0].is_linted);
    unlink(path);
    assert_int_not_equal(problem_list_read_again(&list, 0, NULL), STATUS_OK);
    assert_string_equal(list.items[0].problem.name, "after");
    assert_int_equal(problem_list_find(&list, other), 1);
    problem_list_release(&list);
    rmdir(folder);
}

/* A row of the list as text. */
static void write_row(struct listed_problem *listed, char text[], int columns)
{
    static const struct roofs roofs = {0};
    struct canvas canvas = {0};
    struct pen pen;

    canvas_reset(&canvas, columns, 1);
    pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, columns, 1}), 0, 0);
    problem_list_put_row(listed, &roofs, &pen);
    for (int x = 0; x < columns; x++)
        text[x] = (char)canvas_cell(&canvas, x, 0)->code;
    text[columns] = '\0';
    canvas_release(&canvas);
}

/* Long names and dimensions end in dots, so that all summaries begin in one column. */
static void summaries_begin_in_one_column(void **state)
{
    enum { COLUMNS = 80 };
    static const char *const rows[] = {
        "exactly_22_characters_      -        -   ..  TOKENS=128 PAST=384       doubles",
        "bias_rope_kv_update...      -        -   ..  TOKENS=128 PAST=384 ...   doubles",
    };
    struct dim dims[] = {{.name = (char[]){"TOKENS"}, .value = 128},
                         {.name = (char[]){"PAST"}, .value = 384},
                         {.name = (char[]){"HEADS"}, .value = 64}};
    struct listed_problem listed = {.problem = {.name = (char[]){"exactly_22_characters_"},
                                                .summary = (char[]){"doubles"},
                                                .dims = {.items = dims, .count = 2}}};
    char text[COLUMNS + 1];

    (void)state;
    write_row(&listed, text, COLUMNS);
    assert_memory_equal(text, rows[0], strlen(rows[0]));
    listed.problem.name = (char[]){"bias_rope_kv_update_fused"};
    listed.problem.dims.count = 3;
    write_row(&listed, text, COLUMNS);
    assert_memory_equal(text, rows[1], strlen(rows[1]));
    listed.problem.summary = (char[]){"doubles each element"}; /* "doubles" alone says little */
    write_row(&listed, text, COLUMNS);
    assert_null(strstr(text, "doubles"));
}

/* A best kernel that is slower than the baseline is not shown as a success. */
static void a_speedup_below_one_is_no_success(void **state)
{
    static const double speedups[] = {0, 0.9, 1.1};
    static const enum role roles[] = {ROLE_DIM, ROLE_WARNING, ROLE_GOOD};
    static const struct roofs roofs = {0};
    struct listed_problem listed = {.problem = {.name = (char[]){"twice"}}};
    struct canvas canvas = {0};
    struct pen pen;

    (void)state;
    for (size_t i = 0; i < sizeof(speedups) / sizeof(*speedups); i++) {
        listed.best_speedup = speedups[i];
        canvas_reset(&canvas, 80, 1);
        pen = area_pen(canvas_area(&canvas, (struct rect){0, 0, 80, 1}), 0, 0);
        problem_list_put_row(&listed, &roofs, &pen);
        assert_int_equal(canvas_cell(&canvas, 28, 0)->role, roles[i]);
        assert_int_equal(session_row_role_of_speedup(speedups[i]), roles[i]);
    }
    canvas_release(&canvas);
}

/* The page of a problem is narrow: nothing in it is cut. */
static void the_page_of_a_problem_breaks_long_lines(void **state)
{
    enum { COLUMNS = 44 };
    static const struct roofs roofs = {0};
    struct listed_problem listed = {
        .problem = {.name =
                        (char[]){"a_problem_whose_name_is_exactly_sixty_characters_long_and_on"}},
        .path = (char[]){"/of/mine/a_file_whose_name_is_exactly_sixty_characters_long.json"},
        .over = (char[]){"reference"},
        .device = (char[]){"GPU-6b0b3a4c-5b7e-4f0e-8b1e-0f1e2d3c4b5a"},
        .best_speedup = 1.25};
    struct page page = {0};

    (void)state;
    page_begin(&page, 1);
    problem_list_write(&listed, &roofs, &page, COLUMNS);
    for (size_t i = 0; i < page.lines.count; i++)
        assert_true(page.lines.items[i].len <= COLUMNS);
    page_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speedups_over_other_baselines_do_not_count),
        cmocka_unit_test(a_file_has_one_row),
        cmocka_unit_test(summaries_begin_in_one_column),
        cmocka_unit_test(a_speedup_below_one_is_no_success),
        cmocka_unit_test(the_page_of_a_problem_breaks_long_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
