#include "core/session/recorded/trajectory_svg.h"

#include <math.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/formats/svg.h"

/* The picture and the chart in it, in pixels. */
enum {
    WIDTH = 1000,
    HEIGHT = 560,
    TITLE_LEFT = 20,
    LEFT = 70,
    TOP = 40,
    CHART_W = 740,
    CHART_H = 430,
    NAME_H = 16,
    TICKS_ACROSS = 12,
    TICKS_UP = 12,
    MARK = 5,        /* half the size of a mark */
    LEGEND_GAP = 30, /* between a meaning and the next mark */
    LETTER_W = 7,    /* approximate width of a letter */
};

static const char grid_colour[] = "#e3e3e3", text_colour[] = "#333", level_colour[] = "#8a6d1d";

/* A mark as a path around (0, 0); the colours are those of Okabe and Ito (2008). */
static const struct mark_shape {
    char mark;
    bool is_filled;
    const char *colour, *path;
} shapes[] = {
    {'*', true, "#009e73", "M0 -8L2 -3L8 -3L3 1L5 7L0 4L-5 7L-3 1L-8 -3L-2 -3z"},
    {'+', true, "#009e73", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z"},
    {'o', false, "#0072b2", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z"},
    {'H', true, "#cc79a7", "M0 -7L7 0L0 7L-7 0z"},
    {'h', false, "#cc79a7", "M0 -7L7 0L0 7L-7 0z"},
    {'v', false, "#e69f00", "M-6 -5L6 -5L0 6z"},
    {'x', false, "#d55e00", "M-5 -5L5 5M-5 5L5 -5"},
    {'b', true, "#d55e00", "M-4 -4L4 -4L4 4L-4 4z"},
    {'-', false, "#777", "M-5 0L5 0"},
    {0},
};

/* Convert a share of the chart to pixels. */
static double pixel_x(double share)
{
    return LEFT + share * CHART_W;
}

static double pixel_y(double share)
{
    return TOP + (1 - share) * CHART_H;
}

/* Convert a value on an axis to pixels. */
static double x_of(const struct trajectory_chart *chart, double value)
{
    return pixel_x(axis_share(&chart->x, value));
}

static double y_of(const struct trajectory_chart *chart, double value)
{
    return pixel_y(axis_share(&chart->y, value));
}

static void add_axes(const struct trajectory_chart *chart, struct strbuf *out)
{
    struct axis_ticks across = axis_ticks(&chart->x, TICKS_ACROSS);
    struct axis_ticks up = axis_ticks(&chart->y, TICKS_UP);
    char label[AXIS_LABEL_SIZE];

    strbuf_addf(out, "<g stroke='%s'>\n", grid_colour);
    for (size_t i = 0; i < across.count; i++) {
        double x = x_of(chart, across.items[i]);

        svg_add_line((double[]){x, pixel_y(0)}, (double[]){x, pixel_y(1)}, "", out);
    }
    for (size_t i = 0; i < up.count; i++) {
        double y = y_of(chart, up.items[i]);

        svg_add_line((double[]){pixel_x(0), y}, (double[]){pixel_x(1), y}, "", out);
    }
    strbuf_addf(out, "</g>\n<g fill='%s'>\n", text_colour);
    for (size_t i = 0; i < across.count; i++)
        svg_add_text(x_of(chart, across.items[i]), pixel_y(0) + 20, "middle",
                     axis_label(label, across.items[i], ""), out);
    for (size_t i = 0; i < up.count; i++)
        svg_add_text(LEFT - 8, y_of(chart, up.items[i]) + 4, "end",
                     axis_label(label, up.items[i], "x"), out);
    svg_add_text(pixel_x(0.5), pixel_y(0) + 40, "middle", chart->x_name, out);
    svg_add_text(TITLE_LEFT, TOP - 14, "start", "speed over the first correct attempt", out);
    strbuf_adds(out, "</g>\n");
}

static void add_levels(struct trajectory_chart *chart, struct strbuf *out)
{
    trajectory_chart_part_names(chart, (double)NAME_H / CHART_H);
    strbuf_addf(out, "<g stroke='%s' stroke-dasharray='6 4'>\n", level_colour);
    for (size_t i = 0; i < chart->trajectory->level_count; i++) {
        double y = y_of(chart, chart->trajectory->levels[i].speed);

        svg_add_line((double[]){pixel_x(0), y}, (double[]){pixel_x(1), y}, "", out);
        svg_add_line((double[]){pixel_x(1), y},
                     (double[]){pixel_x(1) + 12, pixel_y(chart->names[i])}, "", out);
    }
    strbuf_addf(out, "</g>\n<g fill='%s'>\n", level_colour);
    for (size_t i = 0; i < chart->trajectory->level_count; i++) {
        const struct trajectory_level *level = &chart->trajectory->levels[i];
        char speed[FORMAT_SIZE];
        struct strbuf text = {0};

        strbuf_addf(&text, "%s %s", level->name, format_speedup(speed, level->speed));
        svg_add_text(pixel_x(1) + 16, pixel_y(chart->names[i]) + 4, "start", strbuf_cstr(&text),
                     out);
        strbuf_release(&text);
    }
    strbuf_adds(out, "</g>\n");
}

/* Draw the speed of the fastest attempt kept so far, as steps. */
static void add_best(const struct trajectory_chart *chart, struct strbuf *out)
{
    const struct trajectory *trajectory = chart->trajectory;
    double best = 0;

    strbuf_adds(out, "<path fill='none' stroke='#009e73' stroke-width='2' d='M0 0");
    for (size_t i = 0; i < trajectory->points.count; i++) {
        const struct trajectory_point *point = &trajectory->points.items[i];
        double x = x_of(chart, trajectory_chart_x(chart, point));

        if (point->best <= 0 || point->best == best)
            continue;
        strbuf_addf(out, best > 0 ? "H%.1f" : "M%.1f", x);
        strbuf_addf(out, best > 0 ? "V%.1f" : " %.1f", y_of(chart, point->best));
        best = point->best;
    }
    if (best > 0)
        strbuf_addf(out, "H%.1f", pixel_x(1));
    strbuf_adds(out, "'/>\n");
}

static void add_shape(char mark, double x, double y, struct strbuf *out)
{
    const struct mark_shape *shape = shapes;

    while (shape->mark && shape->mark != mark)
        shape++;
    if (shape->mark)
        strbuf_addf(out,
                    "<path transform='translate(%.1f %.1f)' d='%s' stroke='%s' stroke-width='2' "
                    "fill='%s'>",
                    x, y, shape->path, shape->colour, shape->is_filled ? shape->colour : "none");
}

static void add_point(const struct trajectory_chart *chart, const struct trajectory_point *point,
                      struct strbuf *out)
{
    double x = x_of(chart, trajectory_chart_x(chart, point));
    char speed[FORMAT_SIZE];
    struct strbuf text = {0};

    strbuf_addf(&text, "#%u %s", point->attempt, trajectory_result_name(point->result));
    if (point->speed > 0) {
        strbuf_addf(&text, " %s", format_speedup(speed, point->speed));
    }
    if (point->low > 0 && point->high > 0) /* an interval may be wider than the chart is high */
        svg_add_line((double[]){x, y_of(chart, fmax(point->low, chart->y.low))},
                     (double[]){x, y_of(chart, fmin(point->high, chart->y.high))}, "stroke='#555'",
                     out);
    strbuf_addf(&text, ": %s", point->title);
    add_shape(trajectory_chart_mark(point), x, y_of(chart, trajectory_chart_y(chart, point)), out);
    strbuf_adds(out, "<title>");
    svg_add_escaped(strbuf_cstr(&text), out);
    strbuf_adds(out, "</title></path>\n");
    strbuf_release(&text);
}

static void add_points(const struct trajectory_chart *chart, struct strbuf *out)
{
    const struct trajectory *trajectory = chart->trajectory;

    for (size_t i = 0; i < trajectory->points.count; i++) {
        const struct trajectory_point *point = &trajectory->points.items[i];

        strbuf_addf(out, "<g opacity='%s'>\n", point->is_undone ? "0.35" : "1");
        add_point(chart, point, out);
        strbuf_adds(out, "</g>\n");
    }
}

static void add_legend(struct strbuf *out)
{
    double x = LEFT;

    strbuf_addf(out, "<g fill='%s'>\n", text_colour);
    for (const struct trajectory_legend *row = trajectory_legend; row->mark; row++) {
        add_shape(row->mark, x, HEIGHT - 20, out);
        strbuf_adds(out, "</path>\n");
        svg_add_text(x + 2 * MARK + 4, HEIGHT - 16, "start", row->meaning, out);
        x += 2 * MARK + LEGEND_GAP + (double)strlen(row->meaning) * LETTER_W;
    }
    strbuf_adds(out, "</g>\n");
}

void trajectory_svg_add(const struct trajectory_chart *chart, const char *title, struct strbuf *out)
{
    struct trajectory_chart own = *chart;

    svg_begin(WIDTH, HEIGHT, out);
    svg_add_text(WIDTH - TITLE_LEFT, TOP - 14, "end", title, out);
    add_axes(&own, out);
    add_levels(&own, out);
    add_best(&own, out);
    add_points(&own, out);
    add_legend(out);
    strbuf_adds(out, "</svg>\n");
}
