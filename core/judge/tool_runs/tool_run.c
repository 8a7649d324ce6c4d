#include "core/judge/tool_runs/tool_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/base/steadiness.h"
#include "core/judge/executor/compiled.h"
#include "core/judge/tool_runs/counter_run.h"
#include "core/judge/tool_runs/sanitizing_run.h"
#include "core/judge/tools/kept_profile.h"
#include "core/judge/tools/tool.h"
#include "core/model/baseline_label.h"
#include "core/model/language.h"

/* A run of a profiler on a candidate. */
struct profiling {
    const struct evaluation *e;
    const struct turn_taker *turns;
    bool without_lines;
    bool has_next; /* it is one of the candidates of a session */
    struct ncu_process **ahead;
};

/* Start a profiler. A failure is met again by the candidate that needs it. */
static void start_ahead(const struct ncu_process_spec *spec, struct ncu_process **ahead)
{
    struct error later;

    if (!ncu_process_new(spec, ahead, &later))
        tool_process_begin((*ahead)->process);
}

/* The first verdict of a session takes long enough for ncu to prepare itself. */
void tool_run_expect(const struct evaluation_context *context, const struct judge_tools *tools,
                     struct ncu_process **ahead)
{
    struct error missing;
    char *ncu = NULL;

    if (!*ahead && tools->profile && language_of(context->device->language)->has_nvidia_tools &&
        !tool_find("ncu", &ncu, &missing))
        start_ahead(&(struct ncu_process_spec){&context->options->executor, context->device->id,
                                               ncu, tools->skips_lines, true},
                    ahead);
    free(ncu);
}

/* The profiler that has been started, or one that has not. */
static enum status take_profiler(const struct profiling *profiling, const char *ncu,
                                 struct ncu_process **taken, struct error *err)
{
    const struct ncu_process_spec spec = {&profiling->e->options->executor,
                                          profiling->e->device->id, ncu, profiling->without_lines,
                                          false};

    *taken = *profiling->ahead;
    *profiling->ahead = NULL;
    if (*taken && (*taken)->run.without_lines == profiling->without_lines)
        return STATUS_OK;
    ncu_process_free(*taken);
    *taken = NULL;
    return ncu_process_new(&spec, taken, err);
}

/*
 * `ncu` is the path of the program. The next profiler starts while this one writes its report, when
 * the device is free.
 */
static enum status run_ncu(const struct profiling *profiling, const char *ncu,
                           struct profile *profile, struct error *err)
{
    const struct evaluation *e = profiling->e;
    const struct candidate *candidate = e->candidate;
    struct error why = {.text = "ncu wrote no report"};
    struct ncu_process *process = NULL;
    struct strbuf printed = {0};
    enum status st = take_profiler(profiling, ncu, &process, err);

    if (!st)
        st = ncu_run_write_source(&process->run, language_of(candidate->language)->source_file,
                                  candidate->source, err);
    if (!st) {
        st = under_tool_run(
            e, &(struct tool_setup){.turns = profiling->turns, .process = process->process},
            &printed, &why);
        if (st)
            *err = why;
    }
    if (!st) {
        if (profiling->has_next)
            start_ahead(&(struct ncu_process_spec){&e->options->executor, e->device->id, ncu,
                                                   profiling->without_lines, false},
                        profiling->ahead);
        ncu_process_end(process);
        ncu_run_read(&process->run, &why, profile);
    }
    strbuf_release(&printed);
    ncu_process_free(process);
    return st;
}

/* The plan as it is profiled, the caller's. */
static struct json *encode_main_dispatch(const struct evaluation *e)
{
    struct verdict aside = {0};
    struct evaluation own = *e;
    struct json *encoded;

    own.verdict = &aside;
    own.dispatch = (struct dispatch){0};
    evaluation_resolve(&own, EXPECTATIONS_MAIN);
    encoded = dispatch_encode(&own.dispatch);
    dispatch_release(&own.dispatch);
    verdict_release(&aside);
    return encoded;
}

static enum status profile_with_ncu(const struct profiling *profiling, struct profile *profile,
                                    struct error *err)
{
    const struct evaluation *e = profiling->e;
    bool can_keep = compiled_can_keep(&(struct compiled_source){.text = e->candidate->source});
    char *ncu = NULL;
    struct json *dispatch;
    struct profiled_code code;
    enum status st = STATUS_OK;

    profile->is_present = true;
    if (!under_tool_find(e, language_of(e->device->language)->has_nvidia_tools ? "ncu" : NULL, &ncu,
                         &profile->missing)) {
        profile->source = mem_strdup("ncu");
        return STATUS_OK;
    }
    dispatch = encode_main_dispatch(e);
    code = (struct profiled_code){e->device,
                                  e->problem,
                                  e->candidate->language,
                                  e->candidate->source,
                                  dispatch,
                                  profiling->without_lines};
    if (!can_keep || !kept_profile_recall(&code, profile)) {
        profile->source = mem_strdup("ncu");
        st = run_ncu(profiling, ncu, profile, err);
        if (can_keep)
            kept_profile_keep(&code, profile);
    }
    json_free(dispatch);
    free(ncu);
    return st;
}

/* Report the verdict before the profile is taken, because that takes longer than the evaluation. */
static void report_profiling(const struct evaluation *e)
{
    char stage[64], took[FORMAT_SIZE];

    snprintf(stage, sizeof(stage), "correct, %s; profiling",
             format_time(took, e->verdict->timing.time.median_us));
    evaluation_report(e, stage, 0, 0);
}

/* True if the candidate becomes the best one by its gain: the next change starts from it. */
static bool is_ahead(const struct verdict *verdict)
{
    const struct comparison *best = verdict_against(verdict, BASELINE_BEST);

    return !best || steadiness_is_gain(best->speedup);
}

/* Say why a candidate gets no profile. */
static void explain_skipped(const struct verdict *verdict, struct profile *profile)
{
    struct strbuf why = {0};
    char gain[FORMAT_SIZE];

    strbuf_addf(&why, "%s over the best is no gain, and the next change starts from the best",
                format_speedup(gain, verdict_against(verdict, BASELINE_BEST)->speedup));
    profile->missing = strbuf_take(&why);
    profile->is_present = true;
}

static enum status profile_candidate(const struct profiling *profiling, struct profile *profile,
                                     struct error *err)
{
    const struct evaluation *e = profiling->e;

    if (profiling->has_next && !is_ahead(e->verdict)) {
        explain_skipped(e->verdict, profile);
        return STATUS_OK;
    }
    report_profiling(e);
    return language_of(e->device->language)->has_counters
               ? counter_run(e, profiling->turns, profile, err)
               : profile_with_ncu(profiling, profile, err);
}

enum status tool_run_examine(const struct evaluation *e, const struct judge_tools *tools,
                             const struct turn_taker *turns, struct ncu_process **ahead,
                             struct error *err)
{
    struct verdict *v = e->verdict;
    bool is_built = v->build.is_present && v->outcome != OUTCOME_BUILD_FAILED;
    enum status st = STATUS_OK;

    if (tools->profile && v->outcome == OUTCOME_CORRECT)
        st = profile_candidate(
            &(struct profiling){e, turns, tools->skips_lines, tools->skips_slower, ahead},
            &v->profile, err);
    if (!st && tools->sanitizer && is_built) {
        evaluation_report(e, "sanitizing", 0, 0);
        st = sanitizing_run(e, &(struct sanitizer_choice){tools->sanitizer, turns}, &v->sanitizing,
                            err);
    }
    return st;
}
