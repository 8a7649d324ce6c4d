#ifndef CORE_MODEL_PROFILE_H
#define CORE_MODEL_PROFILE_H

#include "core/base/record.h"

/*
 * What a profiler saw of a candidate, in the one form that all profilers are
 * brought to.  It is not a measurement of time: a profiler replays kernels,
 * and the judge's timing is what counts.
 */

/* Names are kforge's own, "dram_percent", and say the unit. */
struct profile_metric {
    char *name;
    double value;
    char *unit;
};

/* A line of the candidate's source, counted from 1, and its share of the kernel's stalls. */
struct hot_line {
    unsigned line;
    double share;
};

struct kernel_profile {
    char *name;
    double us;    /* as the profiler's clock has it */
    double share; /* of all kernels of the candidate */
    struct {
        struct profile_metric *items;
        size_t count, capacity;
    } metrics;
    struct {
        struct hot_line *items;
        size_t count, capacity;
    } hot; /* the hottest first */
};

/* What the metrics come to: a bottleneck, and the numbers that show it. */
struct profile_rule {
    char *name;   /* "uncoalesced" */
    char *kernel; /* that it is about */
    char *text;   /* the evidence, with what it says */
    bool has_estimate;
    double estimate; /* at most so many times as fast without it */
};

struct profile {
    bool is_present;
    char *source;  /* "ncu" */
    char *missing; /* why there is no more than this; NULL: nothing is missing */
    struct {
        struct kernel_profile *items;
        size_t count, capacity;
    } kernels;
    struct {
        struct profile_rule *items;
        size_t count, capacity;
    } rules;
    char *raw; /* as the profiler printed it */
};

/* As JSON: a record of a verdict. */
extern const struct field profile_fields[];

/* Frees everything in it; all zeros afterwards. */
void profile_release(struct profile *profile);

/* NULL where it was not measured. */
const struct profile_metric *profile_find_metric(const struct kernel_profile *kernel,
                                                 const char *name);

#endif
