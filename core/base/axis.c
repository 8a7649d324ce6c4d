#include "core/base/axis.h"

#include <math.h>
#include <stdio.h>

#include "core/base/array.h"

/*
 * The room beyond the outermost values, as a share of the axis; the factor on both sides of a
 * single value.
 */
static const double margin = 0.04, alone = 1.5;

/* A logarithmic axis shorter than this factor may need evenly spaced ticks. */
static const double one_decade = 10;

/* How far a rounding error may move a value beyond the axis, relative to the value. */
static const double rounding = 1e-9;

struct axis axis_around(double low, double high, bool is_log)
{
    struct axis axis = {.low = low, .high = high, .is_log = is_log};
    double beside;

    if (is_log && high <= low * (1 + rounding)) {
        axis.low = low / alone;
        axis.high = low * alone;
    } else if (high <= low) {
        axis.low = low - 1;
        axis.high = low + 1;
    }
    beside = is_log ? pow(axis.high / axis.low, margin) : (axis.high - axis.low) * margin;
    axis.low = is_log ? axis.low / beside : axis.low - beside;
    axis.high = is_log ? axis.high * beside : axis.high + beside;
    return axis;
}

double axis_share(const struct axis *axis, double value)
{
    if (axis->is_log)
        return log(value / axis->low) / log(axis->high / axis->low);
    return (value - axis->low) / (axis->high - axis->low);
}

/* Append a tick if it is on the axis; false if there is no room for it. */
static bool add_tick(const struct axis *axis, double value, struct axis_ticks *ticks)
{
    double at = axis_share(axis, value);

    if (at < -rounding || at > 1 + rounding)
        return true;
    if (ticks->count == AXIS_MAX_TICKS)
        return false;
    ticks->items[ticks->count++] = value;
    return true;
}

/*
 * Add ticks at every `each`th power of ten, or at 1, 2 and 5 times each power of ten if `each` is
 * 0. False if there are more than `most`.
 */
static bool find_log_ticks(const struct axis *axis, int each, size_t most, struct axis_ticks *ticks)
{
    static const double multiples[] = {1, 2, 5};
    size_t count = each ? 1 : COUNT(multiples);
    int apart = each ? each : 1, last = (int)ceil(log10(axis->high));

    ticks->count = 0;
    for (int decade = (int)floor(log10(axis->low) / apart) * apart; decade <= last; decade += apart)
        for (size_t i = 0; i < count; i++)
            if (!add_tick(axis, multiples[i] * pow(10, decade), ticks))
                return false;
    return ticks->count <= most;
}

static struct axis_ticks log_ticks(const struct axis *axis, size_t most)
{
    struct axis_ticks ticks = {0};

    for (int each = 0; !find_log_ticks(axis, each, most, &ticks); each++)
        continue;
    return ticks;
}

/* The number of multiples of `step` on the axis. */
static double count_steps(const struct axis *axis, double step)
{
    return floor(axis->high / step + rounding) - ceil(axis->low / step - rounding) + 1;
}

/* The smallest step of 1, 2 or 5 times a power of ten that has at most `most` multiples. */
static double choose_step(const struct axis *axis, size_t most)
{
    static const double steps[] = {1, 2, 5};
    double power = pow(10, floor(log10((axis->high - axis->low) / (double)most)));

    for (int more = 0;; more++)
        for (size_t i = 0; i < COUNT(steps); i++)
            if (count_steps(axis, steps[i] * power * pow(10, more)) <= (double)most)
                return steps[i] * power * pow(10, more);
}

static struct axis_ticks linear_ticks(const struct axis *axis, size_t most)
{
    double step = choose_step(axis, most), first, count;
    struct axis_ticks ticks = {0};

    if (axis->is_whole && step < 1)
        step = 1;
    first = ceil(axis->low / step - rounding);
    count = count_steps(axis, step);
    for (size_t i = 0; (double)i < count; i++)
        add_tick(axis, (first + (double)i) * step + 0.0, &ticks);
    return ticks;
}

struct axis_ticks axis_ticks(const struct axis *axis, size_t most)
{
    struct axis_ticks ticks = {0};

    if (most > AXIS_MAX_TICKS)
        most = AXIS_MAX_TICKS;
    if (most == 0)
        return ticks;
    if (axis->is_log)
        ticks = log_ticks(axis, most);
    if (!axis->is_log || (ticks.count < 2 && most >= 2 && axis->high < one_decade * axis->low))
        ticks = linear_ticks(axis, most);
    return ticks;
}

const char *axis_label(char text[AXIS_LABEL_SIZE], double value, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    size_t prefix = 0;

    for (; fabs(value) >= 999.5 && prefix + 1 < COUNT(prefixes); prefix++)
        value /= 1000;
    snprintf(text, AXIS_LABEL_SIZE, "%.4g%s%s%s", value, prefix ? " " : "", prefixes[prefix], unit);
    return text;
}
