#include "tests/golden/sample_verdict.h"

#include <math.h>
#include <string.h>

#include "core/base/vec.h"

enum { MAP_ROWS = 16, MAP_COLS = 32 };

static void add_diagnostic(struct verdict *verdict, struct diagnostic diagnostic, const char *text)
{
    diagnostic.text = mem_strdup(text);
    vec_push(&verdict->build.diagnostics, diagnostic);
}

static void add_trial(struct verdict *verdict, const char *dims, double over_tolerance)
{
    struct trial trial = {.output = mem_strdup("y"),
                          .dims = mem_strdup(dims),
                          .elements = 524288,
                          .max_abs = 1e-6 * over_tolerance,
                          .worst_over_tolerance = over_tolerance};

    if (over_tolerance > 1) {
        trial.mismatched = 4096;
        trial.worst_count = 2;
        trial.worst[0] =
            (struct mismatch){.index = {12, 1023}, .rank = 2, .got = 0.25, .want = 0.000977};
        trial.worst[1] =
            (struct mismatch){.index = {11, 1022}, .rank = 2, .got = (double)NAN, .want = 0.000881};
    }
    vec_push(&verdict->trials, trial);
}

/*
 * A map of errors within the tolerance, except for the last two columns, where the error is `edge`.
 */
static void add_map(struct verdict *verdict, double edge)
{
    verdict->map.rows = MAP_ROWS;
    verdict->map.cols = MAP_COLS;
    verdict->map.cells = mem_alloc_zeroed((size_t)MAP_ROWS * MAP_COLS, sizeof(double));
    for (size_t i = 0; i < (size_t)MAP_ROWS * MAP_COLS; i++)
        verdict->map.cells[i] = i % MAP_COLS >= MAP_COLS - 2 ? edge : 0.1 + 0.05 * (double)(i % 13);
}

static void add_comparison(struct verdict *verdict, const char *name, double us, double speedup)
{
    struct comparison comparison = {.name = mem_strdup(name),
                                    .time = {us, us * 0.99, us * 1.01},
                                    .speedup = speedup,
                                    .speedup_low = speedup * 0.99,
                                    .speedup_high = speedup * 1.01};

    vec_push(&verdict->against, comparison);
}

static const struct roofs roofs = {
    .memory = {{32e3, 6e5}, {1e6, 3e5}, {64e6, 1.419e5}}, .memory_count = 3, .flops_per_us = 1.2e6};

void sample_verdict_time(struct verdict *verdict, double us, double best_us)
{
    verdict->timing = (struct timing){.is_present = true,
                                      .time = {us, us * 0.995, us * 1.006},
                                      .p10_us = us * 0.98,
                                      .p90_us = us * 1.03,
                                      .runs = 120};
    add_comparison(verdict, "reference", 412, 412 / us);
    if (us < best_us)
        add_comparison(verdict, "best", best_us, best_us / us);
    verdict->bound = (struct bound){.is_present = true,
                                    .flops = 2.6e6,
                                    .bytes = 4.2e6,
                                    .us = 29.6,
                                    .limiter = LIMITER_MEMORY,
                                    .fraction = 29.6 / us,
                                    .roofs = roofs};
}

static void add_kernel(struct verdict *verdict, const char *name, double us)
{
    struct kernel_time time = {.kernel = mem_strdup(name), .median_us = us};
    struct kernel_resources resources = {.kernel = mem_strdup(name),
                                         .max_group = 256,
                                         .preferred_multiple = 8,
                                         .has_local = true,
                                         .local_bytes = 4096};

    vec_push(&verdict->timing.per_kernel, time);
    vec_push(&verdict->resources, resources);
}

static void add_choice(struct verdict *verdict, const char *values, double us)
{
    struct tuned_choice choice = {.values = mem_strdup(values),
                                  .outcome = OUTCOME_CORRECT,
                                  .has_time = true,
                                  .median_us = us};

    vec_push(&verdict->tuning.tried, choice);
}

