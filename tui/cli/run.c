#include <stdlib.h>

#include "core/model/language.h"
#include "core/session/recorded/recording.h"
#include "core/system/file.h"
#include "tui/cli/problem_file.h"
#include "tui/cli/session_run.h"

/*
 * Read a reference that is not a file: it names a session, whose best kernel is used. Appends the
 * reply. Languages may share the mark of a code block, so `*language` tells the kernel's.
 */
static enum status read_session(const char *name, struct strbuf *reply, const char **language,
                                struct error *err)
{
    struct recording recording = {0};
    const struct attempt *best;
    enum status st = recording_open(name, &recording, err);

    if (st)
        return error_set(err, STATUS_INVALID,
                         "--reference %s: there is no such file or session: check the path, or see "
                         "kforge sessions",
                         name);
    best = session_attempt(&recording.session, recording.session.now.best);
    if (best) {
        *language = language_of(best->language)->name;
        st = recording_text(&recording, best->candidate, reply, err);
    } else {
        st = error_set(err, STATUS_INVALID,
                       "--reference %s: the session kept no kernel: name another one, or a file",
                       name);
    }
    recording_release(&recording);
    return st;
}

static enum status find_reference(struct run_options *options, struct strbuf *reply,
                                  struct error *err)
{
    const char *name = options->driver.reference;
    enum status st = STATUS_OK;

    if (name && !file_exists(name))
        st = read_session(name, reply, &options->driver.reference_language, err);
    if (reply->len)
        options->driver.reference_text = strbuf_cstr(reply);
    return st;
}

static enum exit_code run(int argc, char **argv)
{
    static const char fallback[] = "linear_gelu";
    struct run_options options;
    struct strbuf reference = {0};
    char *path = NULL;
    struct error err;
    enum exit_code code;

    if (run_options_parse(&options, run_option_sets, argc, argv, &err) ||
        find_reference(&options, &reference, &err)) {
        code = command_fail(&err);
    } else {
        /* Without an argument the first screen asks for a problem. */
        if (options.argument || !options.on_screen)
            path = problem_file_find(options.argument ? options.argument : fallback);
        options.driver.problem_path = path ? path : options.argument;
        code = session_run_problem(&options);
    }
    run_options_release(&options);
    strbuf_release(&reference);
    free(path);
    return code;
}

const struct command run_command = {
    .name = "run",
    .arguments = "[PROBLEM]",
    .options = run_option_sets,
    .summary = "Let the agents write a kernel and speed it up. Without PROBLEM the first screen "
               "asks for\none; without a screen it is linear_gelu.",
    .details = PROBLEM_DETAILS
    "\n\nAgents:\n"
    "  builtin    needs no model\n"
    "  openai     takes its key from OPENAI_API_KEY\n"
    "  anthropic  takes its key from ANTHROPIC_API_KEY\n"
    "  command    runs COMMAND with the prompt on its standard input\n"
    "  manual     writes prompts to files and the clipboard, and waits for replies as files\n"
    "  recorded   repeats the replies of a recorded session in their order;\n"
    "             recorded:strict:FOLDER repeats a reply only for the same prompt\n\n"
    "Defaults: --agent builtin --functional 5 --optimize 12 --attempts 1 --flat 4.\n\n"
    "Policies: auto decides every step; guided asks you before a candidate is kept and before a\n"
    "recommendation is followed; manual asks you at every step; FILE has rules (FORMATS.md).\n"
    "Without --policy it is guided on a screen and with --ask, else auto.\n\n"
    "--json prints the events of the journal (FORMATS.md).",
    .exits = "0 faster than the first correct version, 1 correct but no faster or not kept,\n"
             "2 usage or input, or a step without a decision, 3 nothing correct, 4 a budget is\n"
             "used up, 5 device, model or disk, 130 interrupted; a session that you leave ends\n"
             "with the code of its result so far",
    .run = run,
};
