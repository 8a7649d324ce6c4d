#include <stdlib.h>

#include "core/base/mem.h"
#include "core/session/store/catalog.h"
#include "tui/cli/session_run.h"

/* The id of the session that began last; the caller frees. */
static enum status find_latest(char **id, struct error *err)
{
    char **ids = NULL;
    size_t count = 0;
    enum status st = catalog_list(&ids, &count, err);

    if (!st && count == 0)
        st =
            error_set(err, STATUS_NOT_FOUND, "no session to resume: kforge run PROBLEM begins one");
    if (!st)
        *id = mem_strdup(ids[count - 1]); /* an id begins with the time */
    for (size_t i = 0; i < count; i++)
        free(ids[i]);
    free(ids);
    return st;
}

static enum exit_code resume(int argc, char **argv)
{
    struct run_options options;
    struct error err = {0};
    char *latest = NULL;
    enum exit_code code;

    if (run_options_parse(&options, resume_option_sets, argc, argv, &err) ||
        (!options.argument && find_latest(&latest, &err))) {
        code = command_fail(&err);
    } else {
        options.driver.resume = latest ? latest : options.argument;
        options.driver.changes_gate = options.has_policy;
        code = session_run(&options);
    }
    run_options_release(&options);
    free(latest);
    return code;
}

const struct command resume_command = {
    .name = "resume",
    .arguments = "[SESSION]",
    .options = resume_option_sets,
    .summary = "Continue a session where it stopped; the last one without SESSION.",
    .details = "The agent, the limits, the context and the budgets stay as the session began.  "
               "kforge fork\nmakes a session with other ones, from any step.",
    .exits = "as for kforge run",
    .run = resume,
};
