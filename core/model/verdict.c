#include "core/model/verdict.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/record.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/model/baseline_label.h"

enum { FORMAT_VERSION = 1 }; /* the version of a verdict's JSON, under the key "kforge" */

static const char *const outcome_names[] = {
    [OUTCOME_NONE] = "none",
    [OUTCOME_BAD_REPLY] = "bad_reply",
    [OUTCOME_BAD_PLAN] = "bad_plan",
    [OUTCOME_BUILD_FAILED] = "build_failed",
    [OUTCOME_LAUNCH_FAILED] = "launch_failed",
    [OUTCOME_CRASHED] = "crashed",
    [OUTCOME_TIMED_OUT] = "timed_out",
    [OUTCOME_OUT_OF_MEMORY] = "out_of_memory",
    [OUTCOME_FLOODED] = "flooded",
    [OUTCOME_WRONG_VALUES] = "wrong_values",
    [OUTCOME_OUT_OF_BOUNDS] = "out_of_bounds",
    [OUTCOME_CHANGED_INPUTS] = "changed_inputs",
    [OUTCOME_NONDETERMINISTIC] = "nondeterministic",
    [OUTCOME_SUSPECT] = "suspect",
    [OUTCOME_CORRECT] = "correct",
    NULL,
};

static const char *const severity_names[] = {
    [SEVERITY_ERROR] = "error",
    [SEVERITY_WARNING] = "warning",
    [SEVERITY_NOTE] = "note",
    NULL,
};

static const char *const limiter_names[] = {
    [LIMITER_MEMORY] = "memory",
    [LIMITER_COMPUTE] = "compute",
    NULL,
};

const char *outcome_name(enum outcome outcome)
{
    return outcome_names[outcome];
}

bool outcome_parse(const char *name, enum outcome *outcome)
{
    for (size_t i = 0; outcome_names[i]; i++) {
        if (strcmp(outcome_names[i], name) == 0) {
            *outcome = (enum outcome)i;
            return true;
        }
    }
    return false;
}

const char *severity_name(enum severity severity)
{
    return severity_names[severity];
}

const char *limiter_name(enum limiter limiter)
{
    return limiter_names[limiter];
}

void error_map_release(struct error_map *map)
{
    free(map->cells);
    *map = (struct error_map){0};
}

static const struct field cell_row = {.kind = FIELD_REAL};

/* The form of a map in JSON, with the cells as a list. */
struct map_record {
    size_t rows, cols;
    struct {
        double *items;
        size_t count, capacity;
    } cells;
};

static const struct field map_fields[] = {
    {FIELD(SIZE, struct map_record, rows)},
    {FIELD(SIZE, struct map_record, cols)},
    {FIELD(LIST, struct map_record, cells), .item = &cell_row, .size = sizeof(double)},
    {0},
};

static struct json *encode_map(const void *member)
{
    const struct error_map *map = member;
    struct map_record record = {map->rows, map->cols, {map->cells, map->rows * map->cols, 0}};

    return map->cells ? record_encode(map_fields, &record) : NULL;
}

static enum status decode_map(void *member, const struct json_ref *at, struct error *err)
{
    struct error_map *map = member;
    struct map_record record = {0};
    enum status st = record_decode(map_fields, &record, at, err);
    size_t cells = 0;

    if (!st &&
        (__builtin_mul_overflow(record.rows, record.cols, &cells) || cells != record.cells.count))
        st = json_ref_error(at, err, "%zu cells, expected %zu rows of %zu", record.cells.count,
                            record.rows, record.cols);
    if (st)
        record_release(map_fields, &record);
    else
        *map = (struct error_map){record.rows, record.cols, record.cells.items};
    return st;
}

static void release_map(void *member)
{
    error_map_release(member);
}

static const struct field_codec map_codec = {encode_map, decode_map, release_map};

static const struct field diagnostic_fields[] = {
    {FIELD(CHOICE, struct diagnostic, severity), .choices = severity_names},
    {FIELD(UNSIGNED, struct diagnostic, line)},
    {FIELD(UNSIGNED, struct diagnostic, column)},
    {FIELD(TEXT, struct diagnostic, text)},
    {0},
};
static const struct field diagnostic_row = {.kind = FIELD_RECORD, .fields = diagnostic_fields};

static const struct field build_fields[] = {
    {FIELD(REAL, struct build_report, ms)},
    {.key = "cached",
     .kind = FIELD_BOOL,
     .offset = offsetof(struct build_report, is_cached),
     .presence = offsetof(struct build_report, is_cached)},
    {FIELD(TEXT, struct build_report, log)},
    {FIELD(TEXT, struct build_report, options)},
    {FIELD(LIST, struct build_report, diagnostics), .item = &diagnostic_row,
     .size = sizeof(struct diagnostic)},
    {0},
};

