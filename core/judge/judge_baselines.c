#include "core/judge/judge_state.h"

#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/codegen/plain.h"
#include "core/judge/host_library/host_library.h"
#include "core/system/clock.h"

/* On the host's cores; nothing to hold a GPU against. */
static bool has_host_library(const struct judge *judge)
{
    struct error lacks;

    return judge->device->is_cpu &&
           !host_library_check(&judge->problem,
                               &expectations_case(judge->expectations, EXPECTATIONS_MAIN)->graph,
                               &lacks);
}

void judge_make_baselines(struct judge *judge)
{
    judge->plain_times.is_broken =
        plain_candidate(&judge->problem, judge->device->language, &judge->plain, &judge->no_plain);
    judge->host_times.is_broken = !has_host_library(judge);
}

static enum status take_plain_run(struct judge *judge, struct error *err)
{
    uint64_t seed = expectations_fresh_seed();
    const struct executor_batch batch = {
        .slot = SLOT_PLAIN, .input_seeds = &seed, .count = 1, .collect = 1};
    double span_us = 0;
    struct executor_times times = {.spans_us = &span_us};
    int64_t began_us = clock_now_us();
    enum status st = executor_run(judge->executor, &batch, &times, err);

    if (!st)
        baseline_add(&judge->plain_times, span_us, (double)(clock_now_us() - began_us));
    return st;
}

static const char does_not_run[] = "its kernels do not run on this device";

static void drop_plain(struct judge *judge, const char *why)
{
    judge->plain_times.is_broken = true;
    error_set(&judge->no_plain, STATUS_UNAVAILABLE, "%s", why);
}

/* One that takes too long would do so again. */
enum status judge_keep_plain(struct judge *judge, struct error *err)
{
    const struct companion companion = {SLOT_PLAIN, &judge->plain, expectations_fresh_seed()};
    double run_us = -1;
    enum status st;

    if (judge->plain_times.is_broken)
        return STATUS_OK;
    st = judge_keep(judge, &companion, &run_us, err);
    if (!st && run_us < 0)
        drop_plain(judge, does_not_run);
    return st;
}

/* A reference that takes too long for this device is none; the candidate is not to blame. */
static enum status time_plain(struct judge *judge, struct error *err)
{
    const struct companion companion = {SLOT_PLAIN, &judge->plain, expectations_fresh_seed()};
    struct baseline *baseline = &judge->plain_times;
    double run_us = 0;
    enum status st;

    if (!baseline_is_due(baseline))
        return STATUS_OK;
    st = judge_place(judge, &companion, &run_us, err);
    if (!st && run_us <= 0)
        drop_plain(judge, does_not_run);
    while (!st && baseline_is_due(baseline))
        st = take_plain_run(judge, err);
    if (!st || executor_outcome(judge->executor) == OUTCOME_NONE)
        return st;
    drop_plain(judge, err->text);
    return STATUS_OK;
}

/* Its tensors take as much memory as the device's: they are there while it is timed only. */
static void time_host_library(struct judge *judge)
{
    const struct graph *graph = &expectations_case(judge->expectations, EXPECTATIONS_MAIN)->graph;
    int64_t began_us = clock_now_us();
    struct host_library *library;
    double data_us;

    if (!baseline_is_due(&judge->host_times))
        return;
    library = host_library_new(graph, expectations_fresh_seed());
    data_us = (double)(clock_now_us() - began_us);
    judge->host.data_us += data_us;
    while (baseline_is_due(&judge->host_times)) {
        double run_us = host_library_run_us(library);

        baseline_add(&judge->host_times, run_us, data_us + run_us);
        judge->host.run_us += run_us;
    }
    host_library_free(library);
}

static enum status time_model(struct judge *judge, struct verdict *verdict, struct error *err)
{
    const struct model_place place = {judge->device, &judge->problem.tolerance};
    enum status st = model_baselines_time(&judge->model_times, judge->bridge, &place,
                                          (double)(clock_now_us() - judge->began_us), err);

    if (st)
        return st;
    model_baselines_compare(&judge->model_times, verdict);
    if (bridge_is_coarse(judge->bridge))
        verdict_add_hazard(verdict, "coarse_oracle",
                           "the model does not run in double precision: what is expected was "
                           "computed in float32, and the tolerance is four times as wide");
    return STATUS_OK;
}

enum status judge_compare_baselines(struct judge *judge, struct verdict *verdict, struct error *err)
{
    struct baseline *baselines[] = {&judge->plain_times, &judge->host_times};
    struct judge_progress progress = {.stage = "baselines"};
    enum status st;

    judge->options.progress(judge->options.data, &progress);
    for (size_t i = 0; i < COUNT(baselines); i++)
        baseline_allow(baselines[i], (double)(clock_now_us() - judge->began_us));
    st = time_plain(judge, err);
    if (st)
        return st;
    if (judge->plain_times.is_broken)
        verdict_add_hazard(verdict, "no_reference", judge->no_plain.text);
    time_host_library(judge);
    if (judge->problem.torch.source)
        st = time_model(judge, verdict, err);
    for (size_t i = 0; !st && i < COUNT(baselines); i++)
        if (baselines[i]->count)
            vec_push(&verdict->against, baseline_compare(baselines[i], &verdict->timing.time));
    return st;
}
