#ifndef CORE_BASE_CLOCK_H
#define CORE_BASE_CLOCK_H

#include <stdint.h>

/* Two clocks: one that only goes forward, for durations, and the calendar. */

/* Microseconds since some point in the past; never jumps. */
int64_t clock_now_us(void);

enum { CLOCK_STAMP_SIZE = 32 };

/* The calendar's time in UTC, as RFC 3339 with milliseconds: 2026-11-20T21:47:03.125Z. */
void clock_stamp(char stamp[CLOCK_STAMP_SIZE]);

#endif
