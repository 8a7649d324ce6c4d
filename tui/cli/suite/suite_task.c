#include "tui/cli/suite/suite_task.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/session/state/engine.h"
#include "core/session/store/handed_decision.h"
#include "core/session/store/process_lease.h"
#include "core/suite/report/task_row.h"
#include "core/suite/suite_session.h"
#include "core/suite/suite_store.h"
#include "core/suite/task_record.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "tui/cli/session_run.h"
#include "tui/cli/session_summary.h"
#include "tui/screens/suite/task_session.h"

/*
 * The time to wait for an earlier process of this session: after a kill of the suite it needs a
 * moment to end.
 */
static const int64_t patience_us = 120000000;
enum { GLANCE_US = 50000 };

/*
 * Arrange that this process is interrupted when the process that started it ends, so that no
 * session continues without its suite. That process may already have ended before prctl().
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
    char *folder = catalog_folder(id);

    while (process_lease_find(folder).pid && clock_now_us() < until_us)
        usleep(GLANCE_US);
    free(folder);
}

/* The state of a session after an earlier process ran it. */
enum remains {
    REMAINS_NOTHING,
    REMAINS_OPEN,
    REMAINS_ASKING, /* a step waits for a decision, of the engineer unless a rule matches it */
    REMAINS_CLOSED,
};

/*
 * Find the state of the session. If an earlier process ended before it had loaded the problem, the
 * session begins again under the same id, and nothing is lost.
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

/* Set the options of `kforge run` for an arm. */
static enum status set_options(struct run_options *run, const struct suite_arm *arm,
                               struct error *err)
{
    run->driver.agent = arm->agent;
    run->driver.roles = suite_arm_roles(arm);
    run->driver.language = arm->language;
    run->driver.reference = arm->reference;
    run->driver.limits = arm->limits;
    run->driver.evaluator = task_session_evaluator(arm);
    run->takes_handed = true;
    return run_options_set_policy(run, arm->policy, err);
}

/* The task that this process runs. */
struct task {
    struct suite_store store;
    size_t index;
    char session[CATALOG_ID_SIZE];
    const char *worker; /* the prefix of a host's worker; NULL: the arm's own worker */
    bool is_recorded;   /* a scheduler runs this process, which therefore writes a record */
};

/* True if the other task has ended, and its arm also takes the first device of the same worker. */
static bool shares_device(const struct task *task, size_t other)
{
    const struct suite *suite = &task->store.suite;
    const struct suite_arm *own = &suite->arms.items[suite_task_at(suite, task->index).arm];
    const struct suite_arm *arm = &suite->arms.items[suite_task_at(suite, other).arm];
    const struct task_state *states = task->store.state.tasks;

    return states[other].phase == TASK_HAS_ENDED && !own->device && !arm->device &&
           text_equals(own->worker, arm->worker) &&
           text_equals(states[task->index].host, states[other].host);
}

/*
 * The device for an arm that names none: the one on which an earlier session of it has ended, so
 * that sessions do not move to another device if that one vanishes. NULL if no session has ended:
 * then it is the first device. The caller frees it.
 */
static char *find_device(const struct task *task)
{
    char *device = NULL;

    for (size_t i = 0; i < task->store.state.count && !device; i++) {
        struct session session = {0};

        if (!shares_device(task, i))
            continue;
        if (!suite_session_read(task->store.state.tasks[i].session, &session, NULL))
            device = mem_strdup(session.device);
        session_release(&session);
    }
    return device;
}

static enum exit_code run_session(const struct task *task, enum remains remains, struct error *err)
{
    const struct suite_store *store = &task->store;
    struct suite_task at = suite_task_at(&store->suite, task->index);
    const struct suite_arm *arm = &store->suite.arms.items[at.arm];
    const char *path = store->suite.problems.items[at.problem];
    const char *id = task->session;
    struct run_options run = {0};
    char *device = NULL;
    enum exit_code code;
    enum status st = set_options(&run, arm, err);

    if (task->worker)
        run.driver.evaluator.prefix = task->worker;
    if (st) {
        code = command_fail(err);
    } else if (remains == REMAINS_ASKING && !run.driver.rules && !handed_decision_exists(id)) {
        code = EXIT_CODE_ASKS; /* found without starting a worker */
    } else if (remains >= REMAINS_OPEN) {
        run.driver.resume = id;
        code = session_run(&run);
    } else {
        run.driver.id = id;
        run.driver.problem_path = path;
        device = find_device(task);
        if (device)
            run.driver.evaluator.device = device;
        run.tolerance = file_has_ending(path, ".py") ? arm->tolerance : NULL;
        code = session_run_problem(&run);
    }
    run_options_release(&run);
    return code;
}

