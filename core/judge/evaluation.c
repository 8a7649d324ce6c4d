#include "core/judge/evaluation.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/base/digest.h"
#include "core/base/vec.h"
#include "core/judge/executor/readback.h"
#include "core/judge/oracle/variation.h"
#include "core/model/language.h"
#include "core/model/plan/core_share.h"
#include "core/system/clock.h"
#include "core/system/log.h"

static bool is_open(const struct evaluation *e)
{
    return e->verdict->outcome == OUTCOME_NONE;
}

struct evaluation evaluation_make(const struct evaluation_context *context, unsigned slot,
                                  const struct candidate *candidate, struct verdict *verdict)
{
    return (struct evaluation){
        .options = context->options,
        .executor = context->executor,
        .problem = context->problem,
        .expectations = context->expectations,
        .device = context->device,
        .candidate = candidate,
        .slot = slot,
        .verdict = verdict,
    };
}

double evaluation_core_share(const struct evaluation *e)
{
    if (!e->device->is_cpu || !language_of(e->candidate->language)->shares_groups)
        return 0;
    return core_share(&e->dispatch.launches, e->device->compute_units);
}

enum { SHORT_TIMING_US = 500000 };

int64_t evaluation_timing_us(const struct evaluation *e)
{
    int64_t most_us = e->options->timing_budget_us;

    return e->device->is_cpu || most_us < SHORT_TIMING_US ? most_us : SHORT_TIMING_US;
}

void evaluation_report(const struct evaluation *e, const char *stage, size_t done, size_t total)
{
    const struct evaluation_progress progress = {
        .stage = stage, .done = (unsigned)done, .total = (unsigned)total};

    e->options->progress(e->options->data, &progress);
}

enum status evaluation_absorb(struct evaluation *e, enum status st, struct error *err)
{
    enum outcome outcome = executor_outcome(e->executor);

    if (!st || outcome == OUTCOME_NONE)
        return st;
    verdict_conclude(e->verdict, outcome, "%s", err->text);
    return STATUS_OK;
}

bool evaluation_may_be_innocent(const struct evaluation *e)
{
    enum outcome outcome = e->verdict->outcome;
    bool has_failed = outcome == OUTCOME_WRONG_VALUES || outcome == OUTCOME_LAUNCH_FAILED;

    if (outcome == OUTCOME_CRASHED)
        return executor_was_shared(e->executor);
    return has_failed && e->is_doubtful && !e->is_verified;
}

enum status evaluation_parse(struct evaluation *e, struct error *err)
{
    const struct candidate *c = e->candidate;
    struct error wrong;

    (void)err;
    if (device_info_check_language(e->device, c->language, &wrong))
        verdict_conclude(e->verdict, OUTCOME_BAD_REPLY, "the candidate cannot run here: %s",
                         wrong.text);
    else if (candidate_check_names(c->source, &wrong))
        verdict_conclude(e->verdict, OUTCOME_BAD_REPLY, "%s", wrong.text);
    else if (candidate_check_names(c->plan, &wrong))
        verdict_conclude(e->verdict, OUTCOME_BAD_PLAN, "plan: %s", wrong.text);
    else if (plan_parse(&e->plan, c->plan, strlen(c->plan), &wrong))
        verdict_conclude(e->verdict, OUTCOME_BAD_PLAN, "%s", wrong.text);
    return STATUS_OK;
}

/* Check that the device has room for all buffers. */
static void check_memory(struct evaluation *e, const struct expectations_case *shape)
{
    const struct dispatch *d = &e->dispatch;
    int64_t total = 0;

    for (size_t i = 0; i < d->buffers.count && is_open(e); i++) {
        int64_t bytes = (int64_t)readback_contents(&d->buffers.items[i]) + BUFFER_MARGINS_BYTES;

        total += bytes;
        if (bytes > e->device->max_buffer_bytes)
            verdict_conclude(e->verdict, OUTCOME_BAD_PLAN,
                             "plan: %s%s takes %lld bytes, %s allows %lld in a buffer (%s)",
                             i < d->tensor_count ? "" : "scratch.", d->buffers.items[i].name,
                             (long long)bytes, e->device->id,
                             (long long)e->device->max_buffer_bytes, shape->text);
    }
    if (is_open(e) && total > e->device->memory_bytes)
        verdict_conclude(e->verdict, OUTCOME_BAD_PLAN,
                         "plan: tensors and scratch take %lld bytes, %s has %lld (%s)",
                         (long long)total, e->device->id, (long long)e->device->memory_bytes,
                         shape->text);
}

