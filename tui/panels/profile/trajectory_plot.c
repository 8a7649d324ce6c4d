#include "tui/panels/profile/trajectory_plot.h"

#include <math.h>
#include <string.h>

#include "core/base/format.h"
#include "tui/widgets/plot.h"

/*
 * Columns for the names of levels: WIDE_NAMES with their speeds, NARROW_NAMES without, or none if
 * the plot would have fewer than MIN_COLUMNS.
 */
enum { WIDE_NAMES = 22, NARROW_NAMES = 13, WIDE_COLUMNS = 70, MIN_COLUMNS = 16 };

static int name_columns(int columns)
{
    if (columns >= WIDE_COLUMNS)
        return WIDE_NAMES;
    return columns - NARROW_NAMES - PLOT_LABEL_COLUMNS >= MIN_COLUMNS ? NARROW_NAMES : 0;
}

/* Columns of the plot with its labels. */
static int plot_columns(struct area area)
{
    return area.rect.w - name_columns(area.rect.w);
}

static void put_name(const struct trajectory_level *level, int columns, struct pen *pen)
{
    char speed[FORMAT_SIZE];

    pen_puts(pen, ROLE_DIM, level->name);
    if (columns == WIDE_NAMES)
        pen_putf(pen, ROLE_NUMBER, " %s", format_speedup(speed, level->speed));
}

/* Draw a level as dashes, and its name to the right of the plot. */
static void draw_levels(struct trajectory_chart *chart, const struct plot *plot, struct area names)
{
    trajectory_chart_part_names(chart, plot_line_height(plot));
    for (size_t i = 0; i < chart->trajectory->level_count; i++) {
        const struct trajectory_level *level = &chart->trajectory->levels[i];
        struct pen pen = area_pen(names, 1, plot_line_at(plot, chart->names[i]));
        int cell[2];

        put_name(level, names.rect.w, &pen);
        if (!plot_cell(plot, (double[]){chart->x.low, level->speed}, cell))
            continue;
        pen = area_pen(plot->area, 0, cell[1]);
        while (!pen_is_past_edge(&pen))
            pen_puts(&pen, ROLE_DIM, "- ");
    }
}

/* Draw the best speed so far: a step at each attempt that raised it. */
static void draw_best(const struct trajectory_chart *chart, const struct plot *plot)
{
    const struct trajectory *trajectory = chart->trajectory;
    double best = 0, from = 0;

    for (size_t i = 0; i < trajectory->points.count; i++) {
        const struct trajectory_point *point = &trajectory->points.items[i];
        double x = trajectory_chart_x(chart, point);

        if (point->best <= 0 || point->best <= best)
            continue;
        if (best > 0) {
            plot_line(plot, ROLE_GOOD, (double[]){from, best}, (double[]){x, best});
            plot_line(plot, ROLE_GOOD, (double[]){x, best}, (double[]){x, point->best});
        }
        best = point->best;
        from = x;
    }
    if (best > 0)
        plot_line(plot, ROLE_GOOD, (double[]){from, best}, (double[]){chart->x.high, best});
}

static enum role role_of(const struct trajectory_point *point)
{
    static const enum role roles[] = {
        [TRAJECTORY_UNJUDGED] = ROLE_DIM,   [TRAJECTORY_FAILED] = ROLE_BAD,
        [TRAJECTORY_WRONG] = ROLE_BAD,      [TRAJECTORY_VETOED] = ROLE_WARNING,
        [TRAJECTORY_CORRECT] = ROLE_STRONG, [TRAJECTORY_KEPT] = ROLE_GOOD,
        [TRAJECTORY_BEST] = ROLE_GOOD,
    };

    return point->is_undone ? ROLE_DIM : roles[point->result];
}

static void draw_point(const struct trajectory_chart *chart, const struct plot *plot,
                       const struct trajectory_point *point)
{
    const double at[] = {trajectory_chart_x(chart, point), trajectory_chart_y(chart, point)};

    plot_point(plot, role_of(point), at, trajectory_chart_mark(point));
}

