#include <stdio.h>
#include <stdlib.h>

#include "core/session/catalog.h"
#include "core/session/journal.h"
#include "core/session/session.h"
#include "tui/cli/command.h"

static enum status fold(void *data, const struct event *event, struct error *err)
{
    return session_apply(data, event, err);
}

static void print_session(const char *id)
{
    struct session session = {0};
    struct error err = {0};
    char *path = catalog_journal(id);
    const struct attempt *best;

    if (journal_read(path, fold, &session, &err)) {
        printf("%-20s %s\n", id, err.text);
    } else {
        best = session_attempt(&session, session.best);
        printf("%-20s %-16s %-16s %3zu attempts  ", id,
               session.problem_name ? session.problem_name : "-",
               session.agent ? session.agent : "-", session.attempts.count);
        if (best)
            printf("best %.4g us, %.2fx over reference", best->time.median_us, best->speedup);
        printf("%s\n", session.stage == STAGE_CLOSED ? "" : "  (open)");
    }
    session_release(&session);
    free(path);
}

static enum exit_code sessions(int argc, char **argv)
{
    char **ids = NULL;
    size_t count = 0;
    struct error err;

    (void)argv;
    if (argc > 1)
        return command_usage(&sessions_command);
    if (catalog_list(&ids, &count, &err)) {
        free(ids);
        return command_fail(&err);
    }
    for (size_t i = 0; i < count; i++) {
        print_session(ids[i]);
        free(ids[i]);
    }
    free(ids);
    return EXIT_CODE_IMPROVED;
}

const struct command sessions_command = {
    .name = "sessions",
    .synopsis = "",
    .summary = "List the sessions, the oldest first.",
    .run = sessions,
};