static const struct field extent_row = {.kind = FIELD_SIZE};
static const struct field resource_fields[] = {
    {FIELD(TEXT, struct kernel_resources, kernel)},
    {FIELD(SIZE, struct kernel_resources, max_group)},
    {FIELD(SIZE, struct kernel_resources, preferred_multiple)},
    {FIELD(ARRAY, struct kernel_resources, required_group),
     .other = offsetof(struct kernel_resources, required_rank), .item = &extent_row,
     .size = sizeof(size_t), .max = 3},
    {FIELD(INT64, struct kernel_resources, local_bytes),
     .presence = offsetof(struct kernel_resources, has_local)},
    {FIELD(INT64, struct kernel_resources, private_bytes),
     .presence = offsetof(struct kernel_resources, has_private)},
    {FIELD(INT64, struct kernel_resources, registers),
     .presence = offsetof(struct kernel_resources, has_registers)},
    {FIELD(INT64, struct kernel_resources, spill_bytes),
     .presence = offsetof(struct kernel_resources, has_spills)},
    {0},
};
static const struct field resource_row = {.kind = FIELD_RECORD, .fields = resource_fields};

/* A table describes an object, so the list is the only member of one. */
static const struct field resource_list_fields[] = {
    {.key = "kernels",
     .kind = FIELD_LIST,
     .item = &resource_row,
     .size = sizeof(struct kernel_resources)},
    {0},
};

static const struct field index_row = {.kind = FIELD_INT64};
static const struct field mismatch_fields[] = {
    {FIELD(ARRAY, struct mismatch, index), .other = offsetof(struct mismatch, rank),
     .item = &index_row, .size = sizeof(int64_t), .max = SHAPE_MAX_RANK},
    {FIELD(REAL, struct mismatch, got)},
    {FIELD(REAL, struct mismatch, want)},
    {0},
};
static const struct field mismatch_row = {.kind = FIELD_RECORD, .fields = mismatch_fields};

static const struct field trial_fields[] = {
    {FIELD(TEXT, struct trial, output)},
    {FIELD(TEXT, struct trial, dims)},
    {FIELD(UNSIGNED, struct trial, seed_id)},
    {FIELD(INT64, struct trial, elements)},
    {FIELD(INT64, struct trial, mismatched)},
    {FIELD(INT64, struct trial, nonfinite)},
    {FIELD(REAL, struct trial, max_abs)},
    {FIELD(REAL, struct trial, max_rel)},
    {FIELD(REAL, struct trial, rel_norm)},
    {FIELD(REAL, struct trial, worst_over_tolerance)},
    {FIELD(ARRAY, struct trial, worst), .other = offsetof(struct trial, worst_count),
     .item = &mismatch_row, .size = sizeof(struct mismatch), .max = TRIAL_MAX_WORST},
    {0},
};
static const struct field trial_row = {.kind = FIELD_RECORD, .fields = trial_fields};

/* Offsets are those of struct verdict: only the JSON groups these members. */
static const struct field verify_fields[] = {
    {FIELD(LIST, struct verdict, trials), .item = &trial_row, .size = sizeof(struct trial)},
    {FIELD(CUSTOM, struct verdict, map), .codec = &map_codec},
    {0},
};

static const struct field kernel_time_fields[] = {
    {FIELD(TEXT, struct kernel_time, kernel)},
    {FIELD(REAL, struct kernel_time, median_us)},
    {0},
};
static const struct field kernel_time_row = {.kind = FIELD_RECORD, .fields = kernel_time_fields};

static const struct field timing_fields[] = {
    {.key = "median_us", .kind = FIELD_REAL, .offset = offsetof(struct timing, time.median_us)},
    {.key = "ci95_us",
     .kind = FIELD_INTERVAL,
     .offset = offsetof(struct timing, time.low_us),
     .other = offsetof(struct timing, time.high_us)},
    {FIELD(REAL, struct timing, p10_us)},
    {FIELD(REAL, struct timing, p90_us)},
    {FIELD(UNSIGNED, struct timing, runs)},
    {FIELD(REAL, struct timing, prepare_us), .presence = offsetof(struct timing, has_prepare)},
    {FIELD(LIST, struct timing, per_kernel), .item = &kernel_time_row,
     .size = sizeof(struct kernel_time)},
    {0},
};

