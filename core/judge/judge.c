#include "core/judge/judge.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/steadiness.h"
#include "core/base/vec.h"
#include "core/judge/executor/program_compiler.h"
#include "core/judge/judge_state.h"
#include "core/judge/limits.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/roofs/roof_measure.h"
#include "core/judge/stats/stats.h"
#include "core/judge/task/capacity.h"
#include "core/judge/task/lint.h"
#include "core/judge/task/lint_cache.h"
#include "core/judge/timing/timing_step.h"
#include "core/judge/tool_runs/tool_run.h"
#include "core/judge/trials.h"
#include "core/judge/tune.h"
#include "core/model/baseline_label.h"
#include "core/model/language.h"
#include "core/model/problem_reader.h"
#include "core/system/clock.h"
#include "core/system/log.h"

struct judge *judge_new(const struct judge_options *options)
{
    struct judge *judge = mem_alloc_zeroed(1, sizeof(*judge));

    judge->options = *options;
    fill_digest(judge->draws);
    judge->options.executor.draws = judge->draws;
    if (options->compiler_argv)
        judge->options.executor.compiler = program_compiler_new(options->compiler_argv);
    judge->executor = executor_new(&judge->options.executor);
    judge->bridge = bridge_new(&(struct bridge_options){
        .argv = options->bridge_argv,
        .limit_us = options->executor.build_limit_us,
        .cancel = options->executor.cancel,
    });
    return judge;
}

/* Release the baselines first: they may be being compiled with data of the expectations. */
static void drop_problem(struct judge *judge)
{
    baselines_release(&judge->baselines);
    expectations_free(judge->expectations);
    judge->expectations = NULL;
    executor_wipe(judge->executor);
    executor_on_free(judge->executor, NULL, NULL);
    device_oracle_free(judge->device_oracle);
    judge->device_oracle = NULL;
    judge->is_prepared = false;
    problem_release(&judge->problem);
}

void judge_free(struct judge *judge)
{
    if (!judge)
        return;
    ncu_process_free(judge->profiler);
    device_oracle_free(judge->next_oracle);
    drop_problem(judge);
    executor_free(judge->executor);
    bridge_free(judge->bridge);
    program_compiler_free(judge->options.executor.compiler);
    device_turns_close(&judge->turns);
    free(judge->chosen);
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

    if (st)
        return st;
    if (!judge->device) {
        roof_measure_recall(opened, &judge->roofs);
        device_turns_open(&judge->turns, &judge->options, opened);
    }
    *device = judge->device = opened;
    *roofs = &judge->roofs;
    return STATUS_OK;
}

enum status judge_roofs(struct judge *judge, const struct device_info *device,
                        enum roofs_wanted wanted, struct roofs *roofs, struct error *err)
{
    bool is_known = roof_measure_recall(device, roofs);
    struct device_turns turns = {0};
    enum status st;

    if (wanted == ROOFS_KEPT || (wanted == ROOFS_ONCE && is_known) || device->is_untimed)
        return STATUS_OK;
    judge_report_measuring(judge);
    device_turns_open(&turns, &judge->options, device);
    st = device_turns_take(&turns, DEVICE_TIMED, &judge->began_us, err);
    if (!st)
        st = roof_measure_device(&judge->options.executor, device->id, roofs, err);
    device_turns_close(&turns);
    return st;
}

/* Computes the outputs of a PyTorch problem without a graph; NULL for other problems. */
static const struct oracle_evaluator *evaluator_of(const struct judge *judge,
                                                   const struct problem *problem)
{
    return problem->torch.source ? bridge_evaluator(judge->bridge) : NULL;
}

enum status judge_lint(struct judge *judge, struct problem *problem, const char *text,
                       struct hazard_list *findings, struct error *err)
{
    enum status st = bridge_is_needed(problem)
                         ? bridge_attach(judge->bridge, judge->device, problem, err)
                         : STATUS_OK;

    return st ? st : lint_cache_recall(problem, evaluator_of(judge, problem), text, findings, err);
}

/* PyTorch moves the model to the device while the first candidate is written and verified. */
static void make_baselines(struct judge *judge)
{
    const struct evaluation_context context = judge_context(judge);

    baselines_make(&judge->baselines, &context, judge->bridge);
    if (judge->problem.torch.source && !judge->options.without_baselines &&
        !judge->device->is_untimed)
        bridge_place_ahead(judge->bridge, judge->device, judge->problem.tolerance.allows_mixed);
}

