#ifndef CORE_MODEL_VERDICT_H
#define CORE_MODEL_VERDICT_H

#include <stdbool.h>

#include "core/base/json.h"
#include "core/model/dtype.h"
#include "core/model/profile.h"
#include "core/model/roofs.h"
#include "core/model/sanitizing.h"

/*
 * What the judge found out about a candidate, as far as it got.  Parts that
 * were not reached are empty: a count of zero, a flag that is not set.
 * Times are microseconds on the device's clock.
 */

enum outcome {
    OUTCOME_NONE, /* not judged */
    OUTCOME_BAD_REPLY,
    OUTCOME_BAD_PLAN,
    OUTCOME_BUILD_FAILED,
    OUTCOME_LAUNCH_FAILED,
    OUTCOME_CRASHED,
    OUTCOME_TIMED_OUT,
    OUTCOME_OUT_OF_MEMORY,
    OUTCOME_FLOODED, /* its output, with printf */
    OUTCOME_WRONG_VALUES,
    OUTCOME_OUT_OF_BOUNDS,
    OUTCOME_CHANGED_INPUTS,
    OUTCOME_NONDETERMINISTIC,
    OUTCOME_SUSPECT,
    OUTCOME_CORRECT,
};

/* As in files: "wrong_values". */
const char *outcome_name(enum outcome outcome);
bool outcome_parse(const char *name, enum outcome *outcome);

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE };

/* "error", as in files.  Static. */
const char *severity_name(enum severity severity);

/* A compiler's message.  Line and column count from 1; 0 is unknown. */
struct diagnostic {
    enum severity severity;
    unsigned line, column;
    char *text;
};

struct build_report {
    bool is_present;
    double ms;      /* wall clock, compiler alone */
    bool is_cached; /* it was compiled before, and only loaded */
    char *log;      /* as the compiler wrote it */
    char *options;
    struct {
        struct diagnostic *items;
        size_t count, capacity;
    } diagnostics;
};

/* What the driver tells of a compiled kernel.  A size of 0 work-items is unknown. */
struct kernel_resources {
    char *kernel;
    size_t max_group;          /* work-items in a group, for this kernel */
    size_t preferred_multiple; /* of work-items in a group */
    size_t required_group[3];  /* that the source demands */
    size_t required_rank;      /* 0: it demands none */
    bool has_local, has_private, has_registers, has_spills;
    int64_t local_bytes;   /* of a group, declared in the kernel */
    int64_t private_bytes; /* of a work-item */
    int64_t registers;     /* of a work-item */
    int64_t spill_bytes;   /* of a work-item, stored and loaded */
};

struct resource_list {
    struct kernel_resources *items;
    size_t count, capacity;
};

/* One element that is off. */
struct mismatch {
    int64_t index[SHAPE_MAX_RANK];
    size_t rank;
    double got, want;
};

enum { TRIAL_MAX_WORST = 8 };

/* One output compared on one set of data. */
struct trial {
    char *output;
    char *dims; /* "M=512 N=1024 K=768" */
    unsigned seed_id;
    int64_t elements, mismatched, nonfinite;
    double max_abs, max_rel;
    double rel_norm; /* ||got - want|| / ||want|| */
    double worst_over_tolerance;
    struct mismatch worst[TRIAL_MAX_WORST]; /* the worst first */
    size_t worst_count;
};

/*
 * Where an output is off, as a picture: the output as rows x last axis, cut
 * into cells; each holds the worst error over tolerance in it, so that more
 * than 1 is wrong.
 */
struct error_map {
    size_t rows, cols;
    double *cells; /* row-major; infinity for a non-finite element */
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

/* The candidate beside something else, both measured in turn. */
struct comparison {
    char *name; /* of the baseline (baseline_label.h) */
    struct estimate time;
    double speedup, speedup_low, speedup_high; /* above 1: the candidate is faster */
};

enum limiter { LIMITER_MEMORY, LIMITER_COMPUTE };

/* "memory", as in files.  Static. */
const char *limiter_name(enum limiter limiter);

/* The time that no implementation can beat on this device. */
struct bound {
    bool is_present;
    double flops, bytes;
    double us;
    enum limiter limiter;
    double fraction;    /* us / median; 1 is as fast as the device allows; 0 if not timed */
    struct roofs roofs; /* that it was computed from */
};

/* Something that an engineer should know about a candidate, or a task, that is in order all the
 * same.
 */
struct hazard {
    char *name, *evidence;
};

struct hazard_list {
    struct hazard *items;
    size_t count, capacity;
};

/* Append a copy of the texts. */
void hazard_list_add(struct hazard_list *list, const char *name, const char *evidence);
void hazard_list_release(struct hazard_list *list);
struct json *hazard_list_encode(const struct hazard_list *list); /* an array */
enum status hazard_list_decode(struct hazard_list *list, const struct json_ref *at,
                               struct error *err) MUST_CHECK;

/*
 * Where the time of the evaluation went, on the judge's clock.  What is not
 * listed is the judge's own work: comparing, statistics, talking.
 */
struct spent {
    bool is_present;
    double total_ms;
    double build_ms;   /* waiting for the compiler */
    double kernels_ms; /* running: the candidate, what it is compared with */
    double data_ms;    /* making data for the runs, poisoning, copying */
    double oracle_ms;  /* waiting for expected values */
};

/* A choice of a plan's tunables, and how it did in one trial. */
struct tuned_choice {
    char *values;         /* "TILE=16 VEC=4" */
    enum outcome outcome; /* OUTCOME_CORRECT where nothing was wrong */
    bool has_time;
    double median_us; /* of a few runs */
};

/* The search through the choices that a plan leaves open. */
struct tuning {
    bool is_present;
    char *chosen;   /* what the rest of the verdict is about */
    size_t choices; /* how many there are */
    struct {
        struct tuned_choice *items;
        size_t count, capacity;
    } tried; /* the fastest first, those that failed last */
};

/* What ran where. */
struct provenance {
    char *device, *driver, *compiler, *host, *version, *source_sha256;
};

struct verdict {
    enum outcome outcome;
    char *detail; /* one line: what went wrong, or how well it went */
    struct build_report build;
    struct resource_list resources;
    struct {
        struct trial *items;
        size_t count, capacity;
    } trials;
    struct error_map map; /* of the first trial that failed, else of the first */
    struct timing timing;
    struct {
        struct comparison *items;
        size_t count, capacity;
    } against;
    struct bound bound;
    struct hazard_list hazards;
    struct tuning tuning;
    struct profile profile;
    struct sanitizing sanitizing;
    struct spent spent;
    struct provenance where;
};

/* Set outcome and detail, instead of those that are there. */
void verdict_conclude(struct verdict *verdict, enum outcome outcome, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
void verdict_add_hazard(struct verdict *verdict, const char *name, const char *evidence);

/* Frees everything in it; all zeros afterwards. */
void verdict_release(struct verdict *verdict);
struct json *verdict_encode(const struct verdict *verdict);
enum status verdict_decode(struct verdict *verdict, const struct json_ref *at,
                           struct error *err) MUST_CHECK;

/* NULL when it was not compared with `name`. */
const struct comparison *verdict_against(const struct verdict *verdict, const char *name);

/* Parts that travel alone. */
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
