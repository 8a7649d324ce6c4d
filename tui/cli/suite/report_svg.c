#include "tui/cli/suite/report_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/axis.h"
#include "core/base/formats/svg.h"
#include "core/base/mem.h"
#include "core/judge/stats/stats.h"
#include "tui/term/table_column.h"

/* The picture and its two charts, in pixels. */
enum {
    WIDTH = 1000,
    LEFT = 230,
    LABEL_COLUMNS = 30, /* of a problem, left of the chart */
    CHART_W = 740,
    TOP = 60,
    CURVE_H = 260,
    GAP = 70,    /* between the charts; holds the labels of the upper chart's axis */
    LINE_H = 7,  /* height of one mark with its interval */
    PAD_H = 8,   /* added to the height of each problem's lines */
    FOOT_H = 60, /* height of the lower chart's axis */
    LEGEND_H = 20,
    TICKS = 12,
    TITLE_Y = 24,
    MOST_PROBLEMS = 200, /* further problems are left out, and the picture says so */
};

/* Colours of Okabe and Ito (2008), shapes around (0, 0), and dashes of the curves. */
static const struct arm_style {
    const char *colour, *path, *dashes;
} styles[] = {
    {"#0072b2", "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", "none"},
    {"#d55e00", "M-3 -3L3 -3L3 3L-3 3z", "7 3"},
    {"#009e73", "M0 -4L4 3L-4 3z", "2 2"},
    {"#cc79a7", "M0 -4L4 0L0 4L-4 0z", "9 3 2 3"},
    {"#e69f00", "M-4 -3L4 -3L0 4z", "12 4"},
    {"#56b4e9", "M-3 -3L3 3M-3 3L3 -3", "4 4"},
};

struct chart {
    const struct suite_report *report;
    struct axis axis; /* the axis of speedups, the same for both charts */
    double curve_y;   /* lower end of the curves */
    double lower_y;   /* upper end of the lower chart */
    size_t problems;  /* number of problems shown */
    size_t lines;     /* lines of each problem */
    double problem_h, foot_y;
    struct strbuf *out;
};

/* The style of an arm: more arms than colours take the colours again, with other shapes. */
static struct arm_style style_of(size_t arm)
{
    struct arm_style style = styles[(arm + arm / COUNT(styles)) % COUNT(styles)];

    style.colour = styles[arm % COUNT(styles)].colour;
    return style;
}

/* Find an axis that covers 1, all speedups, and their intervals up to a factor of ten. */
static struct axis find_axis(const struct suite_report *report)
{
    double low = 1, high = 1;

    for (size_t i = 0; i < report->count; i++) {
        const struct ratio *ratio = &report->rows[i].speedup;

        if (!report_row_is_timed(&report->rows[i]))
            continue;
        low = fmin(low, fmax(ratio->low, ratio->value / 10));
        high = fmax(high, fmin(ratio->high, ratio->value * 10));
    }
    return axis_around(low, high, true);
}

static double x_of(const struct chart *chart, double speedup)
{
    double share = axis_share(&chart->axis, speedup);

    return LEFT + fmin(fmax(share, 0), 1) * CHART_W;
}

static double share_y(const struct chart *chart, double share)
{
    return chart->curve_y - share * CURVE_H;
}

static void add_grid(const struct chart *chart, double top, double bottom)
{
    struct axis_ticks ticks = axis_ticks(&chart->axis, TICKS);
    char label[AXIS_LABEL_SIZE];

    for (size_t i = 0; i < ticks.count; i++) {
        double x = x_of(chart, ticks.items[i]);
        const char *style = ticks.items[i] == 1 ? "stroke='#999'" : "stroke='#e3e3e3'";

        svg_add_line((double[]){x, top}, (double[]){x, bottom}, style, chart->out);
        svg_add_text(x, bottom + 18, "middle", axis_label(label, ticks.items[i], "x"), chart->out);
    }
}

static void add_shares(const struct chart *chart)
{
    for (int i = 0; i <= 4; i++) {
        double y = share_y(chart, i * 0.25);
        char label[16];

        snprintf(label, sizeof(label), "%d%%", i * 25);
        svg_add_line((double[]){LEFT, y}, (double[]){LEFT + CHART_W, y}, "stroke='#e3e3e3'",
                     chart->out);
        svg_add_text(LEFT - 8, y + 4, "end", label, chart->out);
    }
    svg_add_text(LEFT, TOP - 12, "start",
                 "share of ended tasks that are correct and faster than (fast_p)", chart->out);
    svg_add_text(LEFT + CHART_W / 2.0, chart->curve_y + 38, "middle",
                 "speedup over the strongest baseline", chart->out);
}

/*
 * Draw the curve of an arm.  It begins at the number of tasks with a speedup, and falls by one at
 * each task's speedup.
 */
static void add_curve(const struct chart *chart, size_t arm, double *speedups)
{
    const struct suite_report *report = chart->report;
    double ended = (double)report->arms[arm].ended;
    size_t count = 0;

    for (size_t i = 0; i < report->count; i++)
        if (report->rows[i].at.arm == arm && report_row_is_timed(&report->rows[i]))
            speedups[count++] = report->rows[i].speedup.value;
    if (count == 0)
        return;
    stats_sort(speedups, count);
    strbuf_addf(chart->out,
                "<path fill='none' stroke='%s' stroke-width='2' stroke-dasharray='%s' "
                "d='M%d %.1f",
                style_of(arm).colour, style_of(arm).dashes, LEFT,
                share_y(chart, (double)count / ended));
    for (size_t i = 0; i < count; i++)
        strbuf_addf(chart->out, "H%.1fV%.1f", x_of(chart, speedups[i]),
                    share_y(chart, (double)(count - 1 - i) / ended));
    strbuf_addf(chart->out, "H%d'/>\n", LEFT + CHART_W);
}

