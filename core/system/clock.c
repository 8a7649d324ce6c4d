#include "core/system/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"

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

/* The line begins with "cpu", then ticks: user, nice, system, idle, iowait, irq, softirq, steal. */
int64_t clock_host_work_us(void)
{
    static const bool is_work[] = {true, true, true, false, false, true, true, true};
    char line[256] = "";
    char *at = line + strlen("cpu");
    FILE *stat = fopen("/proc/stat", "re");
    int64_t ticks = 0;

    if (!stat)
        return 0;
    (void)!fgets(line, sizeof(line), stat);
    fclose(stat);
    for (size_t i = 0; i < COUNT(is_work); i++) {
        int64_t spent = strtoll(at, &at, 10);

        ticks += is_work[i] ? spent : 0;
    }
    return ticks * 1000000 / sysconf(_SC_CLK_TCK);
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

bool clock_read_stamp(const char *stamp, int64_t *us)
{
    struct tm utc = {0};
    const char *rest = strptime(stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    char *end;
    long ms;

    if (!rest || *rest != '.')
        return false;
    ms = strtol(rest + 1, &end, 10);
    if (end != rest + 4 || *end != 'Z')
        return false;
    *us = ((int64_t)timegm(&utc) * 1000 + ms) * 1000;
    return true;
}
