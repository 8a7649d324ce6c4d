#include "tui/panels/panel.h"

#include <string.h>

#include "core/base/format.h"
#include "core/base/vec.h"
#include "core/model/baseline_label.h"
#include "core/session/state/scale.h"
#include "tui/panels/answer_table.h"
#include "tui/panels/candidate_filter.h"
#include "tui/panels/candidate_table.h"
#include "tui/widgets/sparkline.h"

/*
 * Pane 2: the candidates with their speed, and a curve of the best time so far. In a wide pane the
 * candidates are a table with the columns that the engineer chose.
 */

struct candidates {
    struct panel panel;
    struct widget_list list;

    /*
     * The best time up to each attempt, in microseconds, and the best attempt when they were
     * computed.
     */
    struct {
        double *items;
        size_t count, capacity;
    } best_us;
    unsigned best;

    struct candidate_table table;
    struct candidate_filter filter;
    bool is_table;                 /* as of the last drawing */
    unsigned marked;               /* the attempt to compare another one with; 0 if there is none */
    const struct session *session; /* session of the last call with a view model */
};

/*
 * SHORT_ID: columns of a commit id. The others are the least sizes of the pane: WIDE_COLUMNS to
 * show times as well as speedups, ROUND_LINES to show the answers to a prompt below the list,
 * TABLE_WIDTH to show the list as a table.
 */
enum { SHORT_ID = 7, WIDE_COLUMNS = 50, ROUND_LINES = ANSWER_TABLE_H + 8, TABLE_WIDTH = 76 };

/* The columns of a row before those that can be chosen: marks and id, and the result. */
enum { ID_COLUMNS = 11, RESULT_COLUMNS = 14 };

static void candidates_open(struct panel *panel)
{
    candidate_table_open(&((struct candidates *)panel)->table);
}

static void candidates_release(struct panel *panel)
{
    struct candidates *candidates = (struct candidates *)panel;

    widget_list_release(&candidates->list);
    vec_release(&candidates->best_us);
    candidate_table_release(&candidates->table);
}

static void put_speed(const struct session *session, const struct attempt *attempt, struct pen *pen)
{
    char speedup[FORMAT_SIZE], time[FORMAT_SIZE], share[FORMAT_SIZE];

    if (pen->area.rect.w >= WIDE_COLUMNS)
        pen_putf(pen, ROLE_TEXT, "%8s ", format_time(time, attempt->time.median_us));
    pen_putf(pen, attempt->is_kept ? ROLE_GOOD : ROLE_DIM, "%6s ",
             scale_format_speedup(speedup, session, attempt));
    if (attempt->bound_fraction > 0)
        pen_putf(pen, ROLE_DIM, "%3s%% ", format_share(share, attempt->bound_fraction));
}

/* A bracket joins the answers to the same prompt. */
static void put_bracket(const struct session *session, const struct attempt *attempt,
                        struct pen *pen)
{
    static const char *const brackets[][4] = {{" ", "\u250c", "\u2502", "\u2514"},
                                              {" ", ".", "|", "`"}};

    if (session->limits.attempts > 1)
        pen_puts(pen, ROLE_BORDER,
                 brackets[pen->area.canvas->is_ascii][answer_table_place(session, attempt)]);
}

/*
 * Put marks and id. Sorted rows have no brackets, because answers to the same prompt are not
 * adjacent.
 */
static void put_id(const struct candidates *candidates, const struct attempt *attempt,
                   struct pen *pen)
{
    bool is_best = attempt->number == candidates->session->now.best;
    const char *state = is_best ? "* " : attempt->is_undone ? "u " : attempt->is_kept ? "+ " : "  ";

    pen_puts(pen, is_best ? ROLE_GOOD : ROLE_TEXT, state);
    if (attempt->number == candidates->marked) {
        pen->x--;
        pen_puts(pen, ROLE_KEY, "m");
    }
    if (!candidates->table.order.count)
        put_bracket(candidates->session, attempt, pen);
    if (attempt->is_kept && !candidates->is_table)
        pen_putf(pen, ROLE_NUMBER, "%.*s ", SHORT_ID, attempt->commit);
    else
        pen_putf(pen, attempt->is_kept ? ROLE_NUMBER : ROLE_LINE_NUMBER, "#%-*u ", SHORT_ID - 1,
                 attempt->number);
    if (attempt->tag)
        pen_putf(pen, ROLE_HUNK, "[%s] ", attempt->tag);
}

/* Put the result and the chosen columns. Results are words, not only colours. */
static void put_columns(const struct candidates *candidates, const struct attempt *attempt,
                        struct pen *pen)
{
    bool has_failed = attempt->is_evaluated && attempt->outcome != OUTCOME_CORRECT;
    size_t index = attempt->number - 1;
    const char *result = "";

    if (has_failed)
        result = outcome_name(attempt->outcome);
    else if (index < candidates->table.trajectory.points.count)
        result = trajectory_result_name(candidates->table.trajectory.points.items[index].result);
    pen_putf(pen, has_failed ? ROLE_BAD : ROLE_TEXT, "%-*s", RESULT_COLUMNS, result);
    candidate_table_put(&candidates->table, candidates->session, index, pen);
}

