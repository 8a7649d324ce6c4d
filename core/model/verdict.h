#ifndef CORE_MODEL_VERDICT_H
#define CORE_MODEL_VERDICT_H

#include <stdbool.h>

#include "core/base/json.h"
#include "core/model/awaited.h"
#include "core/model/dtype.h"
#include "core/model/profile.h"
#include "core/model/roofline/roofs.h"
#include "core/model/sanitizing.h"

/*
 * The judge's verdict on a candidate. Parts that the judge did not reach are empty: their count is
 * zero or their flag is not set. Times are in microseconds on the device's clock.
 */

enum outcome {
    OUTCOME_NONE, /* not judged yet */
    OUTCOME_BAD_REPLY,
    OUTCOME_BAD_PLAN,
    OUTCOME_BUILD_FAILED,
    OUTCOME_LAUNCH_FAILED,
    OUTCOME_CRASHED,
    OUTCOME_TIMED_OUT,
    OUTCOME_OUT_OF_MEMORY,
    OUTCOME_FLOODED, /* too much printf output */
    OUTCOME_WRONG_VALUES,
    OUTCOME_OUT_OF_BOUNDS,
    OUTCOME_CHANGED_INPUTS,
    OUTCOME_NONDETERMINISTIC,
    OUTCOME_SUSPECT,
    OUTCOME_CORRECT,
};

/* The name in files: "wrong_values". outcome_parse() is false for an unknown name. */
const char *outcome_name(enum outcome outcome);
bool outcome_parse(const char *name, enum outcome *outcome);

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE };

/* The name in files, "error". Static. */
const char *severity_name(enum severity severity);

/* A message of the compiler. Line and column count from 1; 0 means unknown. */
struct diagnostic {
    enum severity severity;
    unsigned line, column;
    char *text;
};

struct build_report {
    bool is_present;
    double ms;      /* wall-clock time of the compiler alone */
    bool is_cached; /* loaded from an earlier build */
    char *log;      /* the compiler's own output */
    char *options;
    struct {
        struct diagnostic *items;
        size_t count, capacity;
    } diagnostics;
};

/* The driver's data on a compiled kernel. A size of 0 work-items is unknown. */
struct kernel_resources {
    char *kernel;
    size_t max_group;          /* work-items in a group, for this kernel */
    size_t preferred_multiple; /* the group's work-items should be a multiple of this */
    size_t required_group[3];  /* a work-group size that the source requires */
    size_t required_rank;      /* 0 when it requires none */
    bool has_local, has_private, has_registers, has_spills;
    int64_t local_bytes;   /* per group, declared in the kernel */
    int64_t private_bytes; /* of a work-item */
    int64_t registers;     /* of a work-item */
    int64_t spill_bytes;   /* spilled bytes of a work-item, stored and loaded */
};

struct resource_list {
    struct kernel_resources *items;
    size_t count, capacity;
};

/* One wrong element. */
struct mismatch {
    int64_t index[SHAPE_MAX_RANK];
    size_t rank;
    double got, want;
};

enum { TRIAL_MAX_WORST = 8 };

/* The comparison of one output on one set of data. */
struct trial {
    char *output;
    char *dims; /* "M=512 N=1024 K=768" */
    unsigned seed_id;
    int64_t elements, mismatched, nonfinite;
    double max_abs, max_rel;
    double rel_norm; /* ||got - want|| / ||want|| */
    double worst_over_tolerance;
    struct mismatch worst[TRIAL_MAX_WORST]; /* sorted, the worst first */
    size_t worst_count;
};

/*
 * A picture of the errors of an output: rows x last axis, divided into cells. Each cell holds the
 * largest error in it divided by the tolerance, so a cell above 1 contains a wrong element.
 */
struct error_map {
    size_t rows, cols;
    double *cells; /* row-major; infinity when an element is not finite */
};

/* Free the cells; all zeros afterwards. */
void error_map_release(struct error_map *map);

/* A median with its 95 % confidence interval. */
struct estimate {
    double median_us, low_us, high_us;
};

struct kernel_time {
    char *kernel;
    double median_us;
};

struct timing {
    bool is_present;
    struct estimate time;
    double p10_us, p90_us;
    unsigned runs;
    bool has_prepare;
    double prepare_us;
    struct {
        struct kernel_time *items;
        size_t count, capacity;
    } per_kernel;
};

/* A comparison with a baseline; both were timed alternately. */
struct comparison {
    char *name; /* the baseline's (baseline_label.h) */
    struct estimate time;
    double speedup, speedup_low, speedup_high; /* above 1 when the candidate is faster */
};

enum limiter { LIMITER_MEMORY, LIMITER_COMPUTE };

/* The name in files, "memory". Static. */
const char *limiter_name(enum limiter limiter);

