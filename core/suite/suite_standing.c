#include "core/suite/suite_standing.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/base/mem.h"
#include "core/session/state/engine.h"
#include "core/suite/slurm/slurm_command.h"
#include "core/suite/slurm/slurm_lists.h"
#include "core/suite/slurm/slurm_queue.h"
#include "core/suite/suite_session.h"
#include "core/suite/task_record.h"
#include "core/system/file.h"

const char *const standing_names[STANDINGS + 1] = {
    [STANDING_WAITS] = "waits",  [STANDING_QUEUED] = "queued", [STANDING_RUNS] = "runs",
    [STANDING_ASKS] = "asks",    [STANDING_LEFT] = "left",     [STANDING_ENDED] = "ended",
    [STANDING_FAILED] = "failed"};

static void replace(char **text, const char *other)
{
    free(*text);
    *text = other && *other ? mem_strdup(other) : NULL;
}

/*
 * Seconds since the journal was written.  The file system's server may have another clock, so a
 * negative age counts as 0.
 */
static double find_silence(const char *session)
{
    char *path = catalog_journal(session);
    struct stat info;
    double age = -1;

    if (stat(path, &info) == 0)
        age = difftime(time(NULL), info.st_mtime);
    free(path);
    return age < 0 ? 0 : age;
}

static void take_session(struct task_standing *task)
{
    struct session session = {0};
    const struct attempt *best;

    if (!suite_session_read(task->session, &session, NULL)) {
        best = session_attempt(&session, session.now.best);
        task->attempts = (unsigned)session.attempts.count;
        task->best_us = best ? best->time.median_us : 0;
        task->silent_s = find_silence(task->session);
        if (session.now.stage == STAGE_CLOSED)
            task->is = STANDING_ENDED;
        else if (session_pending(&session) && engine_asks(&session))
            task->is = STANDING_ASKS;
        else if (task->is == STANDING_WAITS)
            task->is = STANDING_LEFT;
    }
    session_release(&session);
}

/*
 * Take the record of a scheduler's task, unless the journal of its session says that the task has
 * ended.
 */
static void take_record(const struct suite_store *store, size_t index, struct task_standing *task)
{
    struct task_record record;
    bool has_failed;

    if (task_record_read(store, index, &record, NULL))
        return;
    has_failed = task_record_has_failed(&record);
    replace(&task->host, record.host);
    replace(&task->job, record.job);
    replace(&task->lost_on, record.lost_on);
    task->runs = record.runs;
    if (task->is == STANDING_WAITS || task->is == STANDING_LEFT)
        task->is = has_failed ? STANDING_FAILED : record.ended ? STANDING_LEFT : STANDING_RUNS;
    if (has_failed) {
        char *log = suite_store_log(store, index);

        replace(&task->reason, log);
        free(log);
    }
    task_record_release(&record);
}

static void read_task(const struct suite_store *store, size_t index, struct task_standing *task)
{
    static const enum standing by_phase[] = {[TASK_WAITS] = STANDING_WAITS,
                                             [TASK_RUNS] = STANDING_LEFT,
                                             [TASK_HAS_ENDED] = STANDING_ENDED,
                                             [TASK_HAS_FAILED] = STANDING_FAILED};
    const struct task_state *state = &store->state.tasks[index];

    *task = (struct task_standing){.is = by_phase[state->phase], .silent_s = -1};
    replace(&task->host, state->host);
    replace(&task->reason, state->phase == TASK_HAS_FAILED ? state->reason : NULL);
    if (state->session[0] || store->state.lists)
        suite_store_session(store, index, task->session);
    if (state->phase == TASK_HAS_ENDED || state->phase == TASK_HAS_FAILED || !task->session[0])
        return;
    take_session(task);
    if (store->state.lists && task->is != STANDING_ENDED && task->is != STANDING_ASKS)
        take_record(store, index, task);
}

/* Take the state of a task in Slurm's queue, which is newer than its record. */
static void take_element(const struct slurm_element *element, struct task_standing *task)
{
    bool is_over = element->state == SLURM_ENDED || element->state == SLURM_STOPPED;

    if (task->is == STANDING_ENDED || task->is == STANDING_FAILED || is_over)
        return;
    task->is = element->state == SLURM_RUNS ? STANDING_RUNS : STANDING_QUEUED;
    if (element->host[0])
        replace(&task->host, element->host);
    else if (element->state == SLURM_WAITS)
        replace(&task->host, NULL);
}

/* Take Slurm's queue.  A task that ran and is no longer in it was cancelled or lost its node. */
static void take_queue(struct suite_standings *standings, const struct suite_store *store,
                       const struct slurm_lists *lists, const char *queue)
{
    struct slurm_element element;

    for (size_t i = 0; i < standings->count; i++)
        if (standings->tasks[i].is == STANDING_RUNS)
            standings->tasks[i].is = STANDING_LEFT;
    for (const char *at = queue; *at;) {
        size_t task = slurm_queue_read(&at, store->id, &element)
                          ? slurm_lists_task(lists, element.list, element.index)
                          : SIZE_MAX;

        if (task < standings->count)
            take_element(&element, &standings->tasks[task]);
    }
}

static void ask_slurm(struct suite_standings *standings, const struct suite_store *store)
{
    struct slurm_lists lists = {0};
    struct strbuf queue = {0};
    struct error err = {0};

    if (slurm_lists_read(&lists, store, &err) ||
        slurm_command_run(slurm_queue_command, &queue, &err))
        standings->silence = mem_strdup(err.text);
    else
        take_queue(standings, store, &lists, strbuf_cstr(&queue));
    slurm_lists_release(&lists);
    strbuf_release(&queue);
}

static bool has_open(const struct suite_standings *standings)
{
    for (size_t i = 0; i < standings->count; i++)
        if (standings->tasks[i].is < STANDING_ENDED)
            return true;
    return false;
}

void suite_standings_read(struct suite_standings *standings, const struct suite_store *store)
{
    *standings = (struct suite_standings){
        .tasks = mem_alloc_zeroed(store->state.count + 1, sizeof(*standings->tasks)),
        .count = store->state.count,
        .is_slurm = store->state.lists > 0,
        .process = process_lease_find(store->folder)};
    for (size_t i = 0; i < standings->count; i++)
        read_task(store, i, &standings->tasks[i]);
    if (standings->is_slurm && has_open(standings))
        ask_slurm(standings, store);
    for (size_t i = 0; i < standings->count; i++) {
        struct task_standing *task = &standings->tasks[i];

        if (task->is == STANDING_LEFT && standings->process.pid && !standings->is_slurm)
            task->is = STANDING_RUNS;
        standings->in[task->is]++;
    }
}

void suite_standings_release(struct suite_standings *standings)
{
    for (size_t i = 0; i < standings->count; i++) {
        free(standings->tasks[i].host);
        free(standings->tasks[i].job);
        free(standings->tasks[i].lost_on);
        free(standings->tasks[i].reason);
    }
    free(standings->tasks);
    free(standings->silence);
    *standings = (struct suite_standings){0};
}
