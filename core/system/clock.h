#ifndef CORE_SYSTEM_CLOCK_H
#define CORE_SYSTEM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Two clocks: a monotonic one for durations, and the calendar. */

/* Microseconds and nanoseconds since some point in the past; these never jump. */
int64_t clock_now_us(void);
int64_t clock_now_ns(void);

/*
 * The time that all cores of the host have worked for all processes, since the host started, in
 * microseconds; 0 when it is unknown. From /proc/stat (proc(5)).
 */
int64_t clock_host_work_us(void);

enum { CLOCK_STAMP_SIZE = 32 };

/* The places of "11-20" and of "21:47:03" in a stamp. */
enum { CLOCK_DAY_AT = 5, CLOCK_TIME_AT = 11 };

/* Write the present time in UTC as RFC 3339 with milliseconds: 2026-11-20T21:47:03.125Z. */
void clock_stamp(char stamp[CLOCK_STAMP_SIZE]);

/* Convert such a stamp to microseconds since 1970; false when the text is not a stamp. */
bool clock_read_stamp(const char *stamp, int64_t *us);

#endif
