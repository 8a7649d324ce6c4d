#include "tui/screens/screen_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/model/baseline_label.h"
#include "core/session/state/scale.h"
#include "core/session/state/trajectory.h"
#include "tui/frame/hints.h"
#include "tui/frame/session_header.h"
#include "tui/panels/candidate_measures.h"
#include "tui/screens/session_actions.h"

/* Widths of the table; heights of the header, and of the message and key lines at the bottom. */
enum { NAME_W = 20, VALUE_W_MAX = 30, HEADER_H = 1, BELOW_H = 2 };

/*
 * On a screen of at least BESIDE_W columns and fewer than BESIDE_H lines, the table is next to the
 * kernels.
 */
enum { BESIDE_W = 160, BESIDE_H = 30, TABLE_W = 86 };

struct compare_screen {
    struct screen screen;
    struct compare_point points[2];
    struct trajectory trajectory; /* trajectory of the session when the screen was opened */
    struct view_model view_model; /* shows the second candidate against the first */
    struct panel *kernel;
};

struct compare_point compare_point_of(const struct view_model *view_model)
{
    const struct session *session = view_model->session;
    const struct attempt *best = session_attempt(session, session->now.best);
    struct compare_point point = {.step = view_model->step,
                                  .attempt = view_model->attempt,
                                  .best_us = best ? best->time.median_us : 0,
                                  .usd = session->used[RESOURCE_USD],
                                  .is_usd_unknown = session->unknown[RESOURCE_USD] > 0};

    snprintf(point.at, sizeof(point.at), "%s", session->at);
    return point;
}

enum { FACT_COUNT = 5 };

static void put_value(struct area area, int column, enum role role, const char *text)
{
    int third = (area.rect.w - NAME_W) / 3, w = third < VALUE_W_MAX ? third : VALUE_W_MAX;
    struct rect place = {NAME_W + column * w, 0, w - 1, 1};
    struct pen pen = area_pen(area_part(area, place), 0, 0);

    pen_puts(&pen, role, text);
}

/* One measurement of both candidates; NaN if unknown. */
struct line {
    const char *name, *name_end;
    double values[2];
    const char *(*format)(char text[FORMAT_SIZE], double value);
    int better; /* 1: more is better, -1: less is, 0: neither */
};

/* The change from the first value to the second; red or green by the measurement. */
static void put_change(struct area area, const struct line *line)
{
    double ratio = line->values[1] / line->values[0];
    enum role role = (ratio - 1) * line->better > 0   ? ROLE_GOOD
                     : (ratio - 1) * line->better < 0 ? ROLE_BAD
                                                      : ROLE_DIM;
    char text[FORMAT_SIZE];

    put_value(area, 2, role, format_gain(text, ratio));
}

/* Draw a line. If both values are unknown or 0, draw nothing and return false. */
static bool draw_line(const struct line *line, struct area area)
{
    struct pen pen = area_pen(area, 1, 0);

    if (!(line->values[0] > 0) && !(line->values[1] > 0))
        return false;
    pen_putf(&pen, ROLE_DIM, "%s%s", line->name, line->name_end);
    for (int i = 0; i < 2; i++) {
        char text[FORMAT_SIZE];

        put_value(area, i, ROLE_TEXT,
                  isnan(line->values[i]) ? "-" : line->format(text, line->values[i]));
    }
    if (line->values[0] > 0 && line->values[1] > 0)
        put_change(area, line);
    return true;
}

static struct area line_of(struct area area, int y)
{
    return area_part(area, (struct rect){0, y, area.rect.w, 1});
}

/* The facts of a point, in the order of the table's lines. */
static void put_moment(const struct compare_point *point, int column, struct area area)
{
    char text[FORMAT_SIZE];

    snprintf(text, sizeof(text), "step %u", point->step);
    put_value(area, column, ROLE_STRONG, text);
    put_value(line_of(area, 2), column, ROLE_TEXT, format_time(text, point->best_us));
    snprintf(text, sizeof(text), "$%.3g", point->usd);
    put_value(line_of(area, 3), column, ROLE_TEXT, point->is_usd_unknown ? "unknown" : text);
}