static const struct field comparison_fields[] = {
    {FIELD(TEXT, struct comparison, name)},
    {.key = "median_us", .kind = FIELD_REAL, .offset = offsetof(struct comparison, time.median_us)},
    {.key = "ci95_us",
     .kind = FIELD_INTERVAL,
     .offset = offsetof(struct comparison, time.low_us),
     .other = offsetof(struct comparison, time.high_us)},
    {FIELD(REAL, struct comparison, speedup)},
    {.key = "speedup_ci95",
     .kind = FIELD_INTERVAL,
     .offset = offsetof(struct comparison, speedup_low),
     .other = offsetof(struct comparison, speedup_high)},
    {0},
};
static const struct field comparison_row = {.kind = FIELD_RECORD, .fields = comparison_fields};

static const struct field awaited_fields[] = {
    {FIELD(TEXT, struct awaited, name)},
    {FIELD(REAL, struct awaited, earlier_us), .presence = offsetof(struct awaited, has_earlier)},
    {FIELD(TEXT, struct awaited, earlier_day)},
    {0},
};
static const struct field awaited_row = {.kind = FIELD_RECORD, .fields = awaited_fields};

static const struct field bound_fields[] = {
    {FIELD(REAL, struct bound, flops)},
    {FIELD(REAL, struct bound, bytes)},
    {FIELD(REAL, struct bound, us)},
    {FIELD(CHOICE, struct bound, limiter), .choices = limiter_names},
    {FIELD(REAL, struct bound, fraction)},
    {FIELD(RECORD, struct bound, roofs), .fields = roofs_fields},
    {0},
};

static const struct field floor_fields[] = {
    {FIELD(REAL, struct time_floor, us)},
    {FIELD(REAL, struct time_floor, bytes)},
    {FIELD(REAL, struct time_floor, bytes_per_us)},
    {FIELD(REAL, struct time_floor, launch_us)},
    {0},
};

static const struct field where_fields[] = {
    {FIELD(TEXT, struct provenance, device)},
    {FIELD(TEXT, struct provenance, driver)},
    {FIELD(TEXT, struct provenance, compiler)},
    {FIELD(TEXT, struct provenance, host)},
    {FIELD(TEXT, struct provenance, version)},
    {FIELD(TEXT, struct provenance, source_sha256)},
    {0},
};

static const struct field hazard_fields[] = {
    {FIELD(TEXT, struct hazard, name)},
    {FIELD(TEXT, struct hazard, evidence)},
    {0},
};
static const struct field hazard_row = {.kind = FIELD_RECORD, .fields = hazard_fields};

static const struct field tuned_choice_fields[] = {
    {FIELD(TEXT, struct tuned_choice, values)},
    {FIELD(CHOICE, struct tuned_choice, outcome), .choices = outcome_names},
    {FIELD(REAL, struct tuned_choice, median_us),
     .presence = offsetof(struct tuned_choice, has_time)},
    {0},
};
static const struct field tuned_choice_row = {.kind = FIELD_RECORD, .fields = tuned_choice_fields};

static const struct field tuning_fields[] = {
    {FIELD(TEXT, struct tuning, chosen)},
    {FIELD(SIZE, struct tuning, choices)},
    {FIELD(LIST, struct tuning, tried), .item = &tuned_choice_row,
     .size = sizeof(struct tuned_choice)},
    {0},
};

static const struct field spent_fields[] = {
    {FIELD(REAL, struct spent, total_ms)},   {FIELD(REAL, struct spent, build_ms)},
    {FIELD(REAL, struct spent, kernels_ms)}, {FIELD(REAL, struct spent, data_ms)},
    {FIELD(REAL, struct spent, oracle_ms)},  {0},
};

static const struct field verdict_fields[] = {
    {FIELD(CHOICE, struct verdict, outcome), .choices = outcome_names},
    {FIELD(TEXT, struct verdict, detail)},
    {FIELD(TEXT, struct verdict, strongest)},
    {FIELD(RECORD, struct verdict, build), .fields = build_fields,
     .presence = offsetof(struct verdict, build.is_present)},
    {FIELD(LIST, struct verdict, resources), .item = &resource_row,
     .size = sizeof(struct kernel_resources)},
    {.key = "verify", .kind = FIELD_RECORD, .fields = verify_fields},
    {FIELD(RECORD, struct verdict, timing), .fields = timing_fields,
     .presence = offsetof(struct verdict, timing.is_present)},
    {FIELD(LIST, struct verdict, against), .item = &comparison_row,
     .size = sizeof(struct comparison)},
    {FIELD(LIST, struct verdict, awaited), .item = &awaited_row, .size = sizeof(struct awaited)},
    {FIELD(RECORD, struct verdict, bound), .fields = bound_fields,
     .presence = offsetof(struct verdict, bound.is_present)},
    {FIELD(RECORD, struct verdict, floor), .fields = floor_fields,
     .presence = offsetof(struct verdict, floor.is_present)},
    {FIELD(LIST, struct verdict, hazards), .item = &hazard_row, .size = sizeof(struct hazard)},
    {FIELD(RECORD, struct verdict, tuning), .fields = tuning_fields,
     .presence = offsetof(struct verdict, tuning.is_present)},
    {FIELD(RECORD, struct verdict, profile), .fields = profile_fields,
     .presence = offsetof(struct verdict, profile.is_present)},
    {FIELD(RECORD, struct verdict, sanitizing), .fields = sanitizing_fields,
     .presence = offsetof(struct verdict, sanitizing.is_present)},
    {FIELD(RECORD, struct verdict, spent), .fields = spent_fields,
     .presence = offsetof(struct verdict, spent.is_present)},
    {FIELD(RECORD, struct verdict, where), .fields = where_fields},
    {0},
};