/* Draw the points. If a cell has several, the one with the most important result is on top. */
static void draw_points(const struct trajectory_chart *chart, const struct plot *plot)
{
    const struct trajectory *trajectory = chart->trajectory;

    for (enum trajectory_result result = 0; result <= TRAJECTORY_BEST; result++)
        for (size_t i = 0; i < trajectory->points.count; i++)
            if (trajectory->points.items[i].result == result)
                draw_point(chart, plot, &trajectory->points.items[i]);
}

/* Draw the interval of the attempt at the cursor, its mark on top, and highlight its column. */
static void draw_cursor(const struct trajectory_chart *chart, const struct plot *plot,
                        const struct trajectory_point *point)
{
    double x = trajectory_chart_x(chart, point);
    int cell[2];

    if (point->low > 0 && point->high > 0)
        plot_line(plot, ROLE_STRONG, (double[]){x, fmax(point->low, chart->y.low)},
                  (double[]){x, fmin(point->high, chart->y.high)});
    draw_point(chart, plot, point);
    if (plot_cell(plot, (double[]){x, chart->y.high}, cell))
        area_paint(area_part(plot->area, (struct rect){cell[0], 0, 1, plot->area.rect.h}),
                   ROLE_SELECTED);
}

void trajectory_plot_draw(const struct trajectory_chart *chart, unsigned cursor, struct area area)
{
    struct trajectory_chart own = *chart;
    int left = plot_columns(area), columns = area.rect.w - left;
    struct area names = area_part(area, (struct rect){left, 0, columns, area.rect.h});
    struct plot plot =
        plot_open(area_part(area, (struct rect){0, 0, left, area.rect.h}),
                  (struct plot_axis){chart->x, chart->x_name}, (struct plot_axis){chart->y, "x"});

    if (plot.area.rect.w <= 0 || plot.area.rect.h <= 0)
        return;
    draw_levels(&own, &plot, names);
    draw_best(chart, &plot);
    draw_points(chart, &plot);
    if (cursor && cursor <= chart->trajectory->points.count)
        draw_cursor(chart, &plot, &chart->trajectory->points.items[cursor - 1]);
}

unsigned trajectory_plot_attempt_at(const struct trajectory_chart *chart, struct area area, int x,
                                    int y)
{
    const struct trajectory *trajectory = chart->trajectory;
    struct plot plot = {
        .area = area_part(area, plot_inside((struct rect){0, 0, plot_columns(area), area.rect.h})),
        .x = chart->x,
        .y = chart->y};
    int column = area.rect.x + x - plot.area.rect.x, line = area.rect.y + y - plot.area.rect.y;
    unsigned nearest = 0;
    double least = INFINITY;

    for (size_t i = 0; i < trajectory->points.count; i++) {
        const struct trajectory_point *point = &trajectory->points.items[i];
        const double at[] = {trajectory_chart_x(chart, point), trajectory_chart_y(chart, point)};
        int cell[2];

        if (!plot_cell(&plot, at, cell) || hypot(cell[0] - column, cell[1] - line) >= least)
            continue;
        least = hypot(cell[0] - column, cell[1] - line);
        nearest = point->attempt;
    }
    return column < 0 || line < 0 || line >= plot.area.rect.h ? 0 : nearest;
}

void trajectory_plot_draw_legend(const struct trajectory *trajectory, struct area area)
{
    struct pen pen = area_pen(area, 0, 0);

    for (const struct trajectory_legend *row = trajectory_legend; row->mark; row++) {
        size_t i = 0;

        while (i < trajectory->points.count &&
               trajectory_chart_mark(&trajectory->points.items[i]) != row->mark)
            i++;
        if (i == trajectory->points.count)
            continue;
        pen_putf(&pen, role_of(&trajectory->points.items[i]), "%c", row->mark);
        pen_putf(&pen, ROLE_DIM, " %s  ", row->meaning);
    }
}