static void put_candidate(const struct compare_screen *compare, int column, struct area area)
{
    const struct trajectory *trajectory = &compare->trajectory;
    const struct trajectory_point *point =
        &trajectory->points.items[compare->points[column].attempt - 1];
    char text[2 * FORMAT_SIZE], speed[FORMAT_SIZE], interval[FORMAT_SIZE] = "";

    snprintf(text, sizeof(text), "#%u %s", point->attempt, trajectory_result_name(point->result));
    put_value(area, column, ROLE_STRONG, text);
    format_speedup(speed, point->speed);
    if (point->low > 0 && point->high > 0)
        format_interval(interval, point->low, point->high);
    snprintf(text, sizeof(text), "%s %s", speed, interval);
    put_value(line_of(area, 2), column, ROLE_TEXT, text);
    snprintf(text, sizeof(text), "#%u", point->parent);
    put_value(line_of(area, 3), column, ROLE_TEXT, point->parent ? text : "-");
}

/*
 * Draw the state of the session at both points, or the facts about both candidates in the session.
 */
static void draw_facts(const struct compare_screen *compare, struct area area)
{
    static const char *const names[][FACT_COUNT] = {
        {"", "when", "best so far", "spent so far", "candidate"},
        {"", "when", "over the first", "parent", "candidate"}};
    bool are_candidates = compare->points[0].is_candidate;

    for (int y = 0; y < FACT_COUNT; y++) {
        struct pen pen = area_pen(area, 1, y);

        pen_puts(&pen, ROLE_DIM, names[are_candidates][y]);
    }
    for (int i = 0; i < 2; i++) {
        const struct compare_point *point = &compare->points[i];
        const struct attempt *attempt =
            session_attempt(compare->view_model.session, point->attempt);
        char text[FORMAT_SIZE];

        if (are_candidates)
            put_candidate(compare, i, area);
        else
            put_moment(point, i, area);
        snprintf(text, sizeof(text), "%.5s %.8s", point->at + CLOCK_DAY_AT,
                 point->at + CLOCK_TIME_AT);
        put_value(line_of(area, 1), i, ROLE_TEXT, text);
        put_value(line_of(area, 4), i, ROLE_TEXT,
                  !attempt                ? "none yet"
                  : attempt->is_evaluated ? outcome_name(attempt->outcome)
                                          : attempt->title);
    }
}

static const char *format_percent(char text[FORMAT_SIZE], double value)
{
    return format_metric(text, value, "%");
}

static double or_unknown(double value)
{
    return value > 0 ? value : (double)NAN;
}

/* Draw the lines of time and speed from line `y` on; return the line after them. */
static int draw_speeds(const struct compare_screen *compare, struct area area, int y)
{
    const struct session *session = compare->view_model.session;
    const char *over = scale_strongest(session);
    struct line lines[] = {
        {"time", "", {0}, format_time, -1},
        {"over ", over ? baseline_label_short(over) : "", {0}, format_speedup, 1},
        {"of the bound", "", {0}, format_percent, 1}};

    for (int i = 0; i < 2; i++) {
        const struct attempt *attempt = session_attempt(session, compare->points[i].attempt);

        lines[0].values[i] = or_unknown(attempt ? attempt->time.median_us : 0);
        lines[1].values[i] = or_unknown(attempt ? scale_speedup(session, attempt) : 0);
        lines[2].values[i] = or_unknown(attempt ? 100 * attempt->bound_fraction : 0);
    }
    for (size_t i = 0; i < COUNT(lines); i++)
        y += draw_line(&lines[i], line_of(area, y));
    return y;
}

/*
 * True if both candidates are correct. A better number of a failed candidate, such as a short
 * build, is no advantage.
 */
