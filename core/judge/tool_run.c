#include "core/judge/tool_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/judge/executor/compiled.h"
#include "core/judge/tools/kept_profile.h"
#include "core/judge/tools/ncu.h"
#include "core/judge/tools/ncu_run.h"
#include "core/judge/tools/oclgrind.h"
#include "core/judge/tools/sanitizer.h"
#include "core/judge/tools/tool.h"
#include "core/model/baseline_label.h"
#include "core/model/language.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "core/system/log.h"

/* Additional time limits: a tool is slow, because it repeats each kernel or checks each access. */
enum { TOOL_RUN_US = 30000000, GRACE_US = 30000000 };

enum { REPORT_MAX_BYTES = 64 << 20 };

/* A simulator interprets some ten million instructions in a second. */
enum { SIMULATED_ELEMENTS = 1 << 17 };

/* The arguments of a command line; all but the first are borrowed. */
struct words {
    const char **items;
    size_t count, capacity;
};

static void add_words(struct words *words, const char *const *more)
{
    for (; *more; more++)
        vec_push(words, *more);
}

/* How a candidate is run under a tool. */
struct tool_setup {
    const struct tool_turns *turns;
    const char *const *tool; /* command line, ends with NULL */
    const char *device;      /* id of the device there; NULL: that of the candidate */
    size_t dims;             /* case of the expectations whose dimensions it runs at */
    bool leaves_memory;      /* buffers are not poisoned */
    bool prepares_stepwise;  /* the tool examines the prepare launches too */
};

/*
 * Options of an executor that is started by the tool. They borrow from `words`.
 */
static struct executor_options options_under(const struct evaluation *e,
                                             const struct tool_setup *setup, struct words *words,
                                             char **program)
{
    struct executor_options options = e->options->executor;

    *program = realpath(options.argv[0], NULL); /* "/proc/self/exe" would be the tool itself */
    add_words(words, setup->tool);
    vec_push(words, *program ? *program : options.argv[0]);
    add_words(words, options.argv + 1);
    vec_push(words, "--under-tool");
    vec_push(words, NULL);
    options.argv = words->items;
    options.device = setup->device ? setup->device : e->device->id;
    options.run_limit_us += TOOL_RUN_US;
    options.grace_us = GRACE_US;
    options.leaves_memory = setup->leaves_memory;
    return options;
}

static double seconds(int64_t us)
{
    return (double)us * 1e-6;
}

static enum status run_printing(const struct evaluation *e, const struct executor_run *run,
                                struct strbuf *printed, struct error *err)
{
    struct executor_times times = {0};
    enum status st = executor_run(e->executor, run, &times, err);

    executor_add_printed(e->executor, printed);
    return st;
}

static enum status take(const struct tool_setup *setup, enum device_work work, struct error *err)
{
    return setup->turns->take(setup->turns->data, work, err);
}

/* Start the executor under the tool, load the candidate, and run its prepare launches. */
static enum status make_ready(struct evaluation *e, const struct tool_setup *setup,
                              struct strbuf *printed, struct error *err)
{
    const struct executor_run prepare = {
        .slot = e->slot, .with_prepare = true, .without_launches = true};
    const struct device_info *device;
    enum status st = take(setup, DEVICE_HOST, err);

    if (!st)
        st = executor_device(e->executor, &device, err);
    if (!st)
        st = take(setup, DEVICE_RUNS, err);
    if (!st)
        st = evaluation_load(e, setup->dims, err);
    if (!st && e->verdict->outcome != OUTCOME_NONE)
        st = error_set(err, STATUS_INVALID, "%s", e->verdict->detail);
    if (!st && !setup->prepares_stepwise)
        st = run_printing(e, &prepare, printed, err);
    return st;
}

/*
 * Run the plan's prepare launches, then its launches. The data may be made from any seed. The
 * device is free again at the end, when the tool writes its report.
 */
static enum status run_once(struct evaluation *e, const struct tool_setup *setup,
                            struct strbuf *printed, struct error *err)
{
    const struct executor_run run = {
        .slot = e->slot, .with_prepare = setup->prepares_stepwise, .stepwise = true};
    int64_t began_us = clock_now_us(), ready_us, alone_us;
    enum status st = make_ready(e, setup, printed, err);

    ready_us = clock_now_us();
    if (!st)
        st = take(setup, DEVICE_TOOLS, err);
    alone_us = clock_now_us();
    if (!st)
        st = run_printing(e, &run, printed, err);
    log_line("tool: ready after %.3f s, waited %.3f s, ran %.3f s", seconds(ready_us - began_us),
             seconds(alone_us - ready_us), seconds(clock_now_us() - alone_us));
    return st ? st : take(setup, DEVICE_HOST, err);
}

/*
 * Run the candidate under a tool. `printed` receives what the process printed, and `why` the reason
 * of a failure; only a cancellation is returned.
 */
