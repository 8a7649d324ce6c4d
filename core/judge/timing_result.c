#include "core/judge/timing_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/judge/stats/stats.h"
#include "core/model/baseline_label.h"

/* The machine is busy if the executor waited for a core for more than this share of its work. */
static const double busy_share = 0.05;

const char *timing_rival_name(enum timing_rival rival)
{
    return rival == TIMING_BEST ? BASELINE_BEST : BASELINE_FIRST;
}

void timing_result_begin(struct timing_result *result, double core_share,
                         const struct companion_run rivals[TIMING_RIVALS])
{
    result->own.shares_work = true;
    result->own.core_share = core_share;
    for (unsigned rival = 0; rival < TIMING_RIVALS; rival++) {
        result->rivals[rival].shares_work = true;
        result->rivals[rival].core_share = rivals[rival].core_share;
    }
}

void timing_result_load(struct timing_result *result, double work_us, double waited_us)
{
    result->is_busy = waited_us > busy_share * work_us;
    result->waited_share = result->is_busy ? waited_us / (waited_us + work_us) : 0;
}

/* The median time of launch `index` over the rounds. */
static double launch_us(const struct timing_result *result, size_t index, size_t launches)
{
    double rounds_us[TIMING_MAX_ROUNDS];

    for (size_t r = 0; r < result->rounds; r++)
        rounds_us[r] = result->each_us[r * launches + index];
    return stats_median(rounds_us, result->rounds).median_us;
}

static void keep_launches(const struct timing_result *result, const struct launch_list *launches,
                          struct verdict *verdict)
{
    for (size_t i = 0; i < launches->count; i++) {
        struct kernel_time time = {.kernel = mem_strdup(launches->items[i].kernel),
                                   .median_us = launch_us(result, i, launches->count)};

        vec_push(&verdict->timing.per_kernel, time);
    }
}

/*
 * The speedup of the candidate over another program that was timed in turn with it. Fills all of
 * `comparison` but its name; its time is the speedup times the candidate's median. All zeros
 * without common rounds.
 */
static void compare(const struct timing_result *result, const struct program_rounds *other,
                    struct comparison *comparison)
{
    double own[PROGRAM_ROUNDS_MAX], theirs[PROGRAM_ROUNDS_MAX];
    size_t count = program_rounds_pair(&result->own, other, result->is_busy, own, theirs);

    if (count)
        stats_speedup(own, theirs, count, comparison);
    stats_scale_time(&result->time, comparison);
}

static void compare_rival(const struct timing_result *result, enum timing_rival rival,
                          struct verdict *verdict)
{
    struct comparison comparison = {.name = mem_strdup(timing_rival_name(rival))};

    compare(result, &result->rivals[rival], &comparison);
    vec_push(&verdict->against, comparison);
}

void timing_result_keep(const struct timing_result *result, const struct launch_list *launches,
                        struct verdict *verdict)
{
    struct timing *timing = &verdict->timing;
    double sorted[TIMING_MAX_SAMPLES];

    memcpy(sorted, result->samples, result->count * sizeof(*sorted));
    timing->time = stats_median(sorted, result->count);
    timing->p10_us = stats_quantile(sorted, result->count, 0.1);
    timing->p90_us = stats_quantile(sorted, result->count, 0.9);
    timing->runs = (unsigned)result->count;
    timing->is_present = true;
    keep_launches(result, launches, verdict);
    for (unsigned rival = 0; rival < TIMING_RIVALS; rival++)
        if (result->rivals[rival].count)
            compare_rival(result, (enum timing_rival)rival, verdict);
}

/*
 * The doubt (program_rounds_doubt()) of the rival of that name; 1 for a baseline, whose work kforge
 * or a library divides.
 */
static double doubt_of(const struct timing_result *result, const char *name)
{
    for (unsigned rival = 0; rival < TIMING_RIVALS; rival++)
        if (strcmp(name, timing_rival_name((enum timing_rival)rival)) == 0)
            return program_rounds_doubt(&result->rivals[rival]);
    return 1;
}

void timing_result_report_load(const struct timing_result *result, struct verdict *verdict)
{
    char text[192];

    if (!result->is_busy)
        return;
    for (size_t i = 0; i < verdict->against.count; i++) {
        struct comparison *made = &verdict->against.items[i];

        made->speedup_low /= program_rounds_doubt(&result->own);
        made->speedup_high *= doubt_of(result, made->name);
        stats_scale_time(&verdict->timing.time, made);
    }
    snprintf(text, sizeof(text),
             "its threads waited for a core for %.0f %% of the time, because other programs were "
             "running. The time is longer than on a quiet machine; ratios are of CPU times",
             100 * result->waited_share);
    verdict_add_hazard(verdict, HAZARD_MEASURED_AT_LOAD, text);
}

void timing_result_release(struct timing_result *result)
{
    free(result->each_us);
    result->each_us = NULL;
    sampled_runs_release(&result->sample);
}
