#include "tui/panels/profile/trajectory_view.h"

#include "core/base/format.h"
#include "tui/panels/profile/trajectory_plot.h"

/*
 * The list has 1 / LIST_SHARE of the lines, at most LIST_LINES. An area of at least LEGEND_LINES
 * has a legend.
 */
enum { LIST_SHARE = 6, LIST_LINES = 5, LEGEND_LINES = 10 };

static const double us_per_s = 1e6;

bool trajectory_view_is_known(const struct view_model *view_model)
{
    return trajectory_reference(view_model->session) != 0;
}

/* The verdict that has the levels, if it is among the texts in view; else NULL. */
static const struct verdict *reference_verdict(const struct view_model *view_model,
                                               unsigned reference)
{
    const struct subject *const subjects[] = {&view_model->best, &view_model->shown,
                                              &view_model->parent};

    for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
        if (reference && subjects[i]->attempt == reference && subjects[i]->has_verdict)
            return &subjects[i]->verdict;
    return NULL;
}

static void refresh(struct trajectory_view *view, const struct view_model *view_model)
{
    unsigned reference = trajectory_reference(view_model->session);
    const struct verdict *verdict = reference_verdict(view_model, reference);

    trajectory_read(&view->trajectory, view_model->session);
    if (verdict)
        trajectory_add_levels(&view->trajectory, reference, verdict);
}

static void put_speed(const struct trajectory_point *point, struct pen *pen)
{
    char text[FORMAT_SIZE];

    pen_putf(pen, ROLE_STRONG, "%s ", format_speedup(text, point->speed));
    if (point->low > 0 && point->high > 0)
        pen_putf(pen, ROLE_DIM, "%s ", format_interval(text, point->low, point->high));
    if (point->bound_fraction > 0)
        pen_putf(pen, ROLE_DIM, "%s%% of bound ", format_share(text, point->bound_fraction));
}

static void put_point(const struct trajectory_point *point, struct pen *pen)
{
    bool has_failed = point->result == TRAJECTORY_WRONG || point->result == TRAJECTORY_FAILED;
    char time[FORMAT_SIZE];

    pen_putf(pen, ROLE_TEXT, "%c %s ", trajectory_chart_mark(point),
             has_failed ? outcome_name(point->outcome) : trajectory_result_name(point->result));
    if (point->speed > 0)
        put_speed(point, pen);
    pen_putf(pen, ROLE_DIM, "%s ", format_duration(time, (int64_t)(point->seconds * us_per_s)));
}

/*
 * Put an attempt. Its title is read from the session, because the title of the last drawing may
 * have been freed.
 */
static void put_attempt(const void *data, size_t row, struct pen *pen)
{
    const struct trajectory_view *view = data;
    const struct attempt *attempt = &view->session->attempts.items[row];

    pen_putf(pen, ROLE_LINE_NUMBER, "#%u ", attempt->number);
    if (row < view->trajectory.points.count)
        put_point(&view->trajectory.points.items[row], pen);
    pen_puts(pen, ROLE_TEXT, attempt->title ? attempt->title : "");
}

struct panel_body trajectory_view_body(struct trajectory_view *view,
                                       const struct view_model *view_model)
{
    view->session = view_model->session;
    return (struct panel_body){
        .list = &view->list,
        .rows = {.count = view_model->session->attempts.count, .put = put_attempt, .data = view},
        .is_aside = true};
}

static void draw_chart(struct trajectory_view *view, const struct view_model *view_model,
                       struct area area)
{
    struct trajectory_chart chart = trajectory_chart_of(&view->trajectory, view->by);

    view->chart = area.rect;
    trajectory_plot_draw(&chart, view_model->attempt, area);
}

unsigned trajectory_view_attempt_at(struct trajectory_view *view, int x, int y)
{
    const struct trajectory_chart chart = trajectory_chart_of(&view->trajectory, view->by);
    struct canvas none = {.w = view->chart.x + view->chart.w, .h = view->chart.y + view->chart.h};

    return trajectory_plot_attempt_at(&chart, canvas_area(&none, view->chart), x - view->chart.x,
                                      y - view->chart.y);
}

void trajectory_view_draw_chart(struct trajectory_view *view, const struct view_model *view_model,
                                struct area area)
{
    refresh(view, view_model);
    draw_chart(view, view_model, area);
}

/* Scroll up if there would be blank lines at the end of the list. */
static void fill_list(struct widget_list *list, size_t count, size_t lines)
{
    size_t most = count > lines ? count - lines : 0;

    if (!list->filter.len && list->top > most)
        list->top = most;
}

/* The number of lines of the list above the chart; all lines if there is no chart. */
static int list_lines(size_t count, bool has_chart, int h)
{
    int most = count < LIST_LINES ? (int)count : LIST_LINES, share = h / LIST_SHARE;
    int lines = share < most ? share : most;

    if (!has_chart)
        return h;
    return lines < 1 ? 1 : lines;
}

/* Write the reason why there is no chart on the last line, if the list leaves that free. */
static void draw_reason(size_t count, struct area area)
{
    struct pen pen = area_pen(area, 0, count ? area.rect.h - 1 : 0);

    if ((int)count >= area.rect.h)
        return;
    pen_puts(&pen, ROLE_DIM,
             count ? "The chart begins with the first correct attempt." : "No attempts yet.");
}

void trajectory_view_draw(struct trajectory_view *view, const struct view_model *view_model,
                          struct area area)
{
    struct panel_body body = trajectory_view_body(view, view_model);
    int w = area.rect.w, h = area.rect.h, legend = h >= LEGEND_LINES;
    bool is_known = trajectory_view_is_known(view_model);
    bool has_chart = is_known && h > list_lines(body.rows.count, true, h) + legend + 2;
    int lines = list_lines(body.rows.count, has_chart, h);

    refresh(view, view_model);
    view->chart = (struct rect){0};
    view->list.selected = view_model->attempt ? view_model->attempt - 1 : 0;
    fill_list(&view->list, body.rows.count, (size_t)lines);
    widget_list_draw(&view->list, &body.rows, area_part(area, (struct rect){0, 0, w, lines}));
    if (!is_known)
        draw_reason(body.rows.count, area);
    if (!has_chart)
        return;
    draw_chart(view, view_model, area_part(area, (struct rect){0, lines, w, h - lines - legend}));
    if (legend)
        trajectory_plot_draw_legend(&view->trajectory,
                                    area_part(area, (struct rect){0, h - 1, w, 1}));
}

void trajectory_view_release(struct trajectory_view *view)
{
    trajectory_release(&view->trajectory);
    widget_list_release(&view->list);
}
