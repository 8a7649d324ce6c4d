#ifndef CORE_SYSTEM_CLOCK_H
#define CORE_SYSTEM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Two clocks: one that only goes forward, for durations, and the calendar. */

/* Micro- and nanoseconds since some point in the past; never jump. */
int64_t clock_now_us(void);
int64_t clock_now_ns(void);

/*
 * What all of the host's cores together have worked since it was started, for
 * whomever; 0 where nobody tells (proc(5), /proc/stat).
 */
int64_t clock_host_work_us(void);

enum { CLOCK_STAMP_SIZE = 32 };

/* The calendar's time in UTC, as RFC 3339 with milliseconds: 2026-11-20T21:47:03.125Z. */
void clock_stamp(char stamp[CLOCK_STAMP_SIZE]);

/* Microseconds since 1970 of such a stamp; false: it is none. */
bool clock_read_stamp(const char *stamp, int64_t *us);

#endif
