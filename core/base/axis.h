#ifndef CORE_BASE_AXIS_H
#define CORE_BASE_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The axis of a diagram: which values it covers, where its ticks are and what they are called.
 * Positions are shares of the axis, so a terminal and a picture share the same axis.
 */

/* From `low` to `high`, which is greater; both are greater than zero if the axis is logarithmic. */
struct axis {
    double low, high;
    bool is_log;
    bool is_whole; /* only whole numbers have ticks; for a linear axis */
};

/* The values of the ticks, ascending. */
enum { AXIS_MAX_TICKS = 32 };

struct axis_ticks {
    double items[AXIS_MAX_TICKS];
    size_t count;
};

/*
 * The axis that covers the values from `low` to `high` and a little on both sides, so that a mark
 * at either is inside.  If they are equal, the axis is wide enough for ticks around them.
 */
struct axis axis_around(double low, double high, bool is_log);

/* The position of a value: 0 at `low`, 1 at `high`; outside the axis less than 0 or more than 1. */
double axis_share(const struct axis *axis, double value);

/*
 * Choose as many ticks at round values as possible, at most `most`. Ticks of a logarithmic axis are
 * 1, 2 and 5 times each power of ten, or the powers of ten, or every second, third, ... of these.
 * An axis too short for two such ticks gets evenly spaced ones, like a linear axis: steps of 1, 2
 * or 5 times a power of ten.
 */
struct axis_ticks axis_ticks(const struct axis *axis, size_t most);

enum { AXIS_LABEL_SIZE = 32 };

/*
 * Format the label of a tick, with a metric prefix for large values: "0.02", "1.5x", "100 G".
 * Returns `text`.
 */
const char *axis_label(char text[AXIS_LABEL_SIZE], double value, const char *unit);

#endif
