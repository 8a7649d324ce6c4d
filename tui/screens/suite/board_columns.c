#include "tui/screens/suite/board_columns.h"

#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/steadiness.h"
#include "core/model/baseline_label.h"
#include "tui/term/table_column.h"
#include "tui/widgets/sparkline.h"

static const struct task_facts *best_of(const struct board_view *view, const struct board_row *row)
{
    return row->best == BOARD_NO_TASK ? NULL : &view->follow->tasks[row->best].facts;
}

/* Put a text into the column, cut off at the column's width. */
static void put_text(const char *text, int columns, enum role role, const struct pen *pen)
{
    struct pen cut = *pen;

    cut.area = area_part(pen->area, (struct rect){0, pen->y, pen->x + columns, 1});
    cut.y = 0;
    pen_puts(&cut, role, text);
}

/* Put a number at the right edge of the column. */
static void put_right(const char *text, int columns, enum role role, const struct pen *pen)
{
    struct pen right = *pen;

    right.x += columns - (int)strlen(text);
    pen_puts(&right, role, text);
}

/* Write the state of a row, such as "ASKS", "runs 1/3" or "faster"; return the role to draw it in.
 */
static enum role write_state(const struct board_row *row, char *text, size_t size)
{
    static const struct {
        const char *word;
        enum role role;
    } words[BOARD_STATES] =
        {
            [BOARD_ASKS] = {"ASKS", ROLE_WAITING}, [BOARD_FAILED] = {"FAILED", ROLE_BAD},
            [BOARD_RUNS] = {"runs", ROLE_HUNK},    [BOARD_OPEN] = {"open", ROLE_WARNING},
            [BOARD_WAITS] = {"queued", ROLE_DIM},
        },
      results[] = {
          [TASK_IMPROVED] = {"faster", ROLE_GOOD},
          [TASK_NO_GAIN] = {"no gain", ROLE_TEXT},
          [TASK_INCORRECT] = {"wrong", ROLE_BAD},
          [TASK_OVER_BUDGET] = {"budget", ROLE_WARNING},
      };
    bool has_ended = row->state == BOARD_ENDED;
    const char *word = has_ended ? results[row->result].word : words[row->state].word;

    if (row->repeats > 1)
        snprintf(text, size, "%s %u/%u", has_ended ? "ended" : word, row->in_state[BOARD_ENDED],
                 row->repeats);
    else
        snprintf(text, size, "%s", word);
    return has_ended ? results[row->result].role : words[row->state].role;
}

void board_columns_add_waiting(const struct task_facts *facts, struct strbuf *out)
{
    static const char *const words[] = {[STEP_PROMPT] = "prompt",
                                        [STEP_CANDIDATE] = "kernel",
                                        [STEP_KEEP] = "keep",
                                        [STEP_RECOMMENDATION] = "advice"};
    char gain[FORMAT_SIZE];

    strbuf_adds(out, words[facts->kind]);
    if (facts->gain_source)
        strbuf_addf(out, " %s%s", facts->gain_source == GAIN_AT_MOST ? "<" : "",
                    format_speedup(gain, facts->gain));
}

static void put_problem(const struct board_view *view, const struct board_row *row, int columns,
                        const struct pen *pen)
{
    struct pen name = *pen;

    (void)view;
    pen_put_column(&name, ROLE_STRONG, columns, row->label);
}

static void put_arm(const struct board_view *view, const struct board_row *row, int columns,
                    const struct pen *pen)
{
    struct pen name = *pen;

    pen_put_column(&name, ROLE_TEXT, columns, view->follow->store.suite.arms.items[row->arm].name);
}

static void put_state(const struct board_view *view, const struct board_row *row, int columns,
                      const struct pen *pen)
{
    char text[32];
    enum role role = write_state(row, text, sizeof(text));

    (void)view;
    put_text(text, columns, role, pen);
}

static void put_best(const struct board_view *view, const struct board_row *row, int columns,
                     const struct pen *pen)
{
    const struct task_facts *best = best_of(view, row);
    char text[FORMAT_SIZE];

    put_right(format_time(text, best ? best->time.median_us : 0), columns,
              best ? ROLE_TEXT : ROLE_DIM, pen);
}

/* Put half of the interval's width, as a share of the median. */
static void put_interval(const struct board_view *view, const struct board_row *row, int columns,
                         const struct pen *pen)
{
    const struct task_facts *best = best_of(view, row);
    char text[FORMAT_SIZE] = "-";

    if (best && best->time.low_us > 0 && best->time.high_us > 0)
        snprintf(text, sizeof(text), "%.2g%%",
                 50 * (best->time.high_us - best->time.low_us) / best->time.median_us);
    put_right(text, columns, ROLE_DIM, pen);
}

