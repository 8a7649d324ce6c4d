#include "core/judge/tool_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/judge/tools/bottleneck.h"
#include "core/judge/tools/ncu.h"
#include "core/judge/tools/sanitizer.h"
#include "core/judge/tools/tool.h"
#include "core/model/baseline_label.h"
#include "core/model/language.h"
#include "core/system/file.h"

/* Additional time limits: a tool is slow, because it repeats each kernel or checks each access. */
enum { TOOL_RUN_US = 30000000, GRACE_US = 30000000 };

enum { REPORT_MAX_BYTES = 64 << 20 };

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

/*
 * Options of an executor that is started by `tool`, a command line that ends with NULL. They borrow
 * from `words`.
 */
static struct executor_options options_under(const struct evaluation *e, const char *const *tool,
                                             struct words *words, char **program)
{
    struct executor_options options = e->options->executor;

    *program = realpath(options.argv[0], NULL); /* "/proc/self/exe" would be the tool itself */
    add_words(words, tool);
    vec_push(words, *program ? *program : options.argv[0]);
    add_words(words, options.argv + 1);
    vec_push(words, "--under-tool");
    vec_push(words, NULL);
    options.argv = words->items;
    options.device = e->device->id;
    options.run_limit_us += TOOL_RUN_US;
    options.grace_us = GRACE_US;
    return options;
}

/* Run the plan's prepare launches, then its launches. The data may be made from any seed. */
static enum status run_once(const struct evaluation *e, struct executor *executor,
                            bool prepares_stepwise, struct error *err)
{
    static const uint64_t seed = 1;
    const struct executor_load load = {e->slot, e->candidate->source, &e->dispatch};
    const struct executor_batch prepare = {.slot = e->slot,
                                           .input_seeds = &seed,
                                           .with_prepare = true,
                                           .param_seed = seed,
                                           .stepwise = prepares_stepwise};
    const struct executor_batch run = {
        .slot = e->slot, .input_seeds = &seed, .count = 1, .collect = 1, .stepwise = true};
    struct executor_build build = {0};
    double span_us = 0;
    struct executor_times times = {.spans_us = &span_us};
    enum status st = executor_set_tensors(executor, e->problem, &e->shape->graph, err);

    if (!st)
        st = executor_load(executor, &load, &build, err);
    if (!st)
        st = executor_run(executor, &prepare, &times, err);
    if (!st)
        st = executor_run(executor, &run, &times, err);
    executor_build_release(&build);
    return st;
}

/* How a candidate is run under a tool. */
struct tool_setup {
    const char *const *tool; /* command line, ends with NULL */
    bool leaves_memory;      /* buffers are not poisoned */
    bool prepares_stepwise;  /* the tool examines the prepare launches too */
};

/*
 * Run the candidate under a tool. `why` receives the reason of a failure; only a cancellation is
 * returned.
 */
static enum status run_under(const struct evaluation *e, const struct tool_setup *setup,
                             struct error *why)
{
    struct words words = {0};
    char *program = NULL;
    struct executor_options options = options_under(e, setup->tool, &words, &program);
    struct executor *executor;
    enum status st;

    options.leaves_memory = setup->leaves_memory;
    executor = executor_new(&options);
    st = run_once(e, executor, setup->prepares_stepwise, why);
    executor_free(executor);
    free(program);
    vec_release(&words);
    return st == STATUS_CANCELLED ? st : STATUS_OK;
}

/*
 * Find `tool`. Returns false with the reason in `*missing` if it is not installed or not for this
 * device.
 */
