#ifndef CORE_JUDGE_TOOLS_PERF_COUNTERS_H
#define CORE_JUDGE_TOOLS_PERF_COUNTERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/status.h"

/*
 * Counters of the processor and of the kernel for the threads of another process
 * (perf_event_open(2)), in user mode only. Hardware counters are often refused: in most virtual
 * machines there are none, and /proc/sys/kernel/perf_event_paranoid may forbid them. Counters of
 * the kernel (software events) are there nearly always.
 */
enum perf_counter {
    PERF_TASK_CLOCK_NS,
    PERF_CONTEXT_SWITCHES,
    PERF_PAGE_FAULTS,
    PERF_INSTRUCTIONS,
    PERF_CYCLES,
    PERF_CACHE_REFERENCES, /* of the last level */
    PERF_CACHE_MISSES,
    PERF_FLOATS_1, /* instructions on one float, on 4, on 8 and on 16 (Intel) */
    PERF_FLOATS_4,
    PERF_FLOATS_8,
    PERF_FLOATS_16,
    PERF_COUNTER_COUNT
};

/* Sums over the threads; those that could not be counted are absent. */
struct perf_counts {
    struct {
        bool is_present;
        double count; /* scaled if the processor counted only a part of the time */
    } of[PERF_COUNTER_COUNT];
};

/* Counters of a process's present threads. */
struct perf_counters;

/*
 * Open the counters, stopped at zero. STATUS_UNAVAILABLE if not even the kernel's can be counted.
 * `why`, if not NULL, says why hardware counters are missing; its text is empty if they are not.
 */
enum status perf_counters_open(pid_t process, struct perf_counters **counters, struct error *why,
                               struct error *err) MUST_CHECK;
void perf_counters_start(struct perf_counters *counters);
void perf_counters_stop(struct perf_counters *counters);
struct perf_counts perf_counters_read(const struct perf_counters *counters);
void perf_counters_close(struct perf_counters *counters);

#endif