/*
 * The time that no correct candidate can beat on this device (core/model/roofline/floor.h): the
 * traffic of inputs and outputs at the device's bandwidth or the time of an empty launch, whichever
 * is longer.
 */
struct time_floor {
    bool is_present;
    double us;
    double bytes, bytes_per_us; /* bytes of inputs and outputs; the bandwidth for that size */
    double launch_us;           /* 0 when unknown */
};

/* The time of the graph's operations as they are written (core/model/roofline/bound.h). */
struct bound {
    bool is_present;
    double flops, bytes;
    double us;
    enum limiter limiter;
    double fraction;    /* us / median; above 1, the candidate needs fewer operations or bytes than
                           the graph; 0 when not timed */
    struct roofs roofs; /* the roofs that give the bound */
};

/* The name of the hazard of a verdict whose times were measured beside other programs. */
#define HAZARD_MEASURED_AT_LOAD "measured_at_load"

/* A warning to the engineer about a candidate or a task that is otherwise correct. */
struct hazard {
    char *name, *evidence;
};

struct hazard_list {
    struct hazard *items;
    size_t count, capacity;
};

/* Append a copy of the texts; free the list; and convert it to an array, which the caller owns. */
void hazard_list_add(struct hazard_list *list, const char *name, const char *evidence);
void hazard_list_release(struct hazard_list *list);
struct json *hazard_list_encode(const struct hazard_list *list);
enum status hazard_list_decode(struct hazard_list *list, const struct json_ref *at,
                               struct error *err) MUST_CHECK;

/*
 * The time of the evaluation by activity, on the judge's clock. The rest of the total is the
 * judge's own work: comparison, statistics, messages.
 */
struct spent {
    bool is_present;
    double total_ms;
    double build_ms;   /* waiting for the compiler */
    double kernels_ms; /* running the candidate and the baselines */
    double data_ms;    /* making, poisoning and copying data */
    double oracle_ms;  /* waiting for expected values */
};

/* One choice of values for a plan's tunables, and its result in one trial. */
struct tuned_choice {
    char *values;         /* "TILE=16 VEC=4" */
    enum outcome outcome; /* OUTCOME_CORRECT when no error was found */
    bool has_time;
    double median_us; /* median of a few runs */
};

/* The search over the choices of a plan's tunables. */
struct tuning {
    bool is_present;
    char *chosen;   /* the choice that the rest of the verdict is about */
    size_t choices; /* number of all choices */
    struct {
        struct tuned_choice *items;
        size_t count, capacity;
    } tried; /* the fastest first, failed ones last */
};

/* The hardware and software of the evaluation. */
struct provenance {
    char *device, *driver, *compiler, *host, *version, *source_sha256;
};

struct verdict {
    enum outcome outcome;
    char *detail;    /* one line: the error, or the result */
    char *strongest; /* name of the strongest baseline in `against`, or NULL */
    struct build_report build;
    struct resource_list resources;
    struct {
        struct trial *items;
        size_t count, capacity;
    } trials;
    struct error_map map; /* error map of the first failed trial, else of the first trial */
    struct timing timing;
    struct {
        struct comparison *items;
        size_t count, capacity;
    } against;
    struct {
        struct awaited *items;
        size_t count, capacity;
    } awaited; /* baselines that later verdicts are compared with */
    struct bound bound;
    struct time_floor floor;
    struct hazard_list hazards;
    struct tuning tuning;
    struct profile profile;
    struct sanitizing sanitizing;
    struct spent spent;
    struct provenance where;
};

/* Set outcome and detail; both replace the old ones. */
void verdict_conclude(struct verdict *verdict, enum outcome outcome, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void verdict_add_hazard(struct verdict *verdict, const char *name, const char *evidence);

/* Free everything in it; all zeros afterwards. */
void verdict_release(struct verdict *verdict);
struct json *verdict_encode(const struct verdict *verdict);
enum status verdict_decode(struct verdict *verdict, const struct json_ref *at,
                           struct error *err) MUST_CHECK;

/* The comparison with the baseline `name`, or NULL. */
const struct comparison *verdict_against(const struct verdict *verdict, const char *name);

/* The comparison with the strongest baseline, which is the fastest that is no candidate, or NULL.
 */
const struct comparison *verdict_strongest(const struct verdict *verdict);

/*
 * Parts of a verdict that are also sent alone. The caller owns encoded JSON; decoding fails with
 * STATUS_INVALID.
 */
void resource_list_release(struct resource_list *list);
struct json *resource_list_encode(const struct resource_list *list);
enum status resource_list_decode(struct resource_list *list, const struct json_ref *at,
                                 struct error *err) MUST_CHECK;
void trial_release(struct trial *trial);
void build_report_release(struct build_report *report);
struct json *build_report_encode(const struct build_report *report);
enum status build_report_decode(struct build_report *report, const struct json_ref *at,
                                struct error *err) MUST_CHECK;

#endif
