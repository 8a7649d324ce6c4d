#include "core/judge/judge.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/base/digest.h"
#include "core/base/format.h"
#include "core/base/vec.h"
#include "core/judge/baseline.h"
#include "core/judge/evaluation.h"
#include "core/judge/library.h"
#include "core/judge/reference.h"
#include "core/judge/roofs.h"
#include "core/judge/stats.h"
#include "core/judge/timing.h"

/* Beyond this share of the bound a time is not believed: the roofs were measured, too. */
static const double suspect_fraction = 1.25;

struct judge {
    struct judge_options options;
    struct executor *executor;
    const struct device_info *device; /* the executor's; NULL until it is known */
    struct roofs roofs;
    struct problem problem;
    struct pool *pool;
    struct candidate reference;
    struct library *library; /* NULL: it lacks an operation */
    struct baseline reference_times, library_times;
};

struct judge *judge_new(const struct judge_options *options)
{
    struct judge *judge = mem_alloc_zeroed(1, sizeof(*judge));

    judge->options = *options;
    judge->executor = executor_new(&options->executor);
    return judge;
}

static void drop_problem(struct judge *judge)
{
    pool_free(judge->pool);
    judge->pool = NULL;
    library_free(judge->library);
    judge->library = NULL;
    candidate_release(&judge->reference);
    problem_release(&judge->problem);
    judge->reference_times = (struct baseline){.name = "reference"};
    judge->library_times = (struct baseline){.name = "library"};
}

void judge_free(struct judge *judge)
{
    if (!judge)
        return;
    drop_problem(judge);
    executor_free(judge->executor);
    free(judge);
}

enum status judge_probe(struct judge *judge, struct device_list *devices, struct error *err)
{
    return executor_probe(judge->executor, devices, err);
}

enum status judge_device(struct judge *judge, const struct device_info **device,
                         const struct roofs **roofs, struct error *err)
{
    const struct device_info *opened;
    enum status st = executor_device(judge->executor, &opened, err);

    if (!st && !judge->device)
        st = roofs_get(judge->executor, &judge->roofs, err);
    if (st)
        return st;
    *device = judge->device = opened;
    *roofs = &judge->roofs;
    return STATUS_OK;
}

/* Another device than the judge's own needs an executor of its own. */
static enum status measure(struct judge *judge, const char *device, struct roofs *roofs,
                           struct error *err)
{
    struct executor_options options = judge->options.executor;
    struct executor *executor;
    enum status st;

    options.device = device;
    executor = executor_new(&options);
    st = roofs_measure(executor, roofs, err);
    executor_free(executor);
    return st;
}

enum status judge_roofs(struct judge *judge, const struct device_info *device, bool anew,
                        struct roofs *roofs, struct error *err)
{
    if (anew)
        return measure(judge, device->id, roofs, err);
    roofs_recall(device, roofs);
    return STATUS_OK;
}

/* The baselines of the problem that has just been read. */
static enum status make_baselines(struct judge *judge, struct error *err)
{
    const struct pool_case *shape = pool_case(judge->pool, POOL_MAIN);
    enum status st = reference_candidate(&judge->problem, &judge->reference, err);

    if (st)
        return st;
    st = library_new(&judge->problem, &shape->graph, pool_fresh_seed(), &judge->library, err);
    return st == STATUS_NOT_FOUND ? STATUS_OK : st;
}

enum status judge_load(struct judge *judge, const char *text, size_t len, const char *file,
                       struct error *err)
{
    const struct device_info *device;
    const struct roofs *roofs;
    enum status st = judge_device(judge, &device, &roofs, err);

    if (st)
        return st;
    drop_problem(judge);
    st = problem_parse(&judge->problem, text, len, file, err);
    if (!st)
        st = pool_start(&judge->problem, judge->options.trials, judge->options.unseen, &judge->pool,
                        err);
    if (!st)
        st = make_baselines(judge, err);
    if (st)
        drop_problem(judge);
    return st;
}

static void report_runs(void *data, unsigned runs, double median_us)
{
    struct judge *judge = data;
    struct judge_progress progress = {.stage = "timing", .done = runs, .median_us = median_us};

    judge->options.progress(judge->options.data, &progress);
}