static void put_share(const struct board_view *view, const struct board_row *row, int columns,
                      const struct pen *pen)
{
    const struct task_facts *best = best_of(view, row);
    char share[FORMAT_SIZE], text[FORMAT_SIZE + 1] = "-";

    if (best && best->bound_share > 0)
        snprintf(text, sizeof(text), "%s%%", format_share(share, best->bound_share));
    put_right(text, columns, ROLE_TEXT, pen);
}

/* Put the speedup; for several repeats it is the geometric mean. */
static void put_speedup(const struct board_view *view, const struct board_row *row, int columns,
                        const struct pen *pen)
{
    const struct task_facts *best = best_of(view, row);
    bool is_known = best && row->mean_speedup > 0;
    char number[FORMAT_SIZE], text[FORMAT_SIZE + 2];

    format_speedup(number, is_known ? row->mean_speedup : 0);
    snprintf(text, sizeof(text), "%s%s", number,
             is_known && steadiness_is_lost(best->speedup.low, best->speedup.high) ? UNSTEADY_MARK
                                                                                   : "");
    put_right(text, columns,
              !is_known                ? ROLE_DIM
              : row->mean_speedup >= 1 ? ROLE_GOOD
                                       : ROLE_WARNING,
              pen);
}

static void put_speedup_interval(const struct board_view *view, const struct board_row *row,
                                 int columns, const struct pen *pen)
{
    const struct task_facts *best = best_of(view, row);
    char text[FORMAT_SIZE] = "";

    if (best && row->timed == 1 && best->speedup.low > 0)
        format_interval(text, best->speedup.low, best->speedup.high);
    else if (row->timed > 1)
        snprintf(text, sizeof(text), "of %u", row->timed);
    put_text(text, columns, ROLE_DIM, pen);
}

static void put_over(const struct board_view *view, const struct board_row *row, int columns,
                     const struct pen *pen)
{
    const struct task_facts *best = best_of(view, row);

    if (best && best->over)
        put_text(baseline_label_short(best->over), columns, ROLE_DIM, pen);
}

static void put_curve(const struct board_view *view, const struct board_row *row, int columns,
                      const struct pen *pen)
{
    const struct task_facts *best = best_of(view, row);
    struct pen curve = *pen;

    if (best)
        sparkline_put(best->best_us.items, best->best_us.count, columns, ROLE_GOOD, &curve);
}

static void put_tries(const struct board_view *view, const struct board_row *row, int columns,
                      const struct pen *pen)
{
    char text[FORMAT_SIZE];

    (void)view;
    snprintf(text, sizeof(text), "%u", row->tries);
    put_right(text, columns, row->tries ? ROLE_TEXT : ROLE_DIM, pen);
}

static void put_cost(const struct board_view *view, const struct board_row *row, int columns,
                     const struct pen *pen)
{
    char text[FORMAT_SIZE] = "-";

    (void)view;
    if (row->has_usd)
        snprintf(text, sizeof(text), "$%.2f", row->usd);
    put_right(text, columns, ROLE_TEXT, pen);
}

/* The reason of a failure: the reason of the first task that has one. */
static const char *reason_of(const struct board_view *view, const struct board_row *row)
{
    const struct suite *suite = &view->follow->store.suite;

    for (unsigned repeat = 0; repeat < row->repeats; repeat++) {
        size_t task = suite_task_index(suite, (struct suite_task){row->problem, row->arm, repeat});
        const char *reason = view->follow->store.state.tasks[task].reason;

        if (reason && suite_board_state(view->follow, task) == BOARD_FAILED)
            return reason;
        if (view->follow->tasks[task].facts.trouble)
            return view->follow->tasks[task].facts.trouble;
    }
    return "";
}

static void put_waiting(const struct board_view *view, const struct board_row *row, int columns,
                        const struct pen *pen)
{
    struct strbuf text = {0};

    if (row->asking != BOARD_NO_TASK)
        board_columns_add_waiting(&view->follow->tasks[row->asking].facts, &text);
    else
        strbuf_adds(&text, reason_of(view, row));
    put_text(strbuf_cstr(&text), columns, row->state == BOARD_ASKS ? ROLE_WAITING : ROLE_BAD, pen);
    strbuf_release(&text);
}

/*
 * The columns. The last one takes the rest of the line. If not all fit, those with the highest
 * `rank` are left out first.
 */
