#include "core/base/format.h"

#include <stdio.h>

/* Digits after the decimal point that make three significant digits. */
static int places(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
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

const char *format_bytes(char text[FORMAT_SIZE], double bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    size_t unit = 0;

    if (bytes < 1000) {
        snprintf(text, FORMAT_SIZE, "%.0f B", bytes);
        return text;
    }
    for (bytes /= 1000; bytes >= 999.5 && unit < 3; unit++)
        bytes /= 1000;
    snprintf(text, FORMAT_SIZE, "%.*f %s", places(bytes), bytes, units[unit]);
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
