#include "core/judge/timing/timing_result.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/judge/stats/load_ratio.h"
#include "core/judge/stats/stats.h"
#include "core/model/baseline_label.h"

/* The machine is busy if the executor waited for a core for more than this share of its work. */
static const double busy_share = 0.05;

/* Other programs make it so if the judge's thread waited for more than this share of its own. */
static const double disturbed_share = 0.3;

/*
 * If other programs disturb them, rounds take longer and differ more. The timing beside a best
 * candidate may then take this many times its budget.
 */
enum { BUSY_BUDGETS = 3 };

/* A ratio whose interval is wider than this factor is called uncertain. */
static const double uncertain_ratio = 1.5;

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

/* Tell the programs how they were disturbed. */
static void note_disturbance(struct timing_result *result)
{
    struct program_rounds *programs[] = {&result->own, &result->rivals[TIMING_BEST],
                                         &result->rivals[TIMING_FIRST]};

    for (size_t i = 0; i < COUNT(programs); i++) {
        programs[i]->load = (struct program_load){result->is_disturbed, result->waited_share};
    }
}

static bool has_waited(const struct thread_load *executor)
{
    return executor->waited_us > busy_share * executor->worked_us;
}

static bool is_disturbed(const struct thread_load *executor, const struct thread_load *judge)
{
    return has_waited(executor) && judge->waited_us > disturbed_share * judge->worked_us;
}

/* Watch runs from now on. The longest work of earlier ones may be that of a thread that waited. */
static void watch(struct timing_result *result)
{
    if (!result->is_watched)
        result->own.least_share = result->rivals[TIMING_BEST].least_share =
            result->rivals[TIMING_FIRST].least_share = 0;
    result->is_watched = true;
}

void timing_result_load(struct timing_result *result, const struct thread_load *executor,
                        const struct thread_load *judge)
{
    double both_us = executor->waited_us + executor->worked_us;

    result->is_busy = has_waited(executor);
    result->is_disturbed = is_disturbed(executor, judge);
    result->waited_share = result->is_busy ? executor->waited_us / both_us : 0;
    if (result->is_disturbed)
        watch(result);
    note_disturbance(result);
}

static struct thread_load load_of(const struct executor *executor)
{
    return (struct thread_load){executor_cpu_us(executor), executor_waited_us(executor)};
}

static struct thread_load since(struct thread_load now, const struct thread_load *before)
{
    return (struct thread_load){now.worked_us - before->worked_us,
                                now.waited_us - before->waited_us};
}

void timing_result_begin_rounds(struct timing_result *result, const struct executor *executor)
{
    result->executor_began = load_of(executor);
    result->judge_began = thread_load_own();
}

void timing_result_look_ahead(struct timing_result *result, const struct executor *executor)
{
    struct thread_load work = since(load_of(executor), &result->executor_began),
                       judge = since(thread_load_own(), &result->judge_began);

    if (is_disturbed(&work, &judge))
        watch(result);
}

void timing_result_note_load(struct timing_result *result, const struct executor *executor)
{
    struct thread_load work = since(load_of(executor), &result->executor_began),
                       judge = since(thread_load_own(), &result->judge_began);

    timing_result_load(result, &work, &judge);
}

/* The ratio of the times of the other program, by rounds in which both took part. */
static struct estimate paired_ratio(const struct timing_result *result,
                                    const struct program_rounds *other)
{
    double own[PROGRAM_ROUNDS_MAX], theirs[PROGRAM_ROUNDS_MAX];
    size_t count = program_rounds_pair(&result->own, other, result->is_busy, own, theirs);

    return stats_speedup(own, theirs, count);
}

/*
 * The speedup of the candidate over another program that was timed in turn with it. Fills all of
 * `comparison` but its name; its time is the speedup times the candidate's median. All zeros
 * without common rounds.
 */
static void compare(const struct timing_result *result, const struct program_rounds *other,
                    struct comparison *comparison)
{
    struct estimate ratio =
        result->is_disturbed ? load_ratio(&result->own, other) : paired_ratio(result, other);

    stats_set_speedup(&ratio, comparison);
    stats_scale_time(&result->time, comparison);
}

int64_t timing_result_budget_us(const struct timing_result *result, int64_t budget_us)
{
    return result->is_disturbed && result->rivals[TIMING_BEST].count ? BUSY_BUDGETS * budget_us
                                                                     : budget_us;
}

bool timing_result_is_clear(const struct timing_result *result, double precision)
{
    struct comparison best = {0};

    if (!result->rivals[TIMING_BEST].count)
        return true;
    compare(result, &result->rivals[TIMING_BEST], &best);
    if (best.speedup_low > 1 || (best.speedup > 0 && best.speedup_high < 1))
        return true;
    return best.speedup_high - best.speedup_low <= 2 * precision * best.speedup;
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

/* The rounds of the rival of that name; NULL for a baseline. */
static const struct program_rounds *rival_of(const struct timing_result *result, const char *name)
{
    for (unsigned rival = 0; rival < TIMING_RIVALS; rival++)
        if (strcmp(name, timing_rival_name((enum timing_rival)rival)) == 0)
            return &result->rivals[rival];
    return NULL;
}

/*
 * Include in the interval that a program may be slower on a quiet machine because its work is
 * divided unevenly, which load_ratio() includes. kforge or a library divides the work of baselines.
 */
static void widen(const struct timing_result *result, struct comparison *made)
{
    const struct program_rounds *rival = rival_of(result, made->name);

    made->speedup_low /= program_rounds_doubt(&result->own);
    made->speedup_high *= rival ? program_rounds_doubt(rival) : 1;
}

/* Append how the machine was, for an engineer who wonders about the times. */
static void describe_load(const struct timing_result *result, const struct comparison *strongest,
                          struct strbuf *out)
{
    double load;

    if (result->is_disturbed && getloadavg(&load, 1) == 1)
        strbuf_addf(out, "the machine was busy (load %.0f): ", load);
    strbuf_addf(out,
                "threads waited for a core for %.0f %% of the time. The time is longer than on a "
                "quiet machine; ratios are of CPU times",
                100 * result->waited_share);
    if (strongest && strongest->speedup_high > uncertain_ratio * strongest->speedup_low)
        strbuf_addf(out, ". The ratio to %s is uncertain", baseline_phrase(strongest->name));
}

void timing_result_report_load(const struct timing_result *result, struct verdict *verdict)
{
    const struct comparison *least = NULL;
    struct strbuf text = {0};

    if (!result->is_busy)
        return;
    for (size_t i = 0; i < verdict->against.count; i++) {
        struct comparison *made = &verdict->against.items[i];

        if (!result->is_disturbed)
            widen(result, made);
        stats_scale_time(&verdict->timing.time, made);
        if (made->speedup > 0 && (!least || made->speedup < least->speedup))
            least = made;
    }
    describe_load(result, least, &text);
    verdict_add_hazard(verdict, HAZARD_MEASURED_AT_LOAD, strbuf_cstr(&text));
    strbuf_release(&text);
}

void timing_result_release(struct timing_result *result)
{
    free(result->each_us);
    result->each_us = NULL;
    sampled_runs_release(&result->sample);
}
