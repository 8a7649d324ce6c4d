#include "core/session/state/trajectory_chart.h"

#include <math.h>

const struct trajectory_legend trajectory_legend[] = {
    {'*', "best"},   {'+', "kept"},  {'o', "correct"}, {'H', "kept, by hand"}, {'h', "by hand"},
    {'v', "vetoed"}, {'x', "wrong"}, {'b', "failed"},  {'-', "not judged"},    {0},
};

/* The range of the speeds of points and levels; only the speed 1 if nothing was timed. */
static struct axis speed_axis(const struct trajectory *trajectory)
{
    double low = 1, high = 1;

    for (size_t i = 0; i < trajectory->points.count; i++) {
        double speed = trajectory->points.items[i].speed;

        low = speed > 0 ? fmin(low, speed) : low;
        high = fmax(high, speed);
    }
    for (size_t i = 0; i < trajectory->level_count; i++) {
        low = fmin(low, trajectory->levels[i].speed);
        high = fmax(high, trajectory->levels[i].speed);
    }
    return axis_around(low, high, true);
}

static void lay_out_attempts(struct trajectory_chart *chart)
{
    size_t count = chart->trajectory->points.count;

    chart->x = axis_around(1, count > 1 ? (double)count : 2, false);
    chart->x.low = fmax(chart->x.low, 0.5); /* no tick at 0: attempts are numbered from 1 */
    chart->x.is_whole = true;
    chart->x_name = "attempt";
    chart->x_unit = 1;
}

static void lay_out_time(struct trajectory_chart *chart)
{
    static const struct {
        double seconds, from;
        const char *name;
    } units[] = {{3600, 7200, "h"}, {60, 180, "min"}, {1, 0, "s"}};
    size_t count = chart->trajectory->points.count, unit = 0;
    double last = count ? chart->trajectory->points.items[count - 1].seconds : 0;

    while (last < units[unit].from)
        unit++;
    chart->x_name = units[unit].name;
    chart->x_unit = units[unit].seconds;
    chart->x = axis_around(0, fmax(last / chart->x_unit, 1), false);
}

struct trajectory_chart trajectory_chart_of(const struct trajectory *trajectory,
                                            enum trajectory_by by)
{
    struct trajectory_chart chart = {
        .trajectory = trajectory, .by = by, .y = speed_axis(trajectory)};

    if (by == TRAJECTORY_BY_TIME)
        lay_out_time(&chart);
    else
        lay_out_attempts(&chart);
    for (size_t i = 0; i < trajectory->level_count; i++)
        chart.names[i] = axis_share(&chart.y, trajectory->levels[i].speed);
    return chart;
}

/*
 * Levels are sorted. Going down, move each name below the one above it; then, going up, move each
 * name above the lower edge and above the name below it.
 */
void trajectory_chart_part_names(struct trajectory_chart *chart, double height)
{
    size_t count = chart->trajectory->level_count;
    double edge = 0;

    for (size_t i = 1; i < count; i++)
        chart->names[i] = fmin(chart->names[i], chart->names[i - 1] - height);
    for (size_t i = count; i-- > 0;) {
        chart->names[i] = fmax(chart->names[i], edge);
        edge = chart->names[i] + height;
    }
    edge = 1;
    for (size_t i = 0; i < count; i++) {
        chart->names[i] = fmin(chart->names[i], edge);
        edge = chart->names[i] - height;
    }
}

double trajectory_chart_x(const struct trajectory_chart *chart,
                          const struct trajectory_point *point)
{
    return chart->by == TRAJECTORY_BY_TIME ? point->seconds / chart->x_unit
                                           : (double)point->attempt;
}

double trajectory_chart_y(const struct trajectory_chart *chart,
                          const struct trajectory_point *point)
{
    return point->speed > 0 ? point->speed : chart->y.low;
}

char trajectory_chart_mark(const struct trajectory_point *point)
{
    static const char marks[] = {
        [TRAJECTORY_UNJUDGED] = '-', [TRAJECTORY_FAILED] = 'b',  [TRAJECTORY_WRONG] = 'x',
        [TRAJECTORY_VETOED] = 'v',   [TRAJECTORY_CORRECT] = 'o', [TRAJECTORY_KEPT] = '+',
        [TRAJECTORY_BEST] = '*',
    };

    if (point->is_by_hand && point->result >= TRAJECTORY_CORRECT)
        return point->result == TRAJECTORY_CORRECT ? 'h' : 'H';
    return marks[point->result];
}
