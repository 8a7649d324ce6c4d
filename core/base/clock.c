#include "core/base/clock.h"

#include <stdio.h>
#include <time.h>

int64_t clock_now_us(void)
{
    return clock_now_ns() / 1000;
}

int64_t clock_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void clock_stamp(char stamp[CLOCK_STAMP_SIZE])
{
    struct timespec now;
    struct tm utc;
    char seconds[CLOCK_STAMP_SIZE - 8];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(stamp, CLOCK_STAMP_SIZE, "%s.%03dZ", seconds, (int)(now.tv_nsec / 1000000 % 1000));
}