/* Put the model's name without its service, cut so that there is room for a title. */
static void put_author(const struct attempt *attempt, struct pen *pen)
{
    enum { MOST_COLUMNS = 14 };
    const char *agent = attempt->agent ? attempt->agent : "";
    const char *colon = strchr(agent, ':');

    pen_putf(pen, ROLE_DIM, "%.*s: ", MOST_COLUMNS, colon && colon[1] ? colon + 1 : agent);
}

static void put_attempt(const void *data, size_t row, struct pen *pen)
{
    const struct candidates *candidates = data;
    size_t index = candidate_table_attempt(&candidates->table, row);
    const struct attempt *attempt = &candidates->session->attempts.items[index];

    put_id(candidates, attempt, pen);
    if (candidates->is_table)
        put_columns(candidates, attempt, pen);
    else if (attempt->is_evaluated && attempt->outcome != OUTCOME_CORRECT)
        pen_putf(pen, ROLE_BAD, "%s ", outcome_name(attempt->outcome));
    else if (attempt->is_evaluated)
        put_speed(candidates->session, attempt, pen);
    if (candidates->session->roles.other_count)
        put_author(attempt, pen);
    pen_puts(pen, attempt->is_undone ? ROLE_DIM : ROLE_TEXT, attempt->title ? attempt->title : "");
}

/* True if a row passes the filter. Words are searched in the text of the row. */
static bool passes(const void *data, size_t row, const char *filter)
{
    const struct candidates *candidates = data;
    const struct widget_rows rows = {.put = put_attempt, .data = data};
    struct strbuf text = {0};
    bool is_met;

    (void)filter; /* candidates_body() has parsed it */
    widget_rows_add_text(&rows, row, &text);
    is_met = candidate_filter_passes(&candidates->filter, &candidates->table, candidates->session,
                                     candidate_table_attempt(&candidates->table, row), &text);
    strbuf_release(&text);
    return is_met;
}

/* Compute for each attempt the best time kept so far; 0 before the first. */
static void follow_best(struct candidates *candidates, const struct session *session)
{
    double best = 0;

    if (candidates->best_us.count == session->attempts.count &&
        candidates->best == session->now.best)
        return;
    candidates->best = session->now.best;
    candidates->best_us.count = 0;
    for (size_t i = 0; i < session->attempts.count; i++) {
        const struct attempt *attempt = &session->attempts.items[i];

        if (attempt->is_kept && attempt->time.median_us > 0 &&
            (best <= 0 || attempt->time.median_us < best))
            best = attempt->time.median_us;
        vec_push(&candidates->best_us, best);
    }
}

static void put_sparkline(const struct candidates *candidates, struct pen *pen)
{
    char first[FORMAT_SIZE], best[FORMAT_SIZE];
    int columns;

    format_time(first, sparkline_first(candidates->best_us.items, candidates->best_us.count));
    format_time(best, candidates->best_us.items[candidates->best_us.count - 1]);
    columns = pen->area.rect.w - (int)(strlen(first) + strlen(best)) - 2;
    pen_putf(pen, ROLE_DIM, "%s ", first);
    sparkline_put(candidates->best_us.items, candidates->best_us.count, columns, ROLE_GOOD, pen);
    pen_putf(pen, ROLE_GOOD, " %s", best);
}

/* Update the table if it is shown or sorts the list. */
static void follow(struct candidates *candidates, const struct view_model *view_model)
{
    const struct table_view in_view = {candidates->list.top, candidates->list.height};

    candidates->session = view_model->session;
    candidate_filter_parse(&candidates->filter, candidates->list.filter.text);
    candidates->table.needs_all = candidate_filter_needs_measures(&candidates->filter);
    if (candidates->is_table || candidates->table.sort || candidates->table.is_reversed ||
        candidates->table.needs_all) {
        candidate_table_update(&candidates->table, view_model, in_view);
    } else {
        candidates->table.order.count = 0;
        candidates->table.is_loading = false;
    }
}

static struct panel_body candidates_body(struct panel *panel, const struct view_model *view_model)
{
    struct candidates *candidates = (struct candidates *)panel;
    size_t count = view_model->session->attempts.count;

    candidates->session = view_model->session;
    candidate_filter_parse(&candidates->filter, candidates->list.filter.text);
    if (candidates->table.order.count && candidates->table.order.count != count)
        follow(candidates, view_model);
    return (struct panel_body){
        .list = &candidates->list,
        .rows = {.count = count, .put = put_attempt, .data = candidates, .passes = passes},
        .top = candidates->is_table,
        .trouble = candidates->filter.trouble};
}