static const struct column {
    const char *title;
    int columns, rank;
    bool is_right, is_of_arms; /* is_of_arms: shown only if the suite has several arms */
    void (*put)(const struct board_view *view, const struct board_row *row, int columns,
                const struct pen *pen);
} columns[] = {
    {"problem", 19, 0, false, false, put_problem},
    {"arm", 10, 5, false, true, put_arm},
    {"state", 11, 1, false, false, put_state},
    {"best", 8, 4, true, false, put_best},
    {"+-", 6, 10, true, false, put_interval},
    {"bound", 5, 8, true, false, put_share},
    {"speed", 7, 2, true, false, put_speedup},
    {"95 %", 14, 12, false, false, put_speedup_interval},
    {"over", 6, 6, false, false, put_over},
    {"by attempt", 10, 11, false, false, put_curve},
    {"tries", 5, 9, true, false, put_tries},
    {"cost", 7, 7, true, false, put_cost},
    {"waits", 12, 3, false, false, put_waiting},
};

/*
 * The lowest rank whose columns are left out in a line of this width, and the number of columns
 * that are spare then.
 */
static int least_rank(const struct board_view *view, int width, int *spare)
{
    bool has_arms = view->follow->store.suite.arms.count > 1;
    int rank = 13, needed;

    for (;; rank--) {
        needed = -1;
        for (size_t i = 0; i < COUNT(columns); i++)
            if (columns[i].rank < rank && (has_arms || !columns[i].is_of_arms))
                needed += columns[i].columns + 1;
        if (needed <= width || rank <= 1)
            break;
    }
    *spare = width > needed ? width - needed : 0;
    return rank;
}

/* The columns of a column of names: half of the spare ones for problems, a quarter for arms. */
static int columns_of(const struct column *column, const struct board_view *view, int spare)
{
    bool is_problem = column->put == put_problem, is_arm = column->put == put_arm;
    int longest = is_problem ? view->label_w : is_arm ? view->arm_w : 0;
    int most = column->columns + (is_problem ? spare / 2 : spare / 4);

    if (longest <= column->columns)
        return column->columns;
    return longest < most ? longest : most;
}

typedef void put_fn(const struct column *column, const struct board_view *view,
                    const struct board_row *row, int width, struct pen *pen);

static void put_columns(const struct board_view *view, const struct board_row *row, put_fn *put,
                        struct pen *pen)
{
    bool has_arms = view->follow->store.suite.arms.count > 1;
    int spare, rank = least_rank(view, pen->area.rect.w, &spare);

    for (size_t i = 0; i < COUNT(columns); i++) {
        bool is_last = i == COUNT(columns) - 1;
        int width = is_last ? pen->area.rect.w - pen->x : columns_of(&columns[i], view, spare);

        if (columns[i].rank >= rank || (columns[i].is_of_arms && !has_arms))
            continue;
        put(&columns[i], view, row, width, pen);
        pen->x += width + 1;
    }
}

static void put_cell(const struct column *column, const struct board_view *view,
                     const struct board_row *row, int width, struct pen *pen)
{
    column->put(view, row, width, pen);
}

static void put_title(const struct column *column, const struct board_view *view,
                      const struct board_row *row, int width, struct pen *pen)
{
    (void)view;
    (void)row;
    if (column->is_right)
        put_right(column->title, width, ROLE_DIM, pen);
    else
        put_text(column->title, width, ROLE_DIM, pen);
}

static void put_group(const struct board_view *view, const struct board_line *line, struct pen *pen)
{
    const struct board_total total =
        suite_board_add_up(view->board, view->rows.items + line->first, line->count, false);
    char text[FORMAT_SIZE];

    pen_putf(pen, ROLE_HUNK, "%s", board_view_group_of(view, &view->board->items[line->row]));
    pen_putf(pen, ROLE_DIM, "  %zu rows, %zu of %zu tasks ended", line->count,
             total.in_state[BOARD_ENDED], total.tasks);
    if (total.in_state[BOARD_ASKS])
        pen_putf(pen, ROLE_WAITING, ", %zu ask", total.in_state[BOARD_ASKS]);
    if (total.timed)
        pen_putf(pen, ROLE_STRONG, ", geometric mean %s over %zu",
                 format_speedup(text, total.mean.value), total.timed);
}

static void put_line(const void *data, size_t index, struct pen *pen)
{
    const struct board_view *view = data;
    const struct board_line *line = &view->lines.items[index];

    if (line->is_heading)
        put_group(view, line, pen);
    else
        put_columns(view, &view->board->items[line->row], put_cell, pen);
}

struct widget_rows board_columns_lines(const struct board_view *view)
{
    return (struct widget_rows){.count = view->lines.count, .put = put_line, .data = view};
}

void board_columns_put_titles(const struct board_view *view, struct pen *pen)
{
    put_columns(view, NULL, put_title, pen);
}
