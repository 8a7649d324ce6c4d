#include "core/judge/tool_runs/sanitizing_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/judge/tool_runs/under_tool.h"
#include "core/judge/tools/compiler_sanitizer.h"
#include "core/judge/tools/oclgrind.h"
#include "core/judge/tools/sanitizer.h"
#include "core/judge/tools/tool.h"
#include "core/model/language.h"
#include "core/system/file.h"

/* A simulator interprets some ten million instructions in a second. */
enum { SIMULATED_ELEMENTS = 1 << 17 };

/* A sanitizer's path, and the turns on the device. Borrowed. */
struct sanitizer_run {
    const char *program;
    const struct turn_taker *turns;
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
    char *folder = file_make_temporary_folder("kforge-tool-", err), *log, *report;
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

        st = under_tool_run(e, &setup, &printed, &why);
    }
    report = under_tool_read(log);
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
 * The dimensions to simulate: the largest ones that take seconds and not minutes; otherwise the
 * smallest that the candidate was verified at.
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
    under_tool_add(&words, command.options);
    vec_push(&words, NULL);
    setup.tool = words.items;
    st = under_tool_run(e, &setup, &printed, &why);
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

/* Build the candidate with the compiler's sanitizer, and run it once. */
static enum status check_build(const struct evaluation *e, const struct sanitizer_run *tool,
                               struct sanitizing *sanitizing, struct error *err)
{
    struct compiler_sanitizer command = {0};
    struct tool_setup setup = {.turns = tool->turns, .prepares_stepwise = true};
    struct strbuf printed = {0};
    struct error why = {0};
    const struct language *language = language_of(e->candidate->language);
    enum status st = compiler_sanitizer_prepare(tool->program, sanitizing->tool, &command, &why);

    if (!st && language->has_runtime && strcmp(sanitizing->tool, "memcheck") != 0)
        st = error_set(&why, STATUS_UNAVAILABLE,
                       "%s has memcheck only: its library is not built with ThreadSanitizer",
                       language->title);
    if (st) {
        compiler_sanitizer_release(&command);
        sanitizing->missing = mem_strdup(why.text);
        return STATUS_OK;
    }
    setup.tool = command.words;
    st = under_tool_run(e, &setup, &printed, &why);
    compiler_sanitizer_read(strbuf_cstr(&printed), sanitizing);
    if (st)
        *err = why;
    else if (*why.text && !sanitizing->errors.count)
        sanitizing->missing = mem_strdup(why.text);
    compiler_sanitizer_release(&command);
    strbuf_release(&printed);
    return st;
}

static const struct way {
    const char *sanitizer; /* as in the language's row */
    enum status (*run)(const struct evaluation *e, const struct sanitizer_run *tool,
                       struct sanitizing *sanitizing, struct error *err);
} ways[] = {
    {"compute-sanitizer", sanitize_on_gpu},
    {"oclgrind", simulate},
    {"gcc", check_build},
};

enum status sanitizing_run(const struct evaluation *e, const struct sanitizer_choice *choice,
                           struct sanitizing *sanitizing, struct error *err)
{
    const struct language *language = language_of(e->device->language);
    struct sanitizer_run run;
    char *program = NULL;
    enum status st = STATUS_OK;

    sanitizing->is_present = true;
    sanitizing->tool = mem_strdup(choice->tool);
    if (!under_tool_find(e, language->sanitizer, &program, &sanitizing->missing))
        return STATUS_OK;
    sanitizing->program = mem_strdup(language->sanitizer);
    sanitizing->dims = mem_strdup(expectations_case(e->expectations, EXPECTATIONS_MAIN)->text);
    run = (struct sanitizer_run){program, choice->turns};
    for (size_t i = 0; i < COUNT(ways); i++)
        if (strcmp(ways[i].sanitizer, language->sanitizer) == 0)
            st = ways[i].run(e, &run, sanitizing, err);
    free(program);
    return st;
}
