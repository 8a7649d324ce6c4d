#include <stdlib.h>

#include "core/base/mem.h"
#include "core/session/recorded/recording.h"
#include "core/session/store/catalog.h"
#include "tui/cli/session_run.h"
#include "tui/screens/session_list.h"

/* The id of the session that began last and can be resumed; the caller frees. */
static enum status find_latest(char **id, struct error *err)
{
    struct session_list list = {0};
    enum status st = session_list_open(&list, err);

    while (!st && !*id && session_list_read(&list))
        if (list.items[list.count - 1].state == SESSION_OPEN && !list.items[list.count - 1].trouble)
            *id = mem_strdup(list.items[list.count - 1].id);
    if (!st && !*id)
        st = error_set(err, STATUS_NOT_FOUND,
                       list.count ? "no session is open: kforge fork SESSION STEP continues a "
                                    "closed one, kforge run PROBLEM begins one"
                                  : "no session to resume: kforge run PROBLEM begins one");
    session_list_release(&list);
    return st;
}

/* Nothing can be added to a recording. */
static enum status check_session(const char *name, struct error *err)
{
    char id[CATALOG_ID_SIZE];

    if (!catalog_find(name, id, NULL) || !recording_is_named(name))
        return STATUS_OK;
    return error_set(err, STATUS_INVALID,
                     "%s is a recording: kforge replay plays it, kforge fork %s STEP continues it "
                     "as a new session",
                     name, name);
}

static enum exit_code resume(int argc, char **argv)
{
    struct run_options options;
    struct error err = {0};
    char *latest = NULL;
    enum exit_code code;

    if (run_options_parse(&options, resume_option_sets, argc, argv, &err) ||
        (options.argument ? check_session(options.argument, &err) : find_latest(&latest, &err))) {
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
    .summary = "Continue a session where it stopped; without SESSION, the latest one that is open.",
    .details =
        "The agent, the limits, the context and the budgets are those of the session's start.\n"
        "kforge fork makes a session with other options, from any step.",
    .exits = "as for kforge run",
    .run = resume,
};
