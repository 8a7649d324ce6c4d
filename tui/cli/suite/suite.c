#include <string.h>

#include "core/base/array.h"
#include "tui/cli/suite/suite_background.h"
#include "tui/cli/suite/suite_compare.h"
#include "tui/cli/suite/suite_new.h"
#include "tui/cli/suite/suite_options.h"
#include "tui/cli/suite/suite_results.h"
#include "tui/cli/suite/suite_status.h"
#include "tui/cli/suite/suite_task.h"
#include "tui/cli/suite/suite_work.h"

/* Run the suite: in this process, which prints lines, or in a background process. */
static enum exit_code work(struct suite_store *store, const struct suite_options *options)
{
    bool in_background = options->detach || suite_background_wants_screen(options);

    return in_background ? suite_background_run(store, options) : suite_work(store, options);
}

static enum exit_code run_new(const struct suite_options *options)
{
    struct suite suite = {0};
    struct suite_store store = {0};
    enum exit_code code;
    struct error err;

    if (suite_new(&suite, options, &err) || suite_store_make(&store, &suite, &err))
        code = command_fail(&err);
    else
        code = work(&store, options);
    suite_store_close(&store);
    return code;
}

static enum exit_code resume(const struct suite_options *options)
{
    struct suite_store store = {0};
    enum exit_code code;
    const char *id;
    struct error err;

    if (suite_options_id(options, &id, &err) || suite_store_open(&store, id, true, &err))
        code = command_fail(&err);
    else
        code = work(&store, options);
    suite_store_close(&store);
    return code;
}

static enum exit_code suite(int argc, char **argv)
{
    static const struct {
        const char *name;
        enum exit_code (*run)(const struct suite_options *options);
    } verbs[] = {{"run", run_new},
                 {"resume", resume},
                 {"open", suite_background_open},
                 {"status", suite_status_print},
                 {"report", suite_report_print},
                 {"compare", suite_compare_print},
                 {"task", suite_task}};
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
    .arguments = "run|resume|open|status|report|compare|task [FILE|SUITE] ...",
    .options = suite_option_sets,
    .summary = "Run many problems, each with several arms, and repeat them.",
    .details =
        "run FILE      run the suite that FILE describes (FORMATS.md): problems, arms, repeats,\n"
        "              budgets.  An arm is a set of session options: agent, limits, device\n"
        "run --problems PATTERN...\n"
        "              run a suite without a file; the options describe its only arm\n"
        "resume        continue a suite that was stopped or killed, and retry failed tasks;\n"
        "              without SUITE the latest one\n"
        "open          show a suite on the screen, running or not; without SUITE the latest one\n"
        "status        print the state of the tasks: which wait, run where, or have failed, and\n"
        "              why; works on any machine that sees the suite's folder\n"
        "report        print the results so far: each task, each arm over all problems, and a\n"
        "              comparison of the arms; for programs and papers with --json, --csv,\n"
        "              --markdown or --svg FILE\n"
        "compare OLD NEW\n"
        "              print what got worse or better from one suite to another, by problem and\n"
        "              arm with intervals.  OLD and NEW are suites, or files of report --json\n"
        "task SUITE NUMBER [PID]\n"
        "              run the session of one task, for schedulers; it is interrupted when the\n"
        "              process PID ends\n\n"
        "On a terminal run and resume open the screen, and the suite runs in the background:\n"
        "leaving the screen does not end the suite.  With --headless they print lines instead and\n"
        "run the suite themselves; with --detach they return at once.\n\n"
        "Tasks of different devices run in parallel.  Their sessions are ordinary ones: kforge\n"
        "replay, review, fork and export work on them.",
    .exits = "0 all tasks ended, 2 usage or input, 4 the suite's budget is used up, 5 a task or\n"
             "the disk failed, 6 steps wait for a decision, 130 interrupted; compare: 3 if\n"
             "something got worse; task: those of kforge run, and 6",
    .run = suite,
};
