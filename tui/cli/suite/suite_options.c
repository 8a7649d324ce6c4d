#include "tui/cli/suite/suite_options.h"

#include "core/base/vec.h"
#include "core/suite/suite.h"
#include "tui/cli/problem_file.h"
#include "tui/cli/worker_options.h"

static enum status take_problem(void *field, const char *text, struct error *err)
{
    struct suite_options *options = field;

    (void)err;
    vec_push(&options->problems, text);
    return STATUS_OK;
}

#define AT(field) offsetof(struct suite_options, field)

static const struct option_row own_options[] = {
    {.name = "problems",
     .value = "PATTERN",
     .help = "problems, instead of FILE: a name, a file or a pattern; arguments add more",
     .kind = OPTION_CUSTOM,
     .take = take_problem},
    {.name = "repeats",
     .value = "N",
     .help = "run each problem N times",
     .kind = OPTION_COUNT,
     .offset = AT(repeats),
     .most = SUITE_MOST_REPEATS},
    {.name = "name",
     .value = "NAME",
     .help = "the suite's name",
     .kind = OPTION_TEXT,
     .offset = AT(name)},
    {.name = "policy",
     .value = "auto|guided|manual|FILE",
     .help = "who decides: auto accepts everything, FILE has rules (FORMATS.md); steps that wait\n"
             "for you are in the inbox",
     .kind = OPTION_TEXT,
     .offset = AT(policy)},
    {.name = "ablate",
     .value = "PART,...",
     .help = "add arms without these parts: analyst, profile, reference",
     .kind = OPTION_TEXT,
     .offset = AT(ablate)},
    {.name = "reference",
     .value = "FILE",
     .help = "give the model the implementation in FILE, in any language, to port",
     .kind = OPTION_TEXT,
     .offset = AT(run.driver.reference)},
    {.name = "headless",
     .help = "print lines instead of opening the screen, even on a terminal",
     .kind = OPTION_FLAG,
     .offset = AT(run.screen.headless)},
    {.name = "theme",
     .value = "NAME",
     .help = "the colours of the screen",
     .kind = OPTION_TEXT,
     .offset = AT(run.screen.theme)},
    {.name = "keys",
     .value = "FILE",
     .help = "play a key script on the screen",
     .kind = OPTION_TEXT,
     .offset = AT(run.screen.keys)},
    {.name = "detach",
     .help = "run the suite in the background, and return at once",
     .kind = OPTION_FLAG,
     .offset = AT(detach)},
    {.name = "jobs",
     .value = "N",
     .help = "run N sessions at once on each device; by default one with the built-in agent, and\n"
             "up to 16 with models",
     .kind = OPTION_COUNT,
     .offset = AT(jobs),
     .most = SUITE_MOST_JOBS},
    {.name = "on",
     .value = "here|slurm[:OPTIONS]|ssh:HOST,HOST",
     .help = "where the tasks run: on this machine, as array jobs of Slurm with these options of\n"
             "sbatch, or with workers on hosts",
     .kind = OPTION_TEXT,
     .offset = AT(on)},
    {.name = "order",
     .value = "round-robin|shortest",
     .help = "which task a device gets next: in turn, or the one with the shortest expected time\n"
             "(the mean of ended tasks)",
     .kind = OPTION_TEXT,
     .offset = AT(order)},
    {.name = "session",
     .value = "ID",
     .help = "for task: the id of the session to begin or resume",
     .kind = OPTION_TEXT,
     .offset = AT(session)},
    {.name = "json",
     .help = "print the events of the suite's journal, or the report, as JSON",
     .kind = OPTION_FLAG,
     .offset = AT(as_json)},
    {.name = "csv",
     .help = "print the tasks of the report as a table in CSV",
     .kind = OPTION_FLAG,
     .offset = AT(as_csv)},
    {.name = "markdown",
     .help = "print the report as Markdown",
     .kind = OPTION_FLAG,
     .offset = AT(as_markdown)},
    {.name = "svg",
     .value = "FILE",
     .help = "write the report's curves and speedups into FILE as a picture",
     .kind = OPTION_TEXT,
     .offset = AT(svg)},
    {0},
};

const struct option_set suite_option_sets[] = {
    {own_options, 0},
    {session_options, AT(run)},
    {tolerance_option, AT(run.tolerance)},
    {worker_options, AT(run.driver.evaluator)},
    {0},
};

enum status suite_options_parse(struct suite_options *options, const char **verb, int argc,
                                char **argv, struct error *err)
{
    struct arguments arguments = {argc, argv};
    enum status st;

    *options = (struct suite_options){.run.driver = {.agent = "builtin", .limits = limits_default}};
    st = command_parse(&suite_command, options, &arguments, err);
    *verb = !st && arguments.count > 0 ? arguments.items[0] : NULL;
    if (*verb) {
        options->arguments = arguments.items + 1;
        options->argument_count = (size_t)arguments.count - 1;
    }
    return st;
}

enum status suite_options_id(const struct suite_options *options, const char **id,
                             struct error *err)
{
    *id = options->argument_count ? options->arguments[0] : NULL;
    return options->argument_count > 1 ? command_expects(&suite_command, err) : STATUS_OK;
}

void suite_options_release(struct suite_options *options)
{
    run_options_release(&options->run);
    vec_release(&options->problems);
}