/*
 * An interpreter is thousands of times slower than a device, so it makes few runs. It makes two at
 * the main size, because the main size gets varied data only if it has two data sets.
 */
static enum status make_expectations(struct judge *judge, const char *text, struct error *err)
{
    const unsigned trials = judge->device->is_untimed ? 2 : judge->options.trials;
    const struct expectations_options options = {
        .problem = &judge->problem,
        .text = text,
        .evaluator = evaluator_of(judge, &judge->problem),
        .trials = capacity_trials(&judge->problem, judge->device, trials, EXPECTATIONS_SECRETS),
        .unseen = judge->device->is_untimed ? 1 : judge->options.unseen,
        .device = judge_use_oracle(judge),
        .turns = judge->device->is_cpu || judge->device_oracle ? judge->turns.lock : NULL,
        .shares_cores = judge->device->is_cpu,
    };
    enum status st = capacity_check(options.problem, options.evaluator, judge->device, err);

    return st ? st : expectations_new(&options, &judge->expectations, err);
}

/* Attach the model of a PyTorch problem. A GPU may draw its inputs. */
static enum status attach_model(struct judge *judge, struct error *err)
{
    enum device_work work = bridge_is_needed(&judge->problem) ? DEVICE_RUNS : DEVICE_HOST;
    enum status st = judge_take_turn(judge, work, err);

    return st ? st : bridge_attach(judge->bridge, judge->device, &judge->problem, err);
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
    executor_empty(judge->executor); /* other judges may wait for the memory */
    st = judge_take_turn(judge, DEVICE_HOST, err);
    if (!st)
        st = problem_parse(&judge->problem, text, len, file, err);
    if (!st)
        st = judge_reserve_memory(judge, err);
    if (!st)
        st = attach_model(judge, err);
    if (!st)
        st = make_expectations(judge, text, err);
    if (st)
        drop_problem(judge);
    else
        make_baselines(judge);
    device_turns_rest(&judge->turns);
    return st;
}

static enum status conclude_correct(struct judge *judge, struct verdict *verdict, struct error *err)
{
    const struct comparison *strongest = verdict_strongest(verdict);
    const struct evaluation_context context = judge_context(judge);
    const struct limits limits = limits_of(&context);
    char own[FORMAT_SIZE], other[FORMAT_SIZE];
    enum status st = judge_find_limits(judge, verdict, err);

    verdict->strongest = strongest ? mem_strdup(strongest->name) : NULL;
    format_time(own, verdict->timing.time.median_us);
    if (limits_are_beaten(&limits, verdict))
        limits_conclude(verdict);
    else if (strongest)
        verdict_conclude(verdict, OUTCOME_CORRECT, "%s, %s over the strongest baseline%s (%s)%s",
                         own, format_speedup(other, strongest->speedup),
                         verdict->awaited.count ? " so far" : "", baseline_label(strongest->name),
                         steadiness_is_lost(strongest->speedup_low, strongest->speedup_high)
                             ? ", " UNSTEADY_WORD
                             : "");
    else
        verdict_conclude(verdict, OUTCOME_CORRECT, "%s", own);
    return st;
}

static enum status take_turn(void *judge, enum device_work work, struct error *err)
{
    return judge_take_turn(judge, work, err);
}

static enum status time_candidate(struct judge *judge, struct evaluation *e,
                                  const struct judge_request *request, struct error *err)
{
    const struct evaluation_context context = judge_context(judge);
    const struct turn_taker turns = {take_turn, judge};
    const struct timing_step step = {
        .scene = {&context,
                  request->candidate,
                  {[TIMING_BEST] = request->best, [TIMING_FIRST] = request->first}},
        .baselines = &judge->baselines,
        .turns = &turns,
        .began_us = judge->began_us,
    };

    return timing_step_take(&step, e, err);
}

/*
 * Wait for expected outputs without a turn on the device, which other judges may use meanwhile.  On
 * a CPU the oracle works in the turn of its judge.
 */
static enum status await_expected(struct judge *judge, struct evaluation *e, bool for_timing,
                                  struct error *err)
{
    const struct expectation *secrets[EXPECTATIONS_TIMED];
    int64_t began_us = clock_now_us();
    enum status st;