/* Fill in the parts of a verdict on a timed kernel. */
static void fill_facts(struct verdict *verdict)
{
    add_kernel(verdict, "softmax", 51.2);
    add_kernel(verdict, "max8", 20.6);
    verdict_add_hazard(verdict, "other bits", "the second run is off by 1 ulp, within tolerance");
    verdict->tuning =
        (struct tuning){.is_present = true, .chosen = mem_strdup("WG=64"), .choices = 8};
    add_choice(verdict, "WG=64", 72.1);
    add_choice(verdict, "WG=256", 75.4);
    verdict->spent = (struct spent){.is_present = true,
                                    .total_ms = 1310,
                                    .build_ms = 210,
                                    .kernels_ms = 870,
                                    .data_ms = 120,
                                    .oracle_ms = 40};
    verdict->where.device = mem_strdup("invented device");
    verdict->where.driver = mem_strdup("invented driver 1.0");
}

static void add_counter(struct kernel_profile *kernel, const char *name, double value,
                        const char *unit)
{
    struct profile_metric metric = {
        .name = mem_strdup(name), .value = value, .unit = mem_strdup(unit)};

    vec_push(&kernel->metrics, metric);
}

/* Counters as ncu might report them for the kernel in `second_reply`. */
void sample_verdict_count(struct verdict *verdict, double share)
{
    struct kernel_profile kernel = {.name = mem_strdup("softmax"), .us = 71.2, .share = 1};
    struct profile_rule rule = {
        .name = mem_strdup("uncoalesced"),
        .kernel = mem_strdup("softmax"),
        .text = mem_strdup("of what is fetched by global loads only 25 % is used"),
        .has_estimate = true,
        .estimate = 2.4};

    add_counter(&kernel, "dram_percent", share, "%");
    add_counter(&kernel, "occupancy_percent", 62.5, "%");
    add_counter(&kernel, "registers", 40, "");
    vec_push(&kernel.hot, ((struct hot_line){8, 0.61}));
    vec_push(&kernel.hot, ((struct hot_line){12, 0.22}));
    verdict->profile = (struct profile){.is_present = true, .source = mem_strdup("ncu")};
    vec_push(&verdict->profile.kernels, kernel);
    vec_push(&verdict->profile.rules, rule);
}

void sample_verdict_fill(struct verdict *verdict, enum sample_session_stage stage)
{
    verdict->build = (struct build_report){.is_present = true, .ms = 210};
    add_diagnostic(verdict, (struct diagnostic){SEVERITY_WARNING, 4, 32, NULL},
                   "unused variable 'unused'");
    if (stage == SAMPLE_BUILD_FAILED) {
        verdict->outcome = OUTCOME_BUILD_FAILED;
        verdict->detail = mem_strdup("line 9: implicit declaration of function 'max8'");
        add_diagnostic(verdict, (struct diagnostic){SEVERITY_ERROR, 9, 25, NULL},
                       "implicit declaration of function 'max8' is invalid in OpenCL");
        return;
    }
    if (stage != SAMPLE_WRONG)
        add_trial(verdict, "M=512 N=1024", 0.42);
    add_trial(verdict, "M=7 N=1000", stage == SAMPLE_WRONG ? 0.2 : 0.31);
    if (stage == SAMPLE_WRONG)
        add_trial(verdict, "M=512 N=1024, peaks", 2500);
    add_map(verdict, stage == SAMPLE_WRONG ? 2500 : 0.3);
    verdict->outcome = stage == SAMPLE_WRONG ? OUTCOME_WRONG_VALUES : OUTCOME_CORRECT;
    verdict->detail = mem_strdup(stage == SAMPLE_WRONG ? "4096 of 524288 elements of y are off"
                                                       : "correct in 2 trials");
    if (stage >= SAMPLE_KEEP) {
        sample_verdict_time(verdict, 71.8, 81.4);
        fill_facts(verdict);
        if (stage == SAMPLE_ROUND)
            sample_verdict_count(verdict, 44);
    }
}
