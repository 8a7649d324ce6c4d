#ifndef CORE_MODEL_PROFILE_H
#define CORE_MODEL_PROFILE_H

#include "core/base/record.h"

/*
 * A profile of a candidate, in the common form that all profilers' reports are converted to. Its
 * times are not comparable with the judge's: a profiler replays kernels, and only the judge's
 * timing counts.
 */

/* Names are kforge's own and include the unit: "dram_percent". */
struct profile_metric {
    char *name;
    double value;
    char *unit;
};

/* A line of the candidate's source, counting from 1, and its share of the kernel's stalls. */
struct hot_line {
    unsigned line;
    double share;
};

struct kernel_profile {
    char *name;
    double us;    /* on the profiler's clock */
    double share; /* share of the time of all kernels */
    struct {
        struct profile_metric *items;
        size_t count, capacity;
    } metrics;
    struct {
        struct hot_line *items;
        size_t count, capacity;
    } hot; /* sorted by share, the largest first */
};

/* A bottleneck that follows from the metrics, with its evidence. */
struct profile_rule {
    char *name;   /* "uncoalesced" */
    char *kernel; /* the kernel that has it */
    char *text;   /* the numbers that show it and their meaning */
    bool has_estimate;
    double estimate; /* upper limit of the speedup without the bottleneck */
};

struct profile {
    bool is_present;
    bool is_kept;  /* it was taken earlier, from the same code on the same device */
    char *source;  /* "ncu" */
    char *missing; /* the reason why the profile is incomplete; NULL when it is complete */
    struct {
        struct kernel_profile *items;
        size_t count, capacity;
    } kernels;
    struct {
        struct profile_rule *items;
        size_t count, capacity;
    } rules;
    char *raw; /* the profiler's own output */
};

/* The table for JSON, as a part of a verdict. */
extern const struct field profile_fields[];

/* The kernel with which a profiler prepares itself. No profile has it. */
#define PROFILE_WARM_UP "kforge_warm_up"

/* Free everything in it; all zeros afterwards. */
void profile_release(struct profile *profile);

/* The metric of that name; NULL when it was not measured. */
const struct profile_metric *profile_find_metric(const struct kernel_profile *kernel,
                                                 const char *name);

#endif