static enum status run_under(const struct evaluation *e, const struct tool_setup *setup,
                             struct strbuf *printed, struct error *why)
{
    struct words words = {0};
    char *program = NULL;
    struct executor_options options = options_under(e, setup, &words, &program);
    struct verdict own = {0};
    struct evaluation under = *e;
    enum status st;

    under.executor = executor_new(&options);
    under.verdict = &own;
    under.dispatch = (struct dispatch){0};
    st = run_once(&under, setup, printed, why);
    executor_free(under.executor);
    dispatch_release(&under.dispatch);
    verdict_release(&own);
    free(program);
    vec_release(&words);
    return st == STATUS_CANCELLED ? st : STATUS_OK;
}

/*
 * Find a program. Returns false with the reason in `*missing` if it is not installed, or if `tool`
 * is NULL as there is none for this device.
 */
static bool find_tool(const struct evaluation *e, const char *tool, char **path, char **missing)
{
    struct error err;

    if (!tool)
        error_set(&err, STATUS_UNAVAILABLE, "there is no such tool for %s, which runs %s",
                  e->device->id, language_of(e->device->language)->title);
    else if (!tool_find(tool, path, &err))
        return true;
    *missing = mem_strdup(err.text);
    return false;
}

/* The text of a tool's file; empty if there is none. */
static char *read_report(const char *path)
{
    struct strbuf text = {0};

    if (file_read(path, REPORT_MAX_BYTES, &text, NULL))
        strbuf_release(&text);
    return strbuf_take(&text);
}

/* Takes `ncu`, the program's path. */
static enum status run_ncu(const struct evaluation *e, const struct tool_turns *turns, char *ncu,
                           struct profile *profile, struct error *err)
{
    const struct candidate *candidate = e->candidate;
    struct error why = {.text = "ncu wrote no report"};
    struct strbuf metrics = {0}, printed = {0};
    const char *words[NCU_RUN_WORDS];
    struct ncu_run run;
    enum status st = ncu_run_begin(&run, ncu, language_of(candidate->language)->source_file,
                                   candidate->source, err);

    if (!st) {
        ncu_list_metrics(&metrics);
        ncu_run_command(&run, strbuf_cstr(&metrics), words);
        st = run_under(e, &(struct tool_setup){.turns = turns, .tool = words}, &printed, &why);
        if (st)
            *err = why;
        else
            ncu_run_read(&run, &why, profile);
    }
    strbuf_release(&metrics);
    strbuf_release(&printed);
    ncu_run_release(&run);
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

static enum status profile_with_ncu(const struct evaluation *e, const struct tool_turns *turns,
                                    struct profile *profile, struct error *err)
{
    bool can_keep = compiled_can_keep(&(struct compiled_source){.text = e->candidate->source});
    char *ncu = NULL;
    struct json *dispatch;
    struct profiled_code code;
    enum status st = STATUS_OK;

    profile->is_present = true;
    if (!find_tool(e, language_of(e->device->language)->has_nvidia_tools ? "ncu" : NULL, &ncu,
                   &profile->missing)) {
        profile->source = mem_strdup("ncu");
        return STATUS_OK;
    }
    dispatch = encode_main_dispatch(e);
    code = (struct profiled_code){e->device, e->problem, e->candidate->language,
                                  e->candidate->source, dispatch};
    if (can_keep && kept_profile_recall(&code, profile)) {
        free(ncu);
    } else {
        profile->source = mem_strdup("ncu");
        st = run_ncu(e, turns, ncu, profile, err);
        if (can_keep)
            kept_profile_keep(&code, profile);
    }
    json_free(dispatch);
    return st;
}

/* A sanitizer's path, and the turns on the device. Borrowed. */
struct sanitizer_run {
    const char *program;
    const struct tool_turns *turns;
};

/* A tool that ran has written at least one line. */
static void read_findings(const char *log, const struct error *why, struct sanitizing *sanitizing)
{
    sanitizer_read(log, sanitizing);
    if (!*log)
        sanitizing->missing =
            mem_strdup(*why->text ? why->text : "compute-sanitizer wrote no report");
}

/* Run compute-sanitizer, which writes a file. */
static enum status sanitize_on_gpu(const struct evaluation *e, const struct sanitizer_run *tool,
                                   struct sanitizing *sanitizing, struct error *err)
{
    char *folder = tool_folder_new(err), *log, *report;
    struct strbuf printed = {0};
    struct error why = {0};
    enum status st;