/* The plan with a choice of its tunables, resolved at a case. */
static enum status resolve(const struct evaluation *e, size_t choice,
                           const struct expectations_case *shape, struct dispatch *dispatch,
                           struct error *wrong)
{
    struct binding chosen[PLAN_MAX_TUNABLES];
    struct scope scope = plan_scope(&e->plan, choice, &shape->scope, chosen);
    enum status st = plan_resolve(&e->plan, &shape->graph, &scope, dispatch, wrong);

    return st ? st
              : dispatch_check_programs(dispatch, language_of(e->candidate->language)->has_programs,
                                        wrong);
}

void evaluation_resolve(struct evaluation *e, size_t index)
{
    const struct expectations_case *shape = expectations_case(e->expectations, index);
    struct error wrong;

    e->shape = shape;
    dispatch_release(&e->dispatch);
    if (resolve(e, e->choice, shape, &e->dispatch, &wrong))
        verdict_conclude(e->verdict, OUTCOME_BAD_PLAN, "%s (%s)", wrong.text, shape->text);
    else
        check_memory(e, shape);
}

/* `language` is NULL if it is the device's own language, as it is for the plain kernels. */
static struct executor_load load_of(const struct evaluation *e)
{
    const char *language = e->candidate->language;

    return (struct executor_load){.slot = e->slot,
                                  .source = e->candidate->source,
                                  .dispatch = &e->dispatch,
                                  .language =
                                      strcmp(language, e->device->language) == 0 ? NULL : language};
}

/* The first error; the first message of all, if none of them is called an error; NULL for none. */
static const struct diagnostic *first_error(const struct build_report *build)
{
    for (size_t i = 0; i < build->diagnostics.count; i++)
        if (build->diagnostics.items[i].severity == SEVERITY_ERROR)
            return &build->diagnostics.items[i];
    return build->diagnostics.count ? &build->diagnostics.items[0] : NULL;
}

static void conclude_build(struct evaluation *e)
{
    const struct diagnostic *first = first_error(&e->verdict->build);

    if (first)
        verdict_conclude(e->verdict, OUTCOME_BUILD_FAILED, "line %u: %s", first->line, first->text);
    else
        verdict_conclude(e->verdict, OUTCOME_BUILD_FAILED, "the compiler rejected the source");
}

struct program_compiler *evaluation_compiler(const struct evaluation *e)
{
    const char *language = load_of(e).language;

    return language && language_of(language)->compiler ? e->options->executor.compiler : NULL;
}

bool evaluation_dispatch(const struct evaluation *e, size_t choice, size_t index,
                         struct dispatch *dispatch)
{
    struct error wrong;

    if (!resolve(e, choice, expectations_case(e->expectations, index), dispatch, &wrong))
        return true;
    dispatch_release(dispatch);
    return false;
}

/* Build the resolved plan into the evaluation's slot. */
static enum status build(struct evaluation *e, struct error *err)
{
    const struct executor_load load = load_of(e);
    struct executor_build made = {0};
    int64_t began_us = clock_now_us();
    enum status st = executor_load(e->executor, &load, &made, err);

    e->build_us += (double)(clock_now_us() - began_us);
    log_line("evaluation: a build took %.3f s", (double)(clock_now_us() - began_us) * 1e-6);
    if (st)
        return evaluation_absorb(e, st, err);
    build_report_release(&e->verdict->build);
    resource_list_release(&e->verdict->resources);
    e->verdict->build = made.report;
    e->verdict->resources = made.resources;
    if (!made.is_accepted)
        conclude_build(e);
    return STATUS_OK;
}

enum status evaluation_load(struct evaluation *e, size_t index, struct error *err)
{
    const struct expectations_case *shape = expectations_case(e->expectations, index);
    enum status st;

    evaluation_report(e, "building", 0, 0);
    evaluation_resolve(e, index);
    if (!is_open(e))
        return STATUS_OK;
    st = executor_set_tensors(e->executor, e->problem, &shape->graph, err);
    if (st)
        return evaluation_absorb(e, st, err);
    expectations_look_ahead(e->expectations); /* the last candidate's buffers have been let go */
    return build(e, err);
}

