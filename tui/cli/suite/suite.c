#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "tui/cli/suite/report_data.h"
#include "tui/cli/suite/report_text.h"
#include "tui/cli/suite/suite_new.h"
#include "tui/cli/suite/suite_options.h"
#include "tui/cli/suite/suite_task.h"
#include "tui/cli/suite/suite_work.h"

static enum exit_code run_new(const struct suite_options *options)
{
    struct suite suite = {0};
    struct suite_store store = {0};
    enum exit_code code;
    struct error err;

    if (suite_new(&suite, options, &err) || suite_store_make(&store, &suite, &err))
        code = command_fail(&err);
    else
        code = suite_work(&store, options);
    suite_store_close(&store);
    return code;
}

/* The id of a suite as the only argument; NULL: none, which means the latest suite. */
static enum status find_id(const struct suite_options *options, const char **id, struct error *err)
{
    *id = options->argument_count ? options->arguments[0] : NULL;
    return options->argument_count > 1 ? command_expects(&suite_command, err) : STATUS_OK;
}

static enum exit_code resume(const struct suite_options *options)
{
    struct suite_store store = {0};
    enum exit_code code;
    const char *id;
    struct error err;

    if (find_id(options, &id, &err) || suite_store_open(&store, id, true, &err))
        code = command_fail(&err);
    else
        code = suite_work(&store, options);
    suite_store_close(&store);
    return code;
}

static enum status check_forms(const struct suite_options *options, struct error *err)
{
    if (options->as_json + options->as_csv + options->as_markdown > 1)
        return error_set(err, STATUS_INVALID, "--json, --csv and --markdown: choose one of them");
    return STATUS_OK;
}

static void print_report(const struct suite_store *store, const struct suite_options *options)
{
    struct suite_report report;
    struct strbuf text = {0};

    suite_report_make(&report, store);
    if (options->as_json) {
        struct json *object = report_data_encode(&report);

        command_print_json(object);
        json_free(object);
    } else if (options->as_csv) {
        report_data_add_csv(&report, &text);
        fputs(strbuf_cstr(&text), stdout);
    } else {
        report_text_add(&report, options->as_markdown, &text);
        command_print("%s", strbuf_cstr(&text));
    }
    suite_report_release(&report);
    strbuf_release(&text);
}

static enum exit_code print_results(const struct suite_options *options)
{
    struct suite_store store = {0};
    enum exit_code code = EXIT_CODE_IMPROVED;
    const char *id;
    struct error err;

    if (check_forms(options, &err) || find_id(options, &id, &err) ||
        suite_store_open(&store, id, false, &err))
        code = command_fail(&err);
    else
        print_report(&store, options);
    suite_store_close(&store);
    return code;
}

static enum exit_code suite(int argc, char **argv)
{
    static const struct {
        const char *name;
        enum exit_code (*run)(const struct suite_options *options);
    } verbs[] = {
        {"run", run_new}, {"resume", resume}, {"report", print_results}, {"task", suite_task}};
    struct suite_options options;
    const char *verb;
    struct error err;
    enum exit_code code = EXIT_CODE_USAGE;
    enum status st = suite_options_parse(&options, &verb, argc, argv, &err);
    size_t i = 0;

    while (!st && i < COUNT(verbs) && (!verb || strcmp(verbs[i].name, verb) != 0))
        i++;
    if (!st && i == COUNT(verbs))
        st = command_expects(&suite_command, &err);
    code = st ? command_fail(&err) : verbs[i].run(&options);
    suite_options_release(&options);
    return code;
}

const struct command suite_command = {
    .name = "suite",
    .arguments = "run|resume|report|task [FILE|SUITE] ...",
    .options = suite_option_sets,
    .summary = "Run many problems, each with several arms, and repeat them.",
    .details =
        "run FILE      run the suite that FILE describes (FORMATS.md): problems, arms, repeats,\n"
        "              budgets.  An arm is a way of running a problem: agent, limits, device\n"
        "run --problems PATTERN...\n"
        "              the same without a file, with the options of one arm\n"
        "resume        go on where a suite was stopped or killed, and try what failed again;\n"
        "              without SUITE the latest one\n"
        "report        print the results so far: each task, each arm over all problems, and arms\n"
        "              compared; with --json, --csv or --markdown for programs and papers\n"
        "task          run the session of one task, for schedulers; with PID until that process "
        "ends\n\n"
        "Tasks with different devices run beside each other.  Their sessions are ordinary ones:\n"
        "kforge replay, review, fork and export work on them.",
    .exits = "0 all tasks ended, 2 usage or input, 4 the suite's budget is used up, 5 a task\n"
             "failed, or the disk, 6 steps wait for a decision, 130 interrupted; of task those of\n"
             "kforge run, and 6",
    .run = suite,
};