    if (judge->device->is_cpu)
        return STATUS_OK;
    st = judge_take_turn(judge, DEVICE_HOST, err);
    if (!st)
        st = for_timing ? evaluation_secrets(e, secrets, err) : evaluation_await(e, err);
    log_long("to await expected values", began_us);
    return st;
}

/* The next candidate is often another version of this one. */
static void remember_choice(struct judge *judge, const struct verdict *verdict)
{
    if (!verdict->tuning.chosen)
        return;
    free(judge->chosen);
    judge->chosen = mem_strdup(verdict->tuning.chosen);
}

/*
 * Add the findings of the task lint to the verdict. The lint of a large model may take longer than
 * the evaluation; meanwhile other judges use the device.
 */
static enum status repeat_lint(struct judge *judge, struct verdict *verdict, struct error *err)
{
    enum status st = judge->device->is_cpu ? STATUS_OK : judge_take_turn(judge, DEVICE_HOST, err);

    if (!st)
        lint_repeat(expectations_findings(judge->expectations), verdict);
    return st;
}

/* Nothing of the candidate has to be compiled any more. */
static void rest_compiler(struct judge *judge)
{
    if (judge->options.executor.compiler)
        program_compiler_rest(judge->options.executor.compiler);
}

/* Time a candidate that was verified, if the device gives times. */
static enum status time_verified(struct judge *judge, struct evaluation *e,
                                 const struct judge_request *request, struct error *err)
{
    struct verdict *verdict = e->verdict;
    enum status st;

    if (judge->device->is_untimed) {
        verdict_conclude(verdict, OUTCOME_CORRECT, "verified but not timed: %s gives no times",
                         judge->device->id);
        return STATUS_OK;
    }
    rest_compiler(judge);
    st = await_expected(judge, e, true, err);
    if (!st)
        st = judge_take_turn(judge, DEVICE_TIMED, err);
    judge_rest_oracle(judge);
    if (!st)
        st = time_candidate(judge, e, request, err);
    if (!st && verdict->outcome == OUTCOME_NONE)
        st = conclude_correct(judge, verdict, err);
    return st;
}

/*
 * Build before the verification. On a CPU this keeps the binary. On a GPU it loads the first case,
 * while the oracle computes expected outputs.
 */
static enum status build_ahead(struct evaluation *e, struct error *err)
{
    return e->device->is_cpu ? evaluation_keep_build(e, err) : trials_begin(e, err);
}

struct judge_step {
    const char *name;
    evaluation_step *take;
    enum device_work work;
};

/*
 * On a GPU, baselines are not compiled from the build on: meanwhile the GPU ends what they have
 * queued, which the timing would have to wait for, and the candidate's compiler has their cores.
 */
static bool must_pause(const struct judge *judge, const struct judge_step *step)
{
    const struct device_info *device = judge->device;

    return step->work == DEVICE_TIMED ||
           (!device->is_cpu && !device->is_untimed && step->take != evaluation_parse);
}

static enum status take_step(struct judge *judge, struct evaluation *e,
                             const struct judge_step *step, struct error *err)
{
    enum status st = STATUS_OK;

    baselines_pause(&judge->baselines, must_pause(judge, step));
    if (step->work != DEVICE_HOST)
        expectations_settle(judge->expectations);
    if (step->take == trials_verify)
        st = await_expected(judge, e, false, err);
    if (!st)
        st = judge_take_turn(judge, step->work, err);
    if (!st)
        st = step->take(e, err);
    log_line("evaluation: %s until %.3f s", step->name,
             (double)(clock_now_us() - judge->began_us) * 1e-6);
    return st;
}

static enum status evaluate(struct judge *judge, struct evaluation *e,
                            const struct judge_request *request, struct error *err)
{
    static const struct judge_step steps[] = {{"parsing", evaluation_parse, DEVICE_HOST},
                                              {"tuning", tune_candidate, DEVICE_TIMED},
                                              {"building", build_ahead, DEVICE_HOST},
                                              {"verifying", trials_verify, DEVICE_RUNS}};
    struct verdict *verdict = e->verdict;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && verdict->outcome == OUTCOME_NONE && i < COUNT(steps); i++) {
        if (steps[i].take == tune_candidate &&
            (plan_choices(&e->plan) < 2 || e->device->is_untimed))
            continue;
        st = take_step(judge, e, &steps[i], err);
    }
    baselines_pause(&judge->baselines,
                    !st && verdict->outcome == OUTCOME_NONE && !judge->device->is_untimed);
    if (!st && verdict->outcome == OUTCOME_NONE)
        st = time_verified(judge, e, request, err);
    return !st && verdict->trials.count ? repeat_lint(judge, verdict, err) : st;
}