/* True if a GPU failed on one of several launches without naming it. */
static bool is_unnamed(const struct evaluation *e)
{
    return e->verdict->outcome == OUTCOME_CRASHED && !e->device->is_cpu &&
           e->dispatch.prepare.count + e->dispatch.launches.count > 1;
}

/*
 * Repeat the run in a new executor, launch by launch, to name the launch that fails. If none fails,
 * the verdict is not changed.
 */
static void name_culprit(struct evaluation *e, const struct inspection *in)
{
    const struct executor_load load = load_of(e);
    const struct executor_run run = {.slot = e->slot,
                                     .input_seed = in->input_seed,
                                     .with_prepare = true,
                                     .param_seed = in->param_seed,
                                     .stepwise = true};
    struct executor_build build = {0};
    struct error err;
    struct executor_times times = {0};
    enum status st = executor_set_tensors(e->executor, e->problem, &e->shape->graph, &err);

    if (!st)
        st = executor_load(e->executor, &load, &build, &err);
    if (!st && executor_run(e->executor, &run, &times, &err) &&
        executor_outcome(e->executor) == OUTCOME_CRASHED)
        verdict_conclude(e->verdict, OUTCOME_CRASHED, "%s", err.text);
    executor_build_release(&build);
}

enum status evaluation_run(struct evaluation *e, const struct inspection *in,
                           const struct executor_run *run, struct executor_times *times,
                           struct error *err)
{
    enum status st = executor_run(e->executor, run, times, err);

    if (!st)
        e->expected_us = times->span_us;
    if (!st)
        st = inspect_collect(in, err);
    st = evaluation_absorb(e, st, err);
    if (is_unnamed(e))
        name_culprit(e, in);
    return st;
}

enum status evaluation_place(struct evaluation *e, uint64_t param_seed, bool with_tensors,
                             struct error *err)
{
    const struct expectations_case *shape = expectations_case(e->expectations, EXPECTATIONS_MAIN);
    const struct executor_run run = {
        .slot = e->slot, .input_seed = param_seed, .with_prepare = true, .param_seed = param_seed};
    struct executor_times times = {0};
    enum status st = STATUS_OK;

    evaluation_resolve(e, EXPECTATIONS_MAIN);
    if (is_open(e) && with_tensors)
        st = executor_set_tensors(e->executor, e->problem, &shape->graph, err);
    if (!st && is_open(e))
        st = build(e, err);
    if (!st && is_open(e))
        st = executor_run(e->executor, &run, &times, err);
    e->expected_us = times.span_us;
    return evaluation_absorb(e, st, err);
}

enum status evaluation_keep(struct evaluation *e, uint64_t param_seed, struct error *err)
{
    const struct executor_load load = load_of(e);
    enum status st;

    evaluation_resolve(e, EXPECTATIONS_MAIN);
    if (!is_open(e) || !executor_may_keep(e->executor, &load))
        return STATUS_OK;
    st = evaluation_place(e, param_seed, true, err);
    if (!st && is_open(e))
        executor_keep(e->executor, &load);
    return st;
}

enum status evaluation_keep_build(struct evaluation *e, struct error *err)
{
    const struct executor_load load = load_of(e);
    enum status st;

    evaluation_resolve(e, EXPECTATIONS_MAIN);
    if (!is_open(e) || !executor_may_keep(e->executor, &load))
        return STATUS_OK;
    st = evaluation_load(e, EXPECTATIONS_MAIN, err);
    if (!st && is_open(e))
        executor_keep(e->executor, &load);
    return st;
}

unsigned evaluation_last_trial(const struct evaluation *e)
{
    return expectations_trials(e->expectations, EXPECTATIONS_MAIN) - 1;
}

enum status evaluation_inspection(struct evaluation *e, size_t index, unsigned trial,
                                  struct inspection *inspection, struct error *err)
{
    const struct expectation *expectation = NULL;
    int64_t began_us = clock_now_us();
    enum status st = expectations_take(e->expectations, index, trial, &expectation, err);

    e->oracle_us += (double)(clock_now_us() - began_us);
    if (st)
        return st;
    *inspection = (struct inspection){
        .executor = e->executor,
        .problem = e->problem,
        .dispatch = &e->dispatch,
        .shape = expectations_case(e->expectations, index),
        .param_seed = expectation->param_seed,
        .input_seed = expectation->input_seed,
        .expected = expectation,
        .seed_id = trial,
    };
    return STATUS_OK;
}

