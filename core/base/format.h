#ifndef CORE_BASE_FORMAT_H
#define CORE_BASE_FORMAT_H

#include <stdint.h>

/* Formats numbers for people: three significant digits and a unit. */

enum { FORMAT_SIZE = 32 };

/* "71.8 us", "1.24 ms"; "-" for 0, which means unknown.  Returns `text`. */
const char *format_time(char text[FORMAT_SIZE], double us);

/* "3.10x"; "-" for 0. */
const char *format_speedup(char text[FORMAT_SIZE], double speedup);

/* "[0.98, 12.7]": the interval of a speedup; "[unknown]" for one from 0 or to infinity. */
const char *format_interval(char text[FORMAT_SIZE], double low, double high);

/* "[0.98,13]": the same with a digit less and without a blank, for narrow places. */
const char *format_short_interval(char text[FORMAT_SIZE], double low, double high);

/* "41", "0.3", "<0.1": a share in percent; a share above zero is never shown as 0. */
const char *format_share(char text[FORMAT_SIZE], double fraction);

/*
 * A ratio of two speeds as a difference: "+36.7%", and from twice or half as fast on "3.08x".  Its
 * interval has the same form: "[+8.2, +45.1]", "[2.10, 5.60]".
 */
const char *format_gain(char text[FORMAT_SIZE], double gain);
const char *format_gain_interval(char text[FORMAT_SIZE], double gain, double low, double high);

/* "912", "41k", "1.2M". */
const char *format_count(char text[FORMAT_SIZE], int64_t count);

/* "512 B", "1.24 GB"; prefixes are powers of 1000. */
const char *format_bytes(char text[FORMAT_SIZE], double bytes);

/* "2.60 Mflop", "142 GB/s", "1.20 Tflop/s": an amount of a unit, with a decimal prefix. */
const char *format_amount(char text[FORMAT_SIZE], double amount, const char *unit);

/*
 * A profiler's metric in its unit: times and bytes as above, shares as "41 %". Other units are left
 * out, because the metric's name says them: "40", "1.20M".
 */
const char *format_metric(char text[FORMAT_SIZE], double value, const char *unit);

/* "00:42", "1:02:03". */
const char *format_duration(char text[FORMAT_SIZE], int64_t us);

#endif
