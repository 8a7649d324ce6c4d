#include "core/judge/tool_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/judge/tools/bottleneck.h"
#include "core/judge/tools/ncu.h"
#include "core/judge/tools/oclgrind.h"
#include "core/judge/tools/sanitizer.h"
#include "core/judge/tools/tool.h"
#include "core/model/baseline_label.h"
#include "core/model/language.h"
#include "core/system/file.h"

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

static enum status run_printing(const struct evaluation *e, const struct executor_run *run,
                                struct strbuf *printed, struct error *err)
{
    struct executor_times times = {0};
    enum status st = executor_run(e->executor, run, &times, err);

    executor_add_printed(e->executor, printed);
    return st;
}

/* Run the plan's prepare launches, then its launches. The data may be made from any seed. */
static enum status run_once(struct evaluation *e, const struct tool_setup *setup,
                            struct strbuf *printed, struct error *err)
{
    const struct executor_run prepare = {
        .slot = e->slot, .with_prepare = true, .without_launches = true};
    const struct executor_run run = {
        .slot = e->slot, .with_prepare = setup->prepares_stepwise, .stepwise = true};
    enum status st = evaluation_load(e, setup->dims, err);

    if (!st && e->verdict->outcome != OUTCOME_NONE)
        st = error_set(err, STATUS_INVALID, "%s", e->verdict->detail);
    if (!st && !setup->prepares_stepwise)
        st = run_printing(e, &prepare, printed, err);
    if (!st)
        st = run_printing(e, &run, printed, err);
    return st;
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

/* The path of ncu, and of its files. */
struct profiling {
    char *ncu, *folder, *log, *report, *source;
};

static struct profiling profiling_in(const struct evaluation *e, char *ncu, char *folder)
{
    return (struct profiling){
        .ncu = ncu,
        .folder = folder,
        .log = file_join(folder, "log"),
        .report = file_join(folder, "report.ncu-rep"),
        .source = file_join(folder, language_of(e->candidate->language)->source_file)};
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
    struct strbuf metrics = {0}, printed = {0};
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

        st = run_under(e, &(struct tool_setup){.tool = tool}, &printed, err);
    }
    strbuf_release(&metrics);
    strbuf_release(&printed);
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
    if (!find_tool(e, language_of(e->device->language)->has_nvidia_tools ? "ncu" : NULL, &ncu,
                   &profile->missing))
        return STATUS_OK;
    folder = tool_folder_new(err);
    if (!folder) {
        free(ncu);
        return STATUS_IO;
    }
    p = profiling_in(e, ncu, folder);
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

/* Run compute-sanitizer, which writes a file. */
static enum status sanitize_on_gpu(const struct evaluation *e, const char *program,
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
        const char *const argv[] = {program, "--tool", sanitizing->tool, "--log-file", log, NULL};
        const struct tool_setup setup = {.tool = argv,
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
static enum status simulate(const struct evaluation *e, const char *program,
                            struct sanitizing *sanitizing, struct error *err)
{
    struct oclgrind_command command = {0};
    struct words words = {0};
    struct strbuf printed = {0};
    struct tool_setup setup = {.device = "",
                               .dims = choose_dims(e),
                               .leaves_memory = strcmp(sanitizing->tool, "initcheck") == 0,
                               .prepares_stepwise = true};
    struct error why = {0};
    enum status st;

    oclgrind_options(sanitizing->tool, e->device, &command);
    vec_push(&words, program);
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

static enum status sanitize(const struct evaluation *e, const char *tool,
                            struct sanitizing *sanitizing, struct error *err)
{
    const struct language *language = language_of(e->device->language);
    char *program = NULL;
    enum status st;

    sanitizing->is_present = true;
    sanitizing->tool = mem_strdup(tool);
    if (!find_tool(e, language->sanitizer, &program, &sanitizing->missing))
        return STATUS_OK;
    sanitizing->program = mem_strdup(language->sanitizer);
    sanitizing->dims = mem_strdup(expectations_case(e->expectations, EXPECTATIONS_MAIN)->text);
    st = language->has_nvidia_tools ? sanitize_on_gpu(e, program, sanitizing, err)
                                    : simulate(e, program, sanitizing, err);
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