enum status evaluation_await(struct evaluation *e, struct error *err)
{
    const struct expectation *expectation;
    int64_t began_us = clock_now_us();
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < expectations_cases(e->expectations); i++)
        for (unsigned trial = 0; !st && trial < expectations_trials(e->expectations, i); trial++)
            st = expectations_take(e->expectations, i, trial, &expectation, err);
    e->oracle_us += (double)(clock_now_us() - began_us);
    return st;
}

enum status evaluation_secrets(struct evaluation *e, const struct expectation **secrets,
                               struct error *err)
{
    int64_t began_us = clock_now_us();
    enum status st = STATUS_OK;

    for (unsigned i = 0; !st && i < EXPECTATIONS_TIMED; i++)
        st = expectations_take_secret(e->expectations, i, &secrets[i], err);
    e->oracle_us += (double)(clock_now_us() - began_us);
    return st;
}

enum status evaluation_check_sampled_run(struct evaluation *e, const struct inspection *inspection,
                                         const struct sampled_run *sampled_run, struct error *err)
{
    struct inspection in = *inspection;
    struct expectation expected = {0};
    int64_t began_us = clock_now_us();
    enum status st;

    st = expectations_compute(e->expectations, sampled_run->input_seed, &expected, err);
    e->oracle_us += (double)(clock_now_us() - began_us);
    in.expected = &expected;
    in.input_seed = sampled_run->input_seed;
    in.outputs = sampled_run->outputs;
    in.is_timed = true;
    if (!st)
        st = inspect_outputs(&in, e->verdict, err);
    expectations_release(e->expectations, &expected);
    return st;
}

void evaluation_make_room(struct evaluation *e, const struct expectation *expected)
{
    if (!expected->deferred.data)
        executor_wipe(e->executor);
}

enum status evaluation_check_sample(struct evaluation *e, const struct inspection *inspection,
                                    const struct sampled_runs *sample, struct error *err)
{
    enum status st = STATUS_OK;

    if (e->verdict->outcome == OUTCOME_NONE)
        evaluation_make_room(e, inspection->expected);
    for (size_t i = 0; !st && i < sample->count && e->verdict->outcome == OUTCOME_NONE; i++) {
        st = evaluation_check_sampled_run(e, inspection, &sample->runs[i], err);
        sampled_run_rest(&sample->runs[i]);
    }
    return st;
}

enum status evaluation_run_trial(struct evaluation *e, const struct inspection *in,
                                 struct executor_times *times, struct error *err)
{
    const struct executor_run run = {.slot = e->slot,
                                     .input_seed = in->input_seed,
                                     .with_prepare = true,
                                     .param_seed = in->param_seed,
                                     .poison = in->poison};
    enum status st = evaluation_run(e, in, &run, times, err);

    return !st && is_open(e) ? inspect_run(in, e->verdict, err) : st;
}

struct provenance evaluation_provenance(const struct evaluation *e)
{
    struct provenance where = {
        .device = mem_strdup(e->device->name),
        .driver = mem_strdup(e->device->platform),
        .compiler = mem_strdup(e->device->compiler),
        .version = mem_strdup(KFORGE_VERSION),
        .source_sha256 = mem_alloc_zeroed(DIGEST_HEX_SIZE, 1),
    };
    struct utsname host;

    uname(&host);
    where.host = mem_strdup(host.nodename);
    digest_sha256(e->candidate->source, strlen(e->candidate->source), where.source_sha256);
    return where;
}

struct spent evaluation_spent(const struct evaluation *e, const struct executor_spent *before,
                              int64_t began_us)
{
    const struct executor_spent now = executor_spent(e->executor);
    double kernels_us = now.kernels_us - before->kernels_us;

    return (struct spent){
        .is_present = true,
        .total_ms = (double)(clock_now_us() - began_us) / 1000,
        .build_ms = (now.build_us - before->build_us) / 1000,
        .kernels_ms = kernels_us / 1000,
        .data_ms = (now.runs_us - before->runs_us - kernels_us) / 1000,
        .oracle_ms = e->oracle_us / 1000,
    };
}

void evaluation_release(struct evaluation *e)
{
    plan_release(&e->plan);
    dispatch_release(&e->dispatch);
    free(e->fault);
    free(e->program);
}