void verdict_conclude(struct verdict *verdict, enum outcome outcome, const char *fmt, ...)
{
    struct strbuf detail = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&detail, fmt, args);
    va_end(args);
    free(verdict->detail);
    verdict->detail = strbuf_take(&detail);
    verdict->outcome = outcome;
}

void verdict_add_hazard(struct verdict *verdict, const char *name, const char *evidence)
{
    hazard_list_add(&verdict->hazards, name, evidence);
}

void hazard_list_add(struct hazard_list *list, const char *name, const char *evidence)
{
    struct hazard hazard = {.name = mem_strdup(name), .evidence = mem_strdup(evidence)};

    vec_push(list, hazard);
}

void hazard_list_release(struct hazard_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        record_release(hazard_fields, &list->items[i]);
    vec_release(list);
}

struct json *hazard_list_encode(const struct hazard_list *list)
{
    struct json *array = json_array_new();

    for (size_t i = 0; i < list->count; i++)
        json_push(array, record_encode(hazard_fields, &list->items[i]));
    return array;
}

enum status hazard_list_decode(struct hazard_list *list, const struct json_ref *at,
                               struct error *err)
{
    struct hazard_list read = {0};
    enum status st = json_expect(at, JSON_ARRAY, err);

    for (struct json_ref e = json_ref_first(at); !st && e.value; e = json_ref_next(&e)) {
        struct hazard hazard = {0};

        st = record_decode(hazard_fields, &hazard, &e, err);
        vec_push(&read, hazard);
    }
    if (st)
        hazard_list_release(&read);
    else
        *list = read;
    return st;
}

void trial_release(struct trial *trial)
{
    record_release(trial_fields, trial);
    *trial = (struct trial){0};
}

void build_report_release(struct build_report *report)
{
    record_release(build_fields, report);
    *report = (struct build_report){0};
}

struct json *build_report_encode(const struct build_report *report)
{
    return record_encode(build_fields, report);
}

enum status build_report_decode(struct build_report *report, const struct json_ref *at,
                                struct error *err)
{
    enum status st = record_read(build_fields, report, sizeof(*report), at, err);

    report->is_present = report->is_present || !st;
    return st;
}

void resource_list_release(struct resource_list *list)
{
    record_release(resource_list_fields, list);
    *list = (struct resource_list){0};
}

struct json *resource_list_encode(const struct resource_list *list)
{
    return record_encode(resource_list_fields, list);
}

enum status resource_list_decode(struct resource_list *list, const struct json_ref *at,
                                 struct error *err)
{
    return record_read(resource_list_fields, list, sizeof(*list), at, err);
}

void verdict_release(struct verdict *verdict)
{
    record_release(verdict_fields, verdict);
    *verdict = (struct verdict){0};
}

struct json *verdict_encode(const struct verdict *verdict)
{
    struct json *object = record_encode(verdict_fields, verdict);

    json_put_number(object, "kforge", FORMAT_VERSION);
    return object;
}

enum status verdict_decode(struct verdict *verdict, const struct json_ref *at, struct error *err)
{
    struct json_ref version = json_ref_member(at, "kforge");

    if (json_number(version.value, 0) != FORMAT_VERSION)
        return json_ref_error(&version, err, "expected %d, the version of verdicts",
                              FORMAT_VERSION);
    return record_read(verdict_fields, verdict, sizeof(*verdict), at, err);
}

const struct comparison *verdict_against(const struct verdict *verdict, const char *name)
{
    for (size_t i = 0; i < verdict->against.count; i++)
        if (verdict->against.items[i].name && strcmp(verdict->against.items[i].name, name) == 0)
            return &verdict->against.items[i];
    return NULL;
}

const struct comparison *verdict_strongest(const struct verdict *verdict)
{
    const struct comparison *strongest = NULL;

    for (size_t i = 0; i < verdict->against.count; i++) {
        const struct comparison *other = &verdict->against.items[i];

        if (other->name && !baseline_is_candidate(other->name) &&
            (!strongest || other->time.median_us < strongest->time.median_us))
            strongest = other;
    }
    return strongest;
}