static struct evaluation evaluation_of(struct judge *judge, unsigned slot,
                                       const struct candidate *candidate, struct verdict *verdict)
{
    return (struct evaluation){
        .options = &judge->options,
        .executor = judge->executor,
        .problem = &judge->problem,
        .pool = judge->pool,
        .device = judge->device,
        .candidate = candidate,
        .slot = slot,
        .verdict = verdict,
    };
}

/* Load what was judged before into a slot of its own; `*run_us` stays when it no longer works. */
static enum status place(struct judge *judge, unsigned slot, const struct candidate *candidate,
                         uint64_t param_seed, double *run_us, struct error *err)
{
    struct verdict aside = {0};
    struct evaluation e = evaluation_of(judge, slot, candidate, &aside);
    enum status st = evaluation_parse(&e, err);

    if (!st && aside.outcome == OUTCOME_NONE)
        st = evaluation_place(&e, param_seed, err);
    if (!st && aside.outcome == OUTCOME_NONE)
        *run_us = e.expected_us;
    evaluation_release(&e);
    verdict_release(&aside);
    return st;
}

static void keep_timing(const struct timing_result *result, struct verdict *verdict)
{
    struct timing *timing = &verdict->timing;
    double sorted[TIMING_MAX_SAMPLES];

    memcpy(sorted, result->samples, result->count * sizeof(*sorted));
    timing->time = stats_median(sorted, result->count);
    timing->p10_us = stats_quantile(sorted, result->count, 0.1);
    timing->p90_us = stats_quantile(sorted, result->count, 0.9);
    timing->runs = (unsigned)result->count;
    timing->is_present = true;
}

static void compare_best(const struct timing_result *result, struct verdict *verdict)
{
    double best[TIMING_MAX_ROUNDS];
    struct comparison comparison = {.name = mem_strdup("best")};

    memcpy(best, result->best_rounds, result->rounds * sizeof(*best));
    comparison.time = stats_median(best, result->rounds);
    stats_speedup(result->own_rounds, result->best_rounds, result->rounds, &comparison);
    vec_push(&verdict->against, comparison);
}

/* Time the candidate, in turn with the best one where there is one. */
static enum status time_candidate(struct judge *judge, struct evaluation *e,
                                  const struct candidate *best, struct error *err)
{
    const struct expectation *expectation;
    struct inspection inspection;
    struct timing_request request = {.executor = judge->executor,
                                     .inspection = &inspection,
                                     .precision = judge->options.precision,
                                     .budget_us = judge->options.timing_budget_us,
                                     .expected_us = e->expected_us,
                                     .progress = report_runs,
                                     .data = judge};
    struct timing_result *result = mem_alloc_zeroed(1, sizeof(*result));
    enum status st = pool_take(judge->pool, POOL_MAIN, pool_trials(judge->pool, POOL_MAIN) - 1,
                               &expectation, err);

    inspection = evaluation_inspection(e, POOL_MAIN, 0, expectation);
    inspection.only_if_off = true;
    if (!st && best)
        st = place(judge, SLOT_BEST, best, expectation->seed, &request.best_us, err);
    if (!st)
        st = evaluation_absorb(e, timing_run(&request, e->verdict, result, err), err);
    if (!st && e->verdict->outcome == OUTCOME_NONE) {
        keep_timing(result, e->verdict);
        if (request.best_us > 0)
            compare_best(result, e->verdict);
    }
    free(result);
    return st;
}

static enum status time_reference(struct judge *judge, struct error *err)
{
    unsigned wanted = baseline_wanted(&judge->reference_times);
    double spans_us[BASELINE_FIRST] = {0};
    uint64_t seeds[BASELINE_FIRST];
    double run_us = 0;
    enum status st =
        place(judge, SLOT_REFERENCE, &judge->reference, pool_fresh_seed(), &run_us, err);

    for (unsigned i = 0; i < wanted; i++)
        seeds[i] = pool_fresh_seed();
    if (!st && run_us > 0)
        st = executor_time(judge->executor, SLOT_REFERENCE, seeds, wanted, wanted, spans_us, err);
    for (unsigned i = 0; !st && run_us > 0 && i < wanted; i++)
        baseline_add(&judge->reference_times, spans_us[i]);
    return st;
}

static void time_library(struct judge *judge)
{
    for (unsigned i = baseline_wanted(&judge->library_times); judge->library && i-- > 0;)
        baseline_add(&judge->library_times, library_run_us(judge->library));
}