static bool are_correct(const struct compare_screen *compare)
{
    const struct session *session = compare->view_model.session;

    for (int i = 0; i < 2; i++) {
        const struct attempt *attempt = session_attempt(session, compare->points[i].attempt);

        if (!attempt || !attempt->is_evaluated || attempt->outcome != OUTCOME_CORRECT)
            return false;
    }
    return true;
}

/* Draw the lines of measures that are only in verdicts. */
static int draw_measures(const struct compare_screen *compare, struct area area, int y)
{
    const struct subject *const subjects[] = {&compare->view_model.chosen,
                                              &compare->view_model.shown};

    for (size_t i = 0; i < CANDIDATE_MEASURES; i++) {
        const struct candidate_measure *measure = &candidate_measures[i];
        struct line line = {measure->title,
                            "",
                            {(double)NAN, (double)NAN},
                            measure->format,
                            are_correct(compare) ? measure->better : 0};

        for (int j = 0; j < 2; j++)
            if (subjects[j]->has_verdict)
                line.values[j] = candidate_measure_of(i, &subjects[j]->verdict);
        y += draw_line(&line, line_of(area, y));
    }
    return y;
}

/* Draw the table; return its height in lines. */
static int draw_table(const struct compare_screen *compare, struct area area)
{
    draw_facts(compare, area);
    return draw_measures(compare, area, draw_speeds(compare, area, FACT_COUNT));
}

static void draw_kernel(const struct compare_screen *compare, struct area area)
{
    struct panel *kernel = compare->kernel;
    struct strbuf title = {0};
    struct area inside;

    strbuf_adds(&title, "Kernel");
    kernel->ops->title(kernel, &compare->view_model, &title);
    inside = area_box(area, strbuf_cstr(&title), ROLE_BORDER_FOCUSED);
    kernel->ops->draw(kernel, &compare->view_model, inside);
    area_mark(inside, &compare->screen.host->chrome->search, ROLE_MATCH);
    strbuf_release(&title);
}

/* Draw the table and, in the remaining room, the kernels. */
static void draw_pair(const struct compare_screen *compare, struct area body)
{
    int w = body.rect.w, h = body.rect.h;
    struct rect below = {0, 0, w, h}, beside = {TABLE_W, 0, w - TABLE_W, h};

    if (w >= BESIDE_W && body.rect.y + h + BELOW_H < BESIDE_H) {
        draw_table(compare, area_part(body, (struct rect){0, 0, TABLE_W, h}));
        draw_kernel(compare, area_part(body, beside));
    } else {
        below.y = draw_table(compare, body);
        below.h -= below.y;
        draw_kernel(compare, area_part(body, below));
    }
}

static struct rect compare_draw(struct screen *screen, struct canvas *canvas)
{
    static const struct hint hints[] = {
        {"split", "side by side", .rank = 3},
        {"less-context", "", .rank = 5},
        {"more-context", "context", .rank = 5},
        {"next-place", "", .rank = 2},
        {"previous-place", "changes", .rank = 2},
        {"search", NULL, .rank = 4},
        {"help", NULL, .rank = 1},
        {"quit", "back", .rank = 0},
    };
    struct compare_screen *compare = (struct compare_screen *)screen;
    int w = canvas->w, h = canvas->h - BELOW_H;
    struct area body = canvas_area(canvas, (struct rect){0, HEADER_H, w, h - HEADER_H});

    session_header_draw(&compare->view_model,
                        canvas_area(canvas, (struct rect){0, 0, w, HEADER_H}));
    draw_pair(compare, body);
    hints_draw(&screen->host->chrome->keymap, hints, COUNT(hints),
               canvas_area(canvas, (struct rect){0, h + 1, w, 1}));
    return (struct rect){0, h, w, 1};
}

