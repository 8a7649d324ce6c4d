#include <stdlib.h>

#include "tui/cli/run_options.h"

/* The session's problem is described by a worker first where it is a PyTorch file. */
static enum exit_code run_file(struct run_options *options)
{
    const struct problem_file file = {options->driver.problem_path, options->tolerance,
                                      options->driver.evaluator};
    struct strbuf text = {0};
    struct error err;
    enum exit_code code;

    if (file.path && problem_file_read(&file, &text, &err)) {
        code = command_fail(&err);
    } else {
        options->driver.problem_text = file.path ? strbuf_cstr(&text) : NULL;
        code = run_session(options);
    }
    strbuf_release(&text);
    return code;
}

static enum exit_code run(int argc, char **argv)
{
    static const char usual[] = "linear_gelu";
    struct run_options options;
    char *path = NULL;
    struct error err;
    enum exit_code code;

    if (run_options_parse(&options, run_option_rows, argc, argv, &err)) {
        code = command_fail(&err);
    } else {
        /* On a screen without an argument, the first screen asks. */
        if (options.argument || !options.on_screen)
            path = problem_file_find(options.argument ? options.argument : usual);
        options.driver.problem_path = path ? path : options.argument;
        code = run_file(&options);
    }
    run_options_release(&options);
    free(path);
    return code;
}

const struct command run_command = {
    .name = "run",
    .synopsis = "[PROBLEM] " RUN_OPTIONS_SYNOPSIS,
    .summary = "Let the agents write a kernel and speed it up. Where no problem is named, the "
               "first screen\nasks for one; without a screen it is linear_gelu.",
    .details = PROBLEM_DETAILS
    "It can also be the name of a problem that ships: softmax.\n\n"
    "Agents: builtin needs no model; openai and anthropic take their keys from OPENAI_API_KEY\n"
    "and ANTHROPIC_API_KEY; command runs COMMAND with the prompt on its standard input; "
    "manual\n"
    "writes prompts to files and the clipboard, and waits for replies as files; recorded "
    "gives\n"
    "the replies of a recorded session again, in their order, or with recorded:strict:FOLDER\n"
    "only to the same prompts.\n\n"
    "Limits: --functional and --optimize count attempts until and after the first correct "
    "one,\n"
    "of which --attempts are asked for at the same time in each round, and the best goes on;\n"
    "--flat counts rounds in a row without a gain.\n\n"
    "Policies: auto asks nobody; guided asks before a candidate is kept and before advice is\n"
    "followed; manual asks at every step; a FILE of rules (FORMATS.md) decides by itself.\n"
    "On a screen and with --ask it is guided where none is given, else auto.\n\n"
    "--reference gives the model an implementation in FILE, in any language, to carry over.\n"
    "--context is how many tokens the model takes, prompt and reply together; what does not\n"
    "fit is shortened. It is known for the models in prompts/prices.json.\n\n"
    "--json prints the journal's events, a line each, and nothing else.",
    .exits =
        "0 faster than the first correct version, 1 correct but no faster or not kept,\n"
        "2 usage or input, also where nobody decides on a step, 3 nothing correct, 4 a budget\n"
        "is used up, 5 device, model or disk, 130 interrupted; a session that is left by then\n"
        "tells of what there is so far",
    .run = run,
};