/* Find a task that a suite's process began: the suite's journal has its session. */
static enum status find_begun(struct task *task, const char *suite, unsigned number,
                              struct error *err)
{
    const struct suite_state *state = &task->store.state;
    enum status st = suite_store_open(&task->store, suite, false, err);

    if (st)
        return st;
    if (number < 1 || number > state->count)
        return error_set(err, STATUS_INVALID, "suite %s has no task %u", task->store.id, number);
    if (!state->tasks[number - 1].session[0])
        return error_set(err, STATUS_INVALID,
                         "task %u of suite %s has not begun: kforge suite resume %s", number,
                         task->store.id, task->store.id);
    suite_store_session(&task->store, number - 1, task->session);
    return STATUS_OK;
}

/*
 * Find a scheduler's task. The id of its session follows from the suite's id, so the long journal
 * is not read.
 */
static enum status find_scheduled(struct task *task, const char *suite, unsigned number,
                                  const char *session, struct error *err)
{
    enum status st = suite_store_open_problems(&task->store, suite, err);

    if (st)
        return st;
    if (number < 1 || number > suite_task_count(&task->store.suite))
        return error_set(err, STATUS_INVALID, "suite %s has no task %u", suite, number);
    snprintf(task->session, sizeof(task->session), "%s", session);
    task->is_recorded = true;
    return STATUS_OK;
}

/* Find the task that the arguments name. */
static enum status find_task(const struct suite_options *options, struct task *task,
                             struct error *err)
{
    unsigned number = 0;
    size_t count = options->argument_count;
    enum status st =
        count < 2 || count > 3
            ? error_set(err, STATUS_INVALID,
                        "suite task: expected SUITE NUMBER [PID]: see kforge suite --help")
            : STATUS_OK;

    if (!st && count == 3)
        st = follow(options->arguments[2], err);
    if (!st)
        st = option_parse_count(options->arguments[1], "NUMBER", &number, err);
    if (!st)
        st = options->session
                 ? find_scheduled(task, options->arguments[0], number, options->session, err)
                 : find_begun(task, options->arguments[0], number, err);
    task->index = number ? number - 1 : 0;
    return st;
}

/* Run the session, or continue it where an earlier process stopped. */
static enum exit_code run_task(const struct task *task, struct error *err)
{
    enum remains remains = REMAINS_NOTHING;
    enum exit_code code = EXIT_CODE_USAGE;

    wait_for_owner(task->session);
    if (look(task->session, &remains, &code, err))
        return command_fail(err);
    if (remains != REMAINS_CLOSED)
        code = run_session(task, remains, err);
    task_row_keep(&task->store, task->index, task->session);
    return code;
}

/*
 * Block signals, so that this process can always write its record: a scheduler may send a second
 * signal while the process ends after the first. The session still reads blocked signals
 * (signals.h).
 */
static void hold_signals(sigset_t *held)
{
    sigemptyset(held);
    sigaddset(held, SIGTERM);
    sigaddset(held, SIGHUP);
    sigaddset(held, SIGINT);
    sigprocmask(SIG_BLOCK, held, NULL);
}

/*
 * Report a failure as an interruption if a signal has arrived.  Slurm sends TERM to every process
 * of a job, so a model's program may end before this process has seen its own signal.
 */
static enum exit_code explain(enum exit_code code, const sigset_t *held)
{
    static const struct timespec patience = {.tv_sec = 1};

    if (code == EXIT_CODE_UNAVAILABLE && sigtimedwait(held, NULL, &patience) > 0)
        return EXIT_CODE_INTERRUPTED;
    return code;
}

static enum exit_code run_recorded(const struct task *task, struct error *err)
{
    enum exit_code code;
    sigset_t held;

    hold_signals(&held);
    if (task_record_begin(&task->store, task->index, err))
        return command_fail(err);
    code = explain(run_task(task, err), &held);
    if (task_record_end(&task->store, task->index, code, err))
        command_notice(NULL, err->text);
    return code;
}

enum exit_code suite_task(const struct suite_options *options)
{
    struct task task = {.worker = options->run.driver.evaluator.prefix};
    enum exit_code code;
    struct error err;

    if (find_task(options, &task, &err))
        code = command_fail(&err);
    else
        code = task.is_recorded ? run_recorded(&task, &err) : run_task(&task, &err);
    suite_store_close(&task.store);
    return code;
}