/* Evaluate from the beginning. `verdict` is empty. */
static enum status attempt(struct judge *judge, struct evaluation *e,
                           const struct judge_request *request, struct verdict *verdict,
                           struct error *err)
{
    const struct evaluation_context context = judge_context(judge);

    executor_announce(judge->executor);
    timing_step_expect(judge->executor, request->best, request->first);
    executor_expect(judge->executor, request->candidate->language);
    baselines_begin(&judge->baselines);
    *e = evaluation_make(&context, SLOT_CANDIDATE, request->candidate, verdict);
    e->is_doubtful = executor_is_doubted(judge->executor);
    e->likely = judge->chosen;
    verdict->where = evaluation_provenance(e);
    return evaluate(judge, e, request, err);
}

/*
 * Evaluate once more, in a new process. The data of the timed runs are new, so a candidate that has
 * seen the old data gains nothing.
 */
static enum status attempt_again(struct judge *judge, struct evaluation *e,
                                 const struct judge_request *request, struct error *err)
{
    struct verdict *verdict = e->verdict;
    double oracle_us = e->oracle_us;
    enum status st;

    evaluation_release(e);
    verdict_release(verdict);
    executor_distrust(judge->executor);
    expectations_renew(judge->expectations);
    st = attempt(judge, e, request, verdict, err);
    e->oracle_us += oracle_us;
    return st;
}

/*
 * On a CPU buffers have guard zones and moats, but local memory has neither. Any candidate that
 * uses local memory, even a correct one, may have written beyond it.
 */
static void doubt_executor(struct judge *judge, const struct candidate *candidate,
                           const struct verdict *verdict)
{
    bool uses_local = false;

    for (size_t i = 0; i < verdict->resources.count; i++)
        uses_local |= verdict->resources.items[i].local_bytes > 0;
    if (uses_local && judge->device->is_cpu)
        executor_doubt(judge->executor);
    /* Its work may go on there, and would count as that of the next candidate. */
    if (verdict->outcome == OUTCOME_LAUNCH_FAILED && language_of(candidate->language)->has_runtime)
        executor_distrust(judge->executor);
}

enum status judge_evaluate(struct judge *judge, const struct judge_request *request,
                           struct verdict *verdict, struct error *err)
{
    const struct turn_taker turns = {take_turn, judge};
    enum status st = judge_prepare(judge, err);
    const struct evaluation_context context = judge_context(judge);
    struct executor_spent before;
    struct verdict made = {0};
    struct evaluation e;

    if (st)
        return st;
    if (!judge->expectations)
        return error_set(err, STATUS_INVALID, "no problem is loaded");
    before = executor_spent(judge->executor);
    judge->began_us = clock_now_us();
    tool_run_expect(&context, &request->tools, &judge->profiler);
    st = attempt(judge, &e, request, &made, err);
    if (!st && evaluation_may_be_innocent(&e))
        st = attempt_again(judge, &e, request, err);
    rest_compiler(judge);
    remember_choice(judge, &made);
    doubt_executor(judge, request->candidate, &made);
    if (!st)
        st = tool_run_examine(&e, &request->tools, &turns, &judge->profiler, err);
    device_turns_rest(&judge->turns);
    baselines_pause(&judge->baselines, false);
    if (!expectations_are_deferred(judge->expectations))
        executor_wipe(judge->executor); /* new pages for very large copies take seconds */
    expectations_renew(judge->expectations);
    made.spent = evaluation_spent(&e, &before, judge->began_us);
    made.spent.kernels_ms += judge->baselines.host_run_us / 1000;
    made.spent.data_ms += judge->baselines.host_data_us / 1000;
    evaluation_release(&e);
    if (st) {
        verdict_release(&made);
        return st;
    }
    *verdict = made;
    return STATUS_OK;
}
