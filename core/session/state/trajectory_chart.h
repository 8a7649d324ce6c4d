#ifndef CORE_SESSION_STATE_TRAJECTORY_CHART_H
#define CORE_SESSION_STATE_TRAJECTORY_CHART_H

#include "core/base/axis.h"
#include "core/session/state/trajectory.h"

/*
 * The layout of a trajectory as a diagram: speed upwards, logarithmic; attempts or time to the
 * right.  Terminal and pictures draw the same chart.
 */

enum trajectory_by { TRAJECTORY_BY_ATTEMPT, TRAJECTORY_BY_TIME };

struct trajectory_chart {
    const struct trajectory *trajectory; /* borrowed */
    enum trajectory_by by;
    struct axis x, y;
    const char *x_name;              /* "attempt", "s", "min", "h" */
    double x_unit;                   /* seconds in a unit of time; 1 for attempts */
    double names[TRAJECTORY_LEVELS]; /* heights of the names of levels, as shares of the chart */
};

/* Lay out the chart so that all points and levels are inside. */
struct trajectory_chart trajectory_chart_of(const struct trajectory *trajectory,
                                            enum trajectory_by by);

/*
 * Move the names of levels apart until each has `height` (a share of the chart) for itself, near
 * its level and inside the chart. If there is no room for all, the slowest are below the lower
 * edge.
 */
void trajectory_chart_part_names(struct trajectory_chart *chart, double height);

/*
 * The place of a point, as values on the axes.  Without a speed it is at the lower edge, where
 * failures are drawn.
 */
double trajectory_chart_x(const struct trajectory_chart *chart,
                          const struct trajectory_point *point);
double trajectory_chart_y(const struct trajectory_chart *chart,
                          const struct trajectory_point *point);

/*
 * The mark of a point: `*` best, `+` kept, `o` correct, `v` vetoed, `x` wrong, `b` failed, `-` not
 * judged; by hand `H` if it is kept and `h` if it is correct.
 */
char trajectory_chart_mark(const struct trajectory_point *point);

/* The meaning of each mark, in the order of the legend; the last has no mark. */
struct trajectory_legend {
    char mark;
    const char *meaning;
};

extern const struct trajectory_legend trajectory_legend[];

#endif