/* Compare a timed candidate with what an engineer has without it. */
static enum status compare_baselines(struct judge *judge, struct verdict *verdict,
                                     struct error *err)
{
    const struct baseline *baselines[] = {&judge->reference_times, &judge->library_times};
    struct judge_progress progress = {.stage = "baselines"};
    enum status st;

    judge->options.progress(judge->options.data, &progress);
    st = time_reference(judge, err);
    time_library(judge);
    for (size_t i = 0; !st && i < sizeof(baselines) / sizeof(*baselines); i++)
        if (baselines[i]->count)
            vec_push(&verdict->against, baseline_compare(baselines[i], &verdict->timing.time));
    return st;
}

static void conclude_correct(struct judge *judge, struct verdict *verdict)
{
    const struct comparison *reference = verdict_against(verdict, "reference");
    const struct estimate *time = &verdict->timing.time;
    char own[FORMAT_SIZE], other[FORMAT_SIZE];

    bound_compute(&pool_case(judge->pool, POOL_MAIN)->graph, &judge->roofs, time, &verdict->bound);
    format_time(own, time->median_us);
    if (verdict->bound.is_present && verdict->bound.fraction > suspect_fraction)
        verdict_conclude(verdict, OUTCOME_SUSPECT,
                         "%s, where the device's bound is %s: faster than possible", own,
                         format_time(other, verdict->bound.us));
    else if (reference)
        verdict_conclude(verdict, OUTCOME_CORRECT, "%s, %s over reference", own,
                         format_speedup(other, reference->speedup));
    else
        verdict_conclude(verdict, OUTCOME_CORRECT, "%s", own);
}

static void describe_place(const struct evaluation *e, struct provenance *where)
{
    struct utsname host;

    uname(&host);
    where->device = mem_strdup(e->device->name);
    where->driver = mem_strdup(e->device->platform);
    where->compiler = mem_strdup(e->device->compiler);
    where->host = mem_strdup(host.nodename);
    where->version = mem_strdup(KFORGE_VERSION);
    where->source_sha256 = mem_alloc_zeroed(DIGEST_HEX_SIZE, 1);
    digest_sha256(e->candidate->source, strlen(e->candidate->source), where->source_sha256);
}

/* What is wrong with the task is a hazard of every candidate that was run on it. */
static void repeat_lint(struct judge *judge, struct verdict *verdict)
{
    const struct hazard_list *findings = pool_findings(judge->pool);

    for (size_t i = 0; i < findings->count; i++) {
        const struct hazard *finding = &findings->items[i];
        struct strbuf name = {0};

        strbuf_addf(&name, "task:%s", finding->name);
        verdict_add_hazard(verdict, strbuf_cstr(&name), finding->evidence);
        strbuf_release(&name);
    }
}

static enum status evaluate(struct judge *judge, struct evaluation *e, const struct candidate *best,
                            struct error *err)
{
    evaluation_step *const steps[] = {evaluation_parse, evaluation_tune, evaluation_verify};
    struct verdict *verdict = e->verdict;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < sizeof(steps) / sizeof(*steps); i++)
        if (verdict->outcome == OUTCOME_NONE)
            st = steps[i](e, err);
    if (!st && verdict->trials.count)
        repeat_lint(judge, verdict);
    if (!st && verdict->outcome == OUTCOME_NONE)
        st = time_candidate(judge, e, best, err);
    if (!st && verdict->outcome == OUTCOME_NONE)
        st = compare_baselines(judge, verdict, err);
    if (!st && verdict->outcome == OUTCOME_NONE)
        conclude_correct(judge, verdict);
    return st;
}

enum status judge_evaluate(struct judge *judge, const struct candidate *candidate,
                           const struct candidate *best, struct verdict *verdict, struct error *err)
{
    struct verdict made = {0};
    struct evaluation e;
    enum status st;

    if (!judge->pool)
        return error_set(err, STATUS_INVALID, "no problem is loaded");
    e = evaluation_of(judge, SLOT_CANDIDATE, candidate, &made);
    describe_place(&e, &made.where);
    st = evaluate(judge, &e, best, err);
    evaluation_release(&e);
    if (st) {
        verdict_release(&made);
        return st;
    }
    *verdict = made;
    return STATUS_OK;
}