    if (!folder)
        return STATUS_IO;
    log = file_join(folder, "log");
    {
        const char *const argv[] = {tool->program, "--tool", sanitizing->tool,
                                    "--log-file",  log,      NULL};
        const struct tool_setup setup = {.turns = tool->turns,
                                         .tool = argv,
                                         .leaves_memory =
                                             strcmp(sanitizing->tool, "initcheck") == 0,
                                         .prepares_stepwise = true};

        st = run_under(e, &setup, &printed, &why);
    }
    report = read_report(log);
    if (st)
        *err = why;
    else
        read_findings(report, &why, sanitizing);
    free(report);
    free(log);
    strbuf_release(&printed);
    tool_folder_free(folder);
    return st;
}

static int64_t count_elements(const struct graph *graph)
{
    int64_t count = 0;

    for (size_t i = 0; i < graph->values.count; i++)
        count += shape_elements(&graph->values.items[i].shape);
    return count;
}

/*
 * The dimensions to simulate: the largest ones that take seconds and not minutes, else the smallest
 * that the candidate was verified at.
 */
static size_t choose_dims(const struct evaluation *e)
{
    size_t chosen = EXPECTATIONS_MAIN;
    int64_t elements = count_elements(&expectations_case(e->expectations, chosen)->graph);

    for (size_t i = 0; i < expectations_cases(e->expectations); i++) {
        int64_t here = count_elements(&expectations_case(e->expectations, i)->graph);
        bool is_quick = here <= SIMULATED_ELEMENTS;

        if (elements > SIMULATED_ELEMENTS ? here < elements : is_quick && here > elements) {
            chosen = i;
            elements = here;
        }
    }
    return chosen;
}

/* The simulator shares a process with the kernel, and some versions crash on vectors. */
static char *explain_simulation(const struct error *why)
{
    struct strbuf text = {0};

    strbuf_addf(&text, "the simulation ended early, and the kernel may not be to blame: %s",
                why->text);
    return strbuf_take(&text);
}

/* Run oclgrind.  Its device takes the place of all others in its process. */
static enum status simulate(const struct evaluation *e, const struct sanitizer_run *tool,
                            struct sanitizing *sanitizing, struct error *err)
{
    struct oclgrind_command command = {0};
    struct words words = {0};
    struct strbuf printed = {0};
    struct tool_setup setup = {.turns = tool->turns,
                               .device = "",
                               .dims = choose_dims(e),
                               .leaves_memory = strcmp(sanitizing->tool, "initcheck") == 0,
                               .prepares_stepwise = true};
    struct error why = {0};
    enum status st;

    oclgrind_options(sanitizing->tool, e->device, &command);
    vec_push(&words, tool->program);
    add_words(&words, command.options);
    vec_push(&words, NULL);
    setup.tool = words.items;
    st = run_under(e, &setup, &printed, &why);
    free(sanitizing->dims);
    sanitizing->dims = mem_strdup(expectations_case(e->expectations, setup.dims)->text);
    oclgrind_read(strbuf_cstr(&printed), sanitizing);
    if (st)
        *err = why;
    else if (*why.text && !sanitizing->errors.count)
        sanitizing->missing = explain_simulation(&why);
    vec_release(&words);
    strbuf_release(&printed);
    return st;
}

static enum status sanitize(const struct evaluation *e, const struct tool_turns *turns,
                            const char *tool, struct sanitizing *sanitizing, struct error *err)
{
    const struct language *language = language_of(e->device->language);
    struct sanitizer_run run;
    char *program = NULL;
    enum status st;

    sanitizing->is_present = true;
    sanitizing->tool = mem_strdup(tool);
    if (!find_tool(e, language->sanitizer, &program, &sanitizing->missing))
        return STATUS_OK;
    sanitizing->program = mem_strdup(language->sanitizer);
    sanitizing->dims = mem_strdup(expectations_case(e->expectations, EXPECTATIONS_MAIN)->text);
    run = (struct sanitizer_run){program, turns};
    st = language->has_nvidia_tools ? sanitize_on_gpu(e, &run, sanitizing, err)
                                    : simulate(e, &run, sanitizing, err);
    free(program);
    return st;
}

/* True if the candidate is faster than the best one, so that the next change starts from it. */
static bool is_ahead(const struct verdict *verdict)
{
    const struct comparison *best = verdict_against(verdict, BASELINE_BEST);

    return !best || best->speedup > 1;
}

enum status tool_run_examine(const struct evaluation *e, const struct judge_tools *tools,
                             const struct tool_turns *turns, struct error *err)
{
    struct verdict *v = e->verdict;
    bool is_profiled =
        tools->profile && v->outcome == OUTCOME_CORRECT && (is_ahead(v) || !tools->skips_slower);
    bool is_built = v->build.is_present && v->outcome != OUTCOME_BUILD_FAILED;
    enum status st = STATUS_OK;

    if (is_profiled) {
        evaluation_report(e, "profiling", 0, 0);
        st = profile_with_ncu(e, turns, &v->profile, err);
    }
    if (!st && tools->sanitizer && is_built) {
        evaluation_report(e, "sanitizing", 0, 0);
        st = sanitize(e, turns, tools->sanitizer, &v->sanitizing, err);
    }
    return st;
}
