#ifndef CORE_JUDGE_TOOLS_HOST_COUNTERS_H
#define CORE_JUDGE_TOOLS_HOST_COUNTERS_H

#include "core/judge/tools/perf_counters.h"
#include "core/model/profile.h"

/* Converts the counters of a processor to metrics and rules of a kernel's profile. */

/* The counts of some runs. */
struct host_counts {
    struct perf_counts counts; /* the sums */
    double runs;
    double span_us;   /* wall time of one run, of all launches */
    double waited_us; /* time in all runs that threads waited for a core that others used */
    unsigned cores;
};

/*
 * Append a kernel of this name with the metrics of one run, and the rules that follow:
 * "idle_cores", "memory", "compute", "narrow_vectors".
 */
void host_counters_report(const char *name, const struct host_counts *counted,
                          struct profile *profile);

#endif