static bool find_tool(const struct evaluation *e, const char *tool, char **path, char **missing)
{
    struct error err;

    if (!language_of(e->device->language)->has_nvidia_tools)
        error_set(&err, STATUS_UNAVAILABLE, "%s examines CUDA kernels only, and %s runs %s", tool,
                  e->device->id, e->device->language);
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

/* The path of ncu, and of its files. */
struct profiling {
    char *ncu, *folder, *log, *report, *source;
};

static struct profiling profiling_in(char *ncu, char *folder)
{
    return (struct profiling){.ncu = ncu,
                              .folder = folder,
                              .log = file_join(folder, "log"),
                              .report = file_join(folder, "report.ncu-rep"),
                              .source = file_join(folder, "kernel.cu")};
}

static void profiling_release(struct profiling *p)
{
    tool_folder_free(p->folder);
    free(p->ncu);
    free(p->log);
    free(p->report);
    free(p->source);
}

static enum status collect(const struct evaluation *e, const struct profiling *p, struct error *err)
{
    struct strbuf metrics = {0};
    const char *source = e->candidate->source;
    enum status st = file_write(p->source, source, strlen(source), err);

    ncu_list_metrics(&metrics);
    if (!st) {
        const char *const tool[] = {p->ncu,
                                    "--log-file",
                                    p->log,
                                    "--export",
                                    p->report,
                                    "--profile-from-start",
                                    "off",
                                    "--clock-control",
                                    "none",
                                    "--metrics",
                                    strbuf_cstr(&metrics),
                                    "--section",
                                    "SourceCounters",
                                    "--import-source",
                                    "yes",
                                    "--source-folders",
                                    p->folder,
                                    NULL};

        st = run_under(e, &(struct tool_setup){.tool = tool}, err);
    }
    strbuf_release(&metrics);
    return st;
}

static enum status print_page(const struct profiling *p, const char *page, struct strbuf *text,
                              struct error *err)
{
    const char *const argv[] = {p->ncu, "--import",      p->report, "--csv",          "--page",
                                page,   "--print-units", "base",    "--print-source", "cuda,sass",
                                NULL};
    const char *const without_source[] = {argv[0], argv[1], argv[2], argv[3], argv[4],
                                          argv[5], argv[6], argv[7], NULL};

    return tool_run(strcmp(page, "source") == 0 ? argv : without_source, text, err);
}

/* The reason why there is no report: that in ncu's log, or else `err`. */
static char *explain(const struct profiling *p, const struct error *err)
{
    char *log = read_report(p->log), *why = ncu_find_error(log);

    free(log);
    return why ? why : mem_strdup(err->text);
}

static void read_pages(const struct profiling *p, struct error *err, struct profile *profile)
{
    struct strbuf raw = {0}, lines = {0};

    if (print_page(p, "raw", &raw, err) || !ncu_read_raw(strbuf_cstr(&raw), profile)) {
        profile->missing = explain(p, err);
        strbuf_release(&raw);
        return;
    }
    if (!print_page(p, "source", &lines, err))
        ncu_read_source(strbuf_cstr(&lines), profile);
    bottleneck_find(profile);
    profile->raw = strbuf_take(&raw);
    strbuf_release(&lines);
}

static enum status profile_with_ncu(const struct evaluation *e, struct profile *profile,
                                    struct error *err)
{
    struct error why = {.text = "ncu wrote no report"};
    struct profiling p;
    char *ncu = NULL, *folder;
    enum status st;

    profile->is_present = true;
    profile->source = mem_strdup("ncu");
    if (!find_tool(e, "ncu", &ncu, &profile->missing))
        return STATUS_OK;
    folder = tool_folder_new(err);
    if (!folder) {
        free(ncu);
        return STATUS_IO;
    }
    p = profiling_in(ncu, folder);
    st = collect(e, &p, &why);
    if (st)
        *err = why;
    else
        read_pages(&p, &why, profile);
    profiling_release(&p);
    return st;
}

/* A tool that ran has written at least one line. */
static void read_findings(const char *log, const struct error *why, struct sanitizing *sanitizing)
{
    sanitizer_read(log, sanitizing);
    if (!*log)
        sanitizing->missing =
            mem_strdup(*why->text ? why->text : "compute-sanitizer wrote no report");
}

static enum status sanitize(const struct evaluation *e, const char *tool,
                            struct sanitizing *sanitizing, struct error *err)
{
    struct error why = {0};
    char *program = NULL, *folder, *log, *report;
    enum status st;

    sanitizing->is_present = true;
    sanitizing->tool = mem_strdup(tool);
    if (!find_tool(e, "compute-sanitizer", &program, &sanitizing->missing))
        return STATUS_OK;
    folder = tool_folder_new(err);
    if (!folder) {
        free(program);
        return STATUS_IO;
    }
    log = file_join(folder, "log");
    {
        const char *const argv[] = {program, "--tool", tool, "--log-file", log, NULL};

        st = run_under(e,
                       &(struct tool_setup){.tool = argv,
                                            .leaves_memory = strcmp(tool, "initcheck") == 0,
                                            .prepares_stepwise = true},
                       &why);
    }
    report = read_report(log);
    if (st)
        *err = why;
    else
        read_findings(report, &why, sanitizing);
    free(report);
    free(log);
    free(program);
    tool_folder_free(folder);
    return st;
}

/* True if the candidate is faster than the best one, so that the next change starts from it. */
static bool is_ahead(const struct verdict *verdict)
{
    const struct comparison *best = verdict_against(verdict, BASELINE_BEST);

    return !best || best->speedup > 1;
}

enum status tool_run_examine(const struct evaluation *e, const struct judge_tools *tools,
                             struct error *err)
{
    struct verdict *v = e->verdict;
    bool is_profiled =
        tools->profile && v->outcome == OUTCOME_CORRECT && (is_ahead(v) || !tools->skips_slower);
    bool is_built = v->build.is_present && v->outcome != OUTCOME_BUILD_FAILED;
    enum status st = STATUS_OK;

    if (is_profiled) {
        evaluation_report(e, "profiling", 0, 0);
        st = profile_with_ncu(e, &v->profile, err);
    }
    if (!st && tools->sanitizer && is_built) {
        evaluation_report(e, "sanitizing", 0, 0);
        st = sanitize(e, tools->sanitizer, &v->sanitizing, err);
    }
    return st;
}