/* Draw the answers to the prompt of the attempt in view; return the number of lines above them. */
static int draw_round(const struct view_model *view_model, struct area area)
{
    const struct attempt *attempt = session_attempt(view_model->session, view_model->attempt);
    int height = answer_table_height(view_model->session);
    int left = area.rect.h - height - 1;

    if (area.rect.h < ROUND_LINES || !answer_table_is_needed(view_model->session, attempt))
        return area.rect.h;
    area_rule(area, left);
    answer_table_draw(view_model->session, attempt,
                      area_part(area, (struct rect){0, left + 1, area.rect.w, height}));
    return left;
}

static void draw_headings(const struct candidates *candidates, struct area area)
{
    struct pen pen = area_pen(area, 0, 0);

    pen_putf(&pen, ROLE_DIM, "%-*s%-*s", ID_COLUMNS - 1, "  #", RESULT_COLUMNS, "result");
    candidate_table_put_headings(&candidates->table, &pen);
    pen_puts(&pen, ROLE_DIM, "title");
}

static void candidates_draw(struct panel *panel, const struct view_model *view_model,
                            struct area area)
{
    struct candidates *candidates = (struct candidates *)panel;
    struct rect list = {0, 0, area.rect.w, draw_round(view_model, area)};
    struct pen empty = area_pen(area, 0, 0);
    struct panel_body body;

    candidates->is_table = area.rect.w >= TABLE_WIDTH && view_model->session->attempts.count > 0;
    follow(candidates, view_model);
    body = candidates_body(panel, view_model);
    if (body.rows.count == 0)
        pen_puts(&empty, ROLE_DIM, "No candidates yet.");
    if (view_model->session->now.best && list.h > 3) {
        struct pen pen = area_pen(area, 0, list.h - 1);

        follow_best(candidates, view_model->session);
        put_sparkline(candidates, &pen);
        list.h--;
    }
    if (candidates->is_table) {
        draw_headings(candidates, area);
        list.y++;
        list.h--;
    }
    body.list->selected =
        view_model->attempt ? candidate_table_row(&candidates->table, view_model->attempt - 1) : 0;
    widget_list_draw(body.list, &body.rows, area_part(area, list));
}

static void candidates_title(const struct panel *panel, const struct view_model *view_model,
                             struct strbuf *out)
{
    const struct candidates *candidates = (const struct candidates *)panel;
    const struct candidate_table *table = &candidates->table;
    const char *over = scale_strongest(view_model->session);

    if (candidates->is_table && over)
        strbuf_addf(out, " speedup over %s", baseline_label_short(over));
    if (table->sort)
        strbuf_addf(out, ", by %s", candidate_table_name(table->sort - 1));
    if (table->is_reversed)
        strbuf_adds(out, ", reversed");
    if (candidates->marked)
        strbuf_addf(out, ", marked #%u", candidates->marked);
    if (table->is_loading)
        strbuf_adds(out, ", reading verdicts");
    if (table->note[0])
        strbuf_addf(out, ", %s", table->note);
}

static bool candidates_are_loading(const struct panel *panel)
{
    const struct candidates *candidates = (const struct candidates *)panel;

    return candidates->table.is_loading;
}

static struct panel_answer candidates_select(struct panel *panel)
{
    const struct candidates *candidates = (const struct candidates *)panel;

    return (struct panel_answer){
        PANEL_LOOK_AT_ATTEMPT,
        (unsigned)candidate_table_attempt(&candidates->table, candidates->list.selected) + 1};
}

/* Mark the attempt in view; if another one is marked, compare the two. */
static void mark(struct candidates *candidates, unsigned attempt, struct panel_answer *answer)
{
    if (!candidates->marked)
        candidates->marked = attempt;
    else if (candidates->marked == attempt)
        candidates->marked = 0;
    else
        *answer = (struct panel_answer){PANEL_COMPARE_PAIR, candidates->marked};
}

/* Enter shows the kernel, `c` the difference of the latest attempt from it. */
static bool candidates_command(struct panel *panel, const struct view_model *view_model,
                               const struct call *call, struct panel_answer *answer)
{
    struct candidates *candidates = (struct candidates *)panel;

    switch ((int)call->row->command) {
    case COMMAND_OPEN:
        *answer = (struct panel_answer){PANEL_FOCUS, PANE_KERNEL};
        return true;
    case COMMAND_COMPARE:
        *answer = (struct panel_answer){PANEL_COMPARE_WITH, view_model->attempt};
        return true;
    case COMMAND_MARK_CANDIDATE:
        mark(candidates, view_model->attempt, answer);
        return true;
    case COMMAND_COLUMNS:
        candidate_table_choose(&candidates->table, call->argument);
        return true;
    case COMMAND_SORT_BY:
        candidate_table_sort(&candidates->table, call->argument);
        return true;
    case COMMAND_REVERSE:
        candidates->table.is_reversed = !candidates->table.is_reversed;
        return true;
    default:
        return false;
    }
}

const struct panel_ops panel_candidates = {
    .size = sizeof(struct candidates),
    .open = candidates_open,
    .release = candidates_release,
    .draw = candidates_draw,
    .body = candidates_body,
    .command = candidates_command,
    .select = candidates_select,
    .title = candidates_title,
    .is_loading = candidates_are_loading,
};
