#include "core/base/format.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"

/* Digits after the decimal point that make three significant digits, for values from 0.00001 on. */
static int places(double value)
{
    static const double ends[] = {99.95, 9.995, 0.9995, 0.09995, 0.009995, 0.0009995};
    int digits = 0;

    while (digits < (int)COUNT(ends) && value < ends[digits] && value > 0)
        digits++;
    return digits;
}

const char *format_time(char text[FORMAT_SIZE], double us)
{
    static const char *const units[] = {"us", "ms", "s"};
    size_t unit = 0;

    if (us <= 0) {
        snprintf(text, FORMAT_SIZE, "-");
        return text;
    }
    for (; us >= 999.5 && unit < 2; unit++)
        us /= 1000;
    snprintf(text, FORMAT_SIZE, "%.*f %s", places(us), us, units[unit]);
    return text;
}

static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};

enum { PREFIXES = 6 };

/* Divide the value until it has at most three digits; return the index of its prefix. */
static size_t scale(double *value)
{
    size_t prefix = 0;

    for (; *value >= 999.5 && prefix + 1 < PREFIXES; prefix++)
        *value /= 1000;
    return prefix;
}

/* Whole numbers below 1000 have no decimal point. */
static int scaled_places(double value, size_t prefix)
{
    return prefix == 0 && value == floor(value) ? 0 : places(value);
}

const char *format_amount(char text[FORMAT_SIZE], double amount, const char *unit)
{
    size_t prefix = scale(&amount);

    snprintf(text, FORMAT_SIZE, "%.*f %s%s", scaled_places(amount, prefix), amount,
             prefixes[prefix], unit);
    return text;
}

const char *format_bytes(char text[FORMAT_SIZE], double bytes)
{
    return format_amount(text, bytes < 999.5 ? round(bytes) : bytes, "B");
}

const char *format_metric(char text[FORMAT_SIZE], double value, const char *unit)
{
    size_t prefix;

    if (strcmp(unit, "ns") == 0)
        return format_time(text, value / 1000);
    if (strcmp(unit, "byte") == 0 || strcmp(unit, "B") == 0)
        return format_bytes(text, value);
    prefix = scale(&value);
    snprintf(text, FORMAT_SIZE, "%.*f%s%s", scaled_places(value, prefix), value, prefixes[prefix],
             strcmp(unit, "%") == 0 ? " %" : "");
    return text;
}

const char *format_speedup(char text[FORMAT_SIZE], double speedup)
{
    if (speedup <= 0)
        snprintf(text, FORMAT_SIZE, "-");
    else
        snprintf(text, FORMAT_SIZE, "%.*fx", places(speedup), speedup);
    return text;
}

/*
 * True for an interval that begins at 0 or ends at infinity, because too few runs were measured to
 * limit it.
 */
static bool is_open(double low, double high)
{
    return !(low > 0) || !isfinite(high);
}

static const char *write_unknown(char text[FORMAT_SIZE])
{
    snprintf(text, FORMAT_SIZE, "[unknown]");
    return text;
}

const char *format_interval(char text[FORMAT_SIZE], double low, double high)
{
    if (is_open(low, high))
        return write_unknown(text);
    snprintf(text, FORMAT_SIZE, "[%.*f, %.*f]", places(low), low, places(high), high);
    return text;
}

const char *format_short_interval(char text[FORMAT_SIZE], double low, double high)
{
    int low_places = places(low), high_places = places(high);

    if (is_open(low, high))
        return write_unknown(text);
    snprintf(text, FORMAT_SIZE, "[%.*f,%.*f]", low_places > 0 ? low_places - 1 : 0, low,
             high_places > 0 ? high_places - 1 : 0, high);
    return text;
}

const char *format_share(char text[FORMAT_SIZE], double fraction)
{
    double share = 100 * fraction;

    if (share > 0 && share < 0.05)
        snprintf(text, FORMAT_SIZE, "<0.1");
    else
        snprintf(text, FORMAT_SIZE, "%.*f", share > 0 && share < 0.95 ? 1 : 0, share);
    return text;
}

static bool is_factor(double gain)
{
    return gain >= 2 || gain < 0.5;
}

/* Adding 0 turns -0 into 0: a gain of 1 may be rounded to -0. */
static double percent(double gain)
{
    return round(1000 * (gain - 1)) / 10 + 0.0;
}

const char *format_gain(char text[FORMAT_SIZE], double gain)
{
    if (is_factor(gain))
        return format_speedup(text, gain);
    snprintf(text, FORMAT_SIZE, "%+.1f%%", percent(gain));
    return text;
}

const char *format_gain_interval(char text[FORMAT_SIZE], double gain, double low, double high)
{
    if (is_factor(gain) || is_open(low, high))
        return format_interval(text, low, high);
    snprintf(text, FORMAT_SIZE, "[%+.1f, %+.1f]", percent(low), percent(high));
    return text;
}

const char *format_count(char text[FORMAT_SIZE], int64_t count)
{
    if (count < 1000)
        snprintf(text, FORMAT_SIZE, "%d", (int)count);
    else if (count < 1000000)
        snprintf(text, FORMAT_SIZE, "%.*fk", count < 10000 ? 1 : 0, (double)count / 1e3);
    else
        snprintf(text, FORMAT_SIZE, "%.1fM", (double)count / 1e6);
    return text;
}

const char *format_duration(char text[FORMAT_SIZE], int64_t us)
{
    long long s = us / 1000000;

    if (s < 3600)
        snprintf(text, FORMAT_SIZE, "%02lld:%02lld", s / 60, s % 60);
    else
        snprintf(text, FORMAT_SIZE, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    return text;
}
