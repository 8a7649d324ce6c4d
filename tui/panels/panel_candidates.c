#include "tui/panels/panel.h"

#include <math.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"
#include "core/session/state/scale.h"
#include "tui/panels/answer_table.h"

/* Pane 2: the candidates with their speed, and a curve of the best time so far. */

struct candidates {
    struct panel panel;
    struct widget_list list;

    /* The best time up to each attempt, in us; computed when `best` was the best attempt. */
    struct {
        double *items;
        size_t count, capacity;
    } best_us;
    unsigned best;
};

/*
 * SHORT_ID: columns of a commit id.  WIDE_COLUMNS: from this width on times are shown as well as
 * speedups.  ROUND_LINES: from this height on the answers to a prompt are shown below the list.
 */
enum { SHORT_ID = 7, WIDE_COLUMNS = 50, ROUND_LINES = ANSWER_TABLE_H + 8 };

static void candidates_release(struct panel *panel)
{
    struct candidates *candidates = (struct candidates *)panel;

    widget_list_release(&candidates->list);
    vec_release(&candidates->best_us);
}

static void put_speed(const struct session *session, const struct attempt *attempt, struct pen *pen)
{
    char speedup[FORMAT_SIZE], time[FORMAT_SIZE];

    if (pen->area.rect.w >= WIDE_COLUMNS)
        pen_putf(pen, ROLE_TEXT, "%8s ", format_time(time, attempt->time.median_us));
    pen_putf(pen, attempt->is_kept ? ROLE_GOOD : ROLE_DIM, "%6s ",
             format_speedup(speedup, scale_speedup(session, attempt)));
    if (attempt->bound_fraction > 0)
        pen_putf(pen, ROLE_DIM, "%3.0f%% ", 100 * attempt->bound_fraction);
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

static void put_attempt(const void *data, size_t row, struct pen *pen)
{
    const struct session *session = data;
    const struct attempt *attempt = &session->attempts.items[row];

    if (attempt->number == session->now.best)
        pen_puts(pen, ROLE_GOOD, "* ");
    else
        pen_puts(pen, ROLE_TEXT, attempt->is_undone ? "u " : attempt->is_kept ? "+ " : "  ");
    put_bracket(session, attempt, pen);
    if (attempt->is_kept)
        pen_putf(pen, ROLE_NUMBER, "%.*s ", SHORT_ID, attempt->commit);
    else
        pen_putf(pen, ROLE_LINE_NUMBER, "#%-*u ", SHORT_ID - 1, attempt->number);
    if (attempt->tag)
        pen_putf(pen, ROLE_HUNK, "[%s] ", attempt->tag);
    if (attempt->is_evaluated && attempt->outcome != OUTCOME_CORRECT)
        pen_putf(pen, ROLE_BAD, "%s ", outcome_name(attempt->outcome));
    else if (attempt->is_evaluated)
        put_speed(session, attempt, pen);
    pen_puts(pen, attempt->is_undone ? ROLE_DIM : ROLE_TEXT, attempt->title ? attempt->title : "");
}

/*
 * The Braille character (from U+2800 on) whose two columns of four dots are filled from below to
 * these heights, 0 to 4.
 */
static uint32_t braille(int left, int right)
{
    static const uint32_t columns[2][5] = {
        {0, 0x40, 0x44, 0x46, 0x47},
        {0, 0x80, 0xA0, 0xB0, 0xB8},
    };

    return 0x2800 | columns[0][left] | columns[1][right];
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

static double first_kept(const struct candidates *candidates)
{
    size_t i = 0;

    while (i < candidates->best_us.count && candidates->best_us.items[i] <= 0)
        i++;
    return i < candidates->best_us.count ? candidates->best_us.items[i] : 0;
}

/* The height of a time, logarithmic: 1 for the best, 4 for the first that was kept; 0: no time. */
static int spark_height(double us, double first, double best)
{
    if (us <= 0)
        return 0;
    return first > best ? 1 + (int)lround(3 * log(us / best) / log(first / best)) : 1;
}

/*
 * Draw a column of dots for each attempt.  If there are too many, several share a column, which
 * shows the last of them.
 */
static void put_dots(const struct candidates *candidates, size_t columns, struct pen *pen)
{
    static const char steps[] = " _.-^";
    size_t count = candidates->best_us.count, each = pen->area.canvas->is_ascii ? 1 : 2;
    size_t dots = count < columns * each ? count : columns * each;
    double first = first_kept(candidates), best = candidates->best_us.items[count - 1];

    for (size_t i = 0; i < dots; i += each) {
        int heights[2] = {0};
        struct strbuf text = {0};

        for (size_t j = 0; j < each && i + j < dots; j++)
            heights[j] = spark_height(candidates->best_us.items[(i + j + 1) * count / dots - 1],
                                      first, best);
        if (each == 1)
            strbuf_add(&text, &steps[heights[0]], 1);
        else
            utf8_encode(&text, braille(heights[0], heights[1]));
        pen_put(pen, ROLE_GOOD, text.data, text.len);
        strbuf_release(&text);
    }
}

static void put_sparkline(const struct candidates *candidates, struct pen *pen)
{
    char first[FORMAT_SIZE], best[FORMAT_SIZE];
    int columns;

    format_time(first, first_kept(candidates));
    format_time(best, candidates->best_us.items[candidates->best_us.count - 1]);
    columns = pen->area.rect.w - (int)(strlen(first) + strlen(best)) - 2;
    pen_putf(pen, ROLE_DIM, "%s ", first);
    put_dots(candidates, columns > 0 ? (size_t)columns : 0, pen);
    pen_putf(pen, ROLE_GOOD, " %s", best);
}

static struct panel_body candidates_body(struct panel *panel, const struct view_model *view_model)
{
    return (struct panel_body){.list = &((struct candidates *)panel)->list,
                               .rows = {.count = view_model->session->attempts.count,
                                        .put = put_attempt,
                                        .data = view_model->session}};
}

/* Draw the answers to the prompt of the attempt in view; return the number of lines above them. */
static int draw_round(const struct view_model *view_model, struct area area)
{
    const struct attempt *attempt = session_attempt(view_model->session, view_model->attempt);
    int left = area.rect.h - ANSWER_TABLE_H - 1;

    if (area.rect.h < ROUND_LINES || !answer_table_is_needed(view_model->session, attempt))
        return area.rect.h;
    area_rule(area, left);
    answer_table_draw(view_model->session, attempt,
                      area_part(area, (struct rect){0, left + 1, area.rect.w, ANSWER_TABLE_H}));
    return left;
}

static void candidates_draw(struct panel *panel, const struct view_model *view_model,
                            struct area area)
{
    struct candidates *candidates = (struct candidates *)panel;
    struct panel_body body = candidates_body(panel, view_model);
    struct rect list = {0, 0, area.rect.w, draw_round(view_model, area)};
    struct pen empty = area_pen(area, 0, 0);

    if (body.rows.count == 0)
        pen_puts(&empty, ROLE_DIM, "No candidates yet.");
    if (view_model->session->now.best && list.h > 3) {
        struct pen pen = area_pen(area, 0, list.h - 1);

        follow_best(candidates, view_model->session);
        put_sparkline(candidates, &pen);
        list.h--;
    }
    body.list->selected = view_model->attempt ? view_model->attempt - 1 : 0;
    widget_list_draw(body.list, &body.rows, area_part(area, list));
}

static struct panel_answer candidates_select(struct panel *panel)
{
    const struct candidates *candidates = (const struct candidates *)panel;

    return (struct panel_answer){PANEL_LOOK_AT_ATTEMPT, (unsigned)candidates->list.selected + 1};
}

/* Enter shows the kernel, `c` the difference of the latest attempt from it. */
static bool candidates_command(struct panel *panel, const struct view_model *view_model,
                               const struct call *call, struct panel_answer *answer)
{
    (void)panel;
    if (call->row->command == COMMAND_OPEN)
        *answer = (struct panel_answer){PANEL_FOCUS, PANE_KERNEL};
    else if (call->row->command == COMMAND_COMPARE)
        *answer = (struct panel_answer){PANEL_COMPARE_WITH, view_model->attempt};
    else
        return false;
    return true;
}

const struct panel_ops panel_candidates = {
    .size = sizeof(struct candidates),
    .release = candidates_release,
    .draw = candidates_draw,
    .body = candidates_body,
    .command = candidates_command,
    .select = candidates_select,
};