/* The screen has the commands of the Kernel pane. */
static bool compare_command(struct screen *screen, const struct call *call)
{
    struct compare_screen *compare = (struct compare_screen *)screen;
    struct panel_answer answer = {0};

    return compare->kernel->ops->command(compare->kernel, &compare->view_model, call, &answer);
}

static unsigned compare_contexts(const struct screen *screen)
{
    (void)screen;
    return CONTEXT_KERNEL;
}

static struct panel_body compare_body(struct screen *screen)
{
    struct compare_screen *compare = (struct compare_screen *)screen;

    return compare->kernel->ops->body(compare->kernel, &compare->view_model);
}

static void compare_mouse(struct screen *screen, const struct canvas *canvas, struct mouse mouse)
{
    struct panel_body body = compare_body(screen);

    (void)canvas;
    if (mouse.action != MOUSE_PRESSED)
        screen_scroll(&body, mouse);
}

static void compare_close(struct screen *screen)
{
    struct compare_screen *compare = (struct compare_screen *)screen;

    panel_free(compare->kernel);
    trajectory_release(&compare->trajectory);
    view_model_release(&compare->view_model);
    free(compare);
}

static const struct screen_ops compare_ops = {
    .borrows = true,
    .close = compare_close,
    .draw = compare_draw,
    .contexts = compare_contexts,
    .body = compare_body,
    .command = compare_command,
    .mouse = compare_mouse,
};

/*
 * Show the difference from the first candidate. Both points may have the same candidate, or none
 * yet.
 */
static void show_pair(struct compare_screen *compare)
{
    struct view_model *view_model = &compare->view_model;

    compare->kernel->ops->compare(compare->kernel);
    view_model_look_at_attempt(view_model, compare->points[1].attempt);
    view_model->other = compare->points[0].attempt;
    view_model->is_elsewhere = true;
    view_model_refresh(view_model);
}

void screen_compare_open(struct screen_host *host, const struct compare_point points[2],
                         const struct session *session, const struct view_model_source *source)
{
    struct compare_screen *compare = mem_alloc_zeroed(1, sizeof(*compare));

    *compare = (struct compare_screen){
        .screen = {&compare_ops, host},
        .points = {points[0], points[1]},
        .view_model = {.session = session, .keymap = &host->chrome->keymap, .source = *source},
        .kernel = panel_new(&panel_kernel)};
    trajectory_read(&compare->trajectory, session);
    show_pair(compare);
    host->ops->push(host, &compare->screen);
}

/* A point for a candidate; its step is the one that proposed the candidate. */
static struct compare_point point_of_attempt(const struct session *session, unsigned attempt)
{
    struct compare_point point = {.attempt = attempt, .is_candidate = true};

    for (size_t i = 0; i < session->steps.count && !point.step; i++) {
        const struct step *step = &session->steps.items[i];

        if (step->attempt != attempt || step->kind != STEP_CANDIDATE)
            continue;
        point.step = step->number;
        snprintf(point.at, sizeof(point.at), "%s", step->at);
    }
    return point;
}

/* Open the comparison of the candidates that the engineer chose; nothing if there are none. */
static void open_pair(struct screen_host *host, struct panes *panes,
                      const struct view_model *view_model)
{
    const struct session *session = view_model->session;
    struct compare_point points[2];
    unsigned pair[2];

    if (!panes_take_pair(panes, pair))
        return;
    for (int i = 0; i < 2; i++) {
        if (pair[i] > session->attempts.count)
            return;
        points[i] = point_of_attempt(session, pair[i]);
    }
    screen_compare_open(host, points, session, &view_model->source);
}

bool screen_compare_from_panes(struct screen_host *host, struct panes *panes,
                               struct view_model *view_model, const struct call *call)
{
    if (call->row->command == COMMAND_PICTURE) {
        session_actions_show_picture(host, view_model);
        return true;
    }
    if (!panes_command(panes, view_model, call))
        return false;
    open_pair(host, panes, view_model);
    return true;
}