static void add_curves(const struct chart *chart)
{
    size_t arms = chart->report->store->suite.arms.count;
    double *speedups = mem_alloc_zeroed(chart->report->count + 1, sizeof(*speedups));

    add_grid(chart, TOP, chart->curve_y);
    add_shares(chart);
    for (size_t i = 0; i < arms; i++)
        add_curve(chart, i, speedups);
    free(speedups);
}

static void add_mark(const struct chart *chart, size_t arm, double x, double y)
{
    strbuf_addf(chart->out,
                "<path transform='translate(%.1f %.1f)' d='%s' stroke='%s' fill='%s'/>\n", x, y,
                style_of(arm).path, style_of(arm).colour, style_of(arm).colour);
}

/* Draw a mark with its interval; an unknown interval is left out. */
static void add_speedup(const struct chart *chart, const struct report_row *row)
{
    size_t line = row->at.arm * chart->report->store->suite.repeats + row->at.repeat;
    double y = chart->lower_y + (double)row->at.problem * chart->problem_h + PAD_H / 2.0 +
               ((double)line + 0.5) * LINE_H;
    const struct ratio *ratio = &row->speedup;
    char style[64];

    snprintf(style, sizeof(style), "stroke='%s'", style_of(row->at.arm).colour);
    if (ratio->low > 0 && isfinite(ratio->high))
        svg_add_line((double[]){x_of(chart, ratio->low), y},
                     (double[]){x_of(chart, ratio->high), y}, style, chart->out);
    add_mark(chart, row->at.arm, x_of(chart, ratio->value), y);
}

static void add_problems(const struct chart *chart)
{
    const struct suite_report *report = chart->report;

    add_grid(chart, chart->lower_y, chart->foot_y);
    for (size_t i = 0; i < chart->problems; i++) {
        double y = chart->lower_y + (double)i * chart->problem_h;
        struct strbuf label = {0}, cut = {0};

        suite_add_label(&report->store->suite, i, &label);
        table_column_cut(strbuf_cstr(&label), LABEL_COLUMNS, &cut);
        svg_add_line((double[]){LEFT, y}, (double[]){LEFT + CHART_W, y}, "stroke='#e3e3e3'",
                     chart->out);
        svg_add_text(LEFT - 8, y + chart->problem_h / 2 + 4, "end", strbuf_cstr(&cut), chart->out);
        strbuf_release(&label);
        strbuf_release(&cut);
    }
    for (size_t i = 0; i < report->count; i++)
        if (report->rows[i].at.problem < chart->problems && report_row_is_timed(&report->rows[i]))
            add_speedup(chart, &report->rows[i]);
    svg_add_text(LEFT, chart->lower_y - 8, "start",
                 "speedup of each best kernel over the strongest baseline, with 95 % interval",
                 chart->out);
}

static void add_legend(const struct chart *chart)
{
    const struct suite *suite = &chart->report->store->suite;

    for (size_t i = 0; i < suite->arms.count; i++) {
        double y = chart->foot_y + FOOT_H - 20 + (double)i * LEGEND_H;
        char style[96];

        snprintf(style, sizeof(style), "stroke='%s' stroke-width='2' stroke-dasharray='%s'",
                 style_of(i).colour, style_of(i).dashes);
        svg_add_line((double[]){LEFT, y}, (double[]){LEFT + 50, y}, style, chart->out);
        add_mark(chart, i, LEFT + 25, y);
        svg_add_text(LEFT + 60, y + 4, "start", suite->arms.items[i].name, chart->out);
    }
}

static void add_title(const struct chart *chart)
{
    const struct suite_report *report = chart->report;
    size_t left_out = report->store->suite.problems.count - chart->problems;
    struct strbuf title = {0};

    strbuf_addf(&title, "%s, suite %s: %zu of %zu tasks ended", report->store->suite.name,
                report->store->id, report->store->state.in_phase[TASK_HAS_ENDED], report->count);
    if (left_out)
        strbuf_addf(&title, "; the last %zu problems are not drawn below", left_out);
    svg_add_text(LEFT, TITLE_Y, "start", strbuf_cstr(&title), chart->out);
    strbuf_release(&title);
}

void report_svg_add(const struct suite_report *report, struct strbuf *out)
{
    const struct suite *suite = &report->store->suite;
    size_t problems = suite->problems.count;
    struct chart chart = {.report = report,
                          .axis = find_axis(report),
                          .curve_y = TOP + CURVE_H,
                          .lower_y = TOP + CURVE_H + GAP,
                          .problems = problems < MOST_PROBLEMS ? problems : MOST_PROBLEMS,
                          .lines = suite->arms.count * suite->repeats,
                          .out = out};

    chart.problem_h = (double)chart.lines * LINE_H + PAD_H;
    if (chart.problem_h < 20)
        chart.problem_h = 20;
    chart.foot_y = chart.lower_y + (double)chart.problems * chart.problem_h;
    svg_begin(WIDTH, (int)chart.foot_y + FOOT_H + (int)suite->arms.count * LEGEND_H, out);
    strbuf_adds(out, "<g fill='#333'>\n");
    add_title(&chart);
    add_curves(&chart);
    add_problems(&chart);
    add_legend(&chart);
    strbuf_adds(out, "</g>\n</svg>\n");
}
