#include "tui/cli/suite/suite_task.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/session/state/engine.h"
#include "core/session/store/handed_decision.h"
#include "core/suite/suite_session.h"
#include "core/suite/suite_store.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "tui/cli/session_run.h"
#include "tui/cli/session_summary.h"

/* After a kill of the suite, the process that ran the session before needs a moment to end. */
static const int64_t patience_us = 120000000;
enum { GLANCE_US = 50000 };

/*
 * Be interrupted when the process that started this one ends, so that a session is not run by
 * nobody's wish.  That process may have ended before prctl().
 */
static enum status follow(const char *pid, struct error *err)
{
    unsigned parent = 0;
    enum status st = option_parse_count(pid, "PID", &parent, err);

    if (st)
        return st;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if ((unsigned)getppid() != parent)
        return error_set(err, STATUS_CANCELLED, "process %u, which runs the suite, has ended",
                         parent);
    return STATUS_OK;
}

static void wait_for_owner(const char *id)
{
    int64_t until_us = clock_now_us() + patience_us;
    char *path = catalog_journal(id);

    while (journal_owner(path) && clock_now_us() < until_us)
        usleep(GLANCE_US);
    free(path);
}

/* The state in which an earlier process left a session. */
enum remains {
    REMAINS_NOTHING,
    REMAINS_OPEN,
    REMAINS_ASKING, /* a step waits: for the engineer, unless a rule matches it */
    REMAINS_CLOSED,
};

/*
 * Look at the session of an earlier process.  If that ended before it loaded the problem, nothing
 * is lost by beginning again under the same id.
 */
static enum status look(const char *id, enum remains *remains, enum exit_code *code,
                        struct error *err)
{
    struct session session = {0};
    char *folder = catalog_folder(id);
    enum status st = suite_session_read(id, &session, err);

    *remains = REMAINS_NOTHING;
    if (!st && session.now.stage == STAGE_CLOSED)
        *remains = REMAINS_CLOSED;
    else if (!st && session_pending(&session) && engine_asks(&session))
        *remains = REMAINS_ASKING;
    else if (!st && session.problem[0])
        *remains = REMAINS_OPEN;
    else if (!st)
        file_remove_folder(folder);
    if (*remains == REMAINS_CLOSED)
        *code = session_exit_code(&session);
    session_release(&session);
    free(folder);
    return st == STATUS_NOT_FOUND ? STATUS_OK : st;
}

static int64_t in_us(double seconds)
{
    return (int64_t)(seconds * 1e6);
}

/* The options of `kforge run` for an arm. */
static enum status set_options(struct run_options *run, const struct suite_arm *arm,
                               struct error *err)
{
    run->driver.agent = arm->agent;
    run->driver.roles = suite_arm_roles(arm);
    run->driver.language = arm->language;
    run->driver.reference = arm->reference;
    run->driver.limits = arm->limits;
    run->driver.evaluator = (struct evaluator_options){
        .prefix = arm->worker,
        .device = arm->device,
        .build_limit_us = in_us(arm->build_limit),
        .run_limit_us = in_us(arm->run_limit),
        .tune_limit_us = in_us(arm->tune_limit),
        .timing_limit_us = in_us(arm->timing_limit),
        .tune_choices = arm->tune_choices,
    };
    run->takes_handed = true;
    return run_options_set_policy(run, arm->policy, err);
}

static enum exit_code run_session(const struct suite_store *store, size_t task,
                                  enum remains remains, struct error *err)
{
    struct suite_task at = suite_task_at(&store->suite, task);
    const struct suite_arm *arm = &store->suite.arms.items[at.arm];
    const char *path = store->suite.problems.items[at.problem];
    const char *id = store->state.tasks[task].session;
    struct run_options run = {0};
    enum exit_code code;

    if (set_options(&run, arm, err)) {
        code = command_fail(err);
    } else if (remains == REMAINS_ASKING && !run.driver.rules && !handed_decision_exists(id)) {
        code = EXIT_CODE_ASKS; /* no worker is needed to find that out */
    } else if (remains >= REMAINS_OPEN) {
        run.driver.resume = id;
        code = session_run(&run);
    } else {
        run.driver.id = id;
        run.driver.problem_path = path;
        run.tolerance = file_has_ending(path, ".py") ? arm->tolerance : NULL;
        code = session_run_problem(&run);
    }
    run_options_release(&run);
    return code;
}

/* Find the task that the arguments name. */
static enum status find_task(const struct suite_options *options, struct suite_store *store,
                             size_t *task, struct error *err)
{
    unsigned number = 0;
    size_t count = options->argument_count;
    enum status st = count < 2 || count > 3 ? command_expects(&suite_command, err) : STATUS_OK;

    if (!st && count == 3)
        st = follow(options->arguments[2], err);
    if (!st)
        st = option_parse_count(options->arguments[1], "NUMBER", &number, err);
    if (!st)
        st = suite_store_open(store, options->arguments[0], false, err);
    if (!st && (number < 1 || number > store->state.count))
        st = error_set(err, STATUS_INVALID, "suite %s has no task %u", store->id, number);
    else if (!st && !store->state.tasks[number - 1].session[0])
        st = error_set(err, STATUS_INVALID,
                       "task %u of suite %s has not begun: kforge suite resume %s", number,
                       store->id, store->id);
    *task = number ? number - 1 : 0;
    return st;
}

enum exit_code suite_task(const struct suite_options *options)
{
    struct suite_store store = {0};
    enum remains remains = REMAINS_NOTHING;
    enum exit_code code = EXIT_CODE_USAGE;
    struct error err;
    size_t task = 0;
    enum status st = find_task(options, &store, &task, &err);

    if (!st) {
        wait_for_owner(store.state.tasks[task].session);
        st = look(store.state.tasks[task].session, &remains, &code, &err);
    }
    if (st)
        code = command_fail(&err);
    else if (remains != REMAINS_CLOSED)
        code = run_session(&store, task, remains, &err);
    suite_store_close(&store);
    return code;
}
