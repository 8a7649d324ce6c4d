#include "core/suite/suite_follow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/session/state/fold.h"
#include "core/session/store/handed_decision.h"
#include "core/system/file.h"
#include "core/system/folder_watch.h"
#include "core/system/loop.h"
#include "core/system/shared_folder.h"

/*
 * The length of one turn of reading; the delay from a change to the check of owners; the interval
 * of checks on a shared file system.
 */
static const int64_t turn_us = 4000, settle_us = 200000;

static const char journal_name[] = "events.jsonl";

enum { NO_FOLDER = -1 };

/* A session that has not ended, or has not been read to its end. */
struct reading {
    struct session session;
    struct journal_place place;
    char *journal;
    int folder; /* id of its folder in the watch */
    bool is_at_end;
};

struct task_list {
    size_t *items;
    size_t count, capacity;
};

struct follow_work {
    struct suite_follow *follow;
    struct loop *loop;
    struct suite_follow_options options;
    struct folder_watch *watch;
    int suite_folder, sessions_folder; /* ids of folders in the watch */
    struct reading **readings;         /* by task; NULL if its session is not read */
    struct task_list unread;           /* tasks whose journals may have grown */
    bool *is_unread;                   /* by task */
    bool is_suite_unread;
    struct loop_timer turn, settle, shared;
};

static struct suite_state *state_of(const struct follow_work *work)
{
    return &work->follow->store.state;
}

static bool is_open(const struct follow_work *work, size_t task)
{
    return state_of(work)->tasks[task].phase == TASK_RUNS;
}

static void take_turn(void *data);

static void schedule(struct follow_work *work)
{
    work->follow->is_reading = work->is_suite_unread || work->unread.count > 0;
    if (work->follow->is_reading)
        loop_set_timer(work->loop, &work->turn, 0, take_turn, work);
}

static void mark(struct follow_work *work, size_t task)
{
    bool is_wanted = !work->options.only_open || is_open(work, task) || work->readings[task];

    if (work->is_unread[task] || !is_wanted || !state_of(work)->tasks[task].session[0])
        return;
    work->is_unread[task] = true;
    vec_push(&work->unread, task);
}

static void mark_open(struct follow_work *work)
{
    work->is_suite_unread = true;
    for (size_t i = 0; i < state_of(work)->count; i++)
        if (is_open(work, i))
            mark(work, i);
}

/* Watching. */

/*
 * Watch a session's folder.  If it does not exist yet, the watch on the folder of all sessions
 * reports when it is made.
 */
static void watch_session(const struct follow_work *work, size_t task)
{
    struct reading *reading = work->readings[task];
    char *folder = catalog_folder(state_of(work)->tasks[task].session);
    struct error err = {0};

    if (reading->folder == NO_FOLDER &&
        folder_watch_add(work->watch, folder, &reading->folder, &err)) {
        reading->folder = NO_FOLDER;
        if (err.code != STATUS_NOT_FOUND)
            work->follow->trouble = err;
    }
    free(folder);
}

static void look_at_owner(const struct follow_work *work, size_t task)
{
    struct followed_task *followed = &work->follow->tasks[task];
    const char *id = state_of(work)->tasks[task].session;

    char *folder = work->readings[task] ? catalog_folder(id) : NULL;

    followed->is_owned = folder && process_lease_find(folder).pid;
    free(folder);
    followed->is_handed = is_open(work, task) && handed_decision_exists(id);
}

static void look_at_runner(const struct follow_work *work)
{
    work->follow->process = process_lease_find(work->follow->store.folder);
}

/*
 * Check the owners of journals.  This is delayed because the kernel reports that a file was closed
 * shortly before it removes the file's lock.
 */
static void settle(void *data)
{
    const struct follow_work *work = data;

    look_at_runner(work);
    for (size_t i = 0; i < state_of(work)->count; i++)
        if (work->readings[i])
            look_at_owner(work, i);
    work->options.changed(work->options.data);
}

/* Handle a new folder in the folder of all sessions. */
static void on_session(struct follow_work *work, const char *name)
{
    for (size_t i = 0; i < state_of(work)->count; i++)
        if (is_open(work, i) && strcmp(state_of(work)->tasks[i].session, name) == 0)
            mark(work, i);
}

static void on_change(void *data, int folder, const char *name)
{
    struct follow_work *work = data;
    bool is_file = strcmp(name, journal_name) == 0 || strcmp(name, handed_decision_file) == 0;

    if (folder < 0)
        mark_open(work);
    else if (folder == work->suite_folder)
        work->is_suite_unread |= is_file;
    else if (folder == work->sessions_folder)
        on_session(work, name);
    else if (!is_file)
        return;
    for (size_t i = 0; folder >= 0 && i < state_of(work)->count; i++)
        if (work->readings[i] && work->readings[i]->folder == folder)
            mark(work, i);
    schedule(work);
}

/* Reading. */

/* The events of one turn.  The first event is always read, so that every turn makes progress. */
struct piece {
    struct session *session;
    int64_t until_us;
    bool has_begun;
};

static enum status fold(void *data, const struct event *event, struct error *err)
{
    struct piece *piece = data;

    if (piece->has_begun && clock_now_us() >= piece->until_us)
        return error_set(err, STATUS_CANCELLED, "the turn is over");
    piece->has_begun = true;
    return fold_apply(piece->session, event, err);
}

static void begin_anew(struct reading *reading)
{
    session_release(&reading->session);
    reading->place = (struct journal_place){0};
}

/*
 * True if the journal was replaced by a new file: a session that was killed before its problem was
 * loaded begins again.
 */
static bool is_replaced(const struct reading *reading)
{
    struct stat found;

    return stat(reading->journal, &found) == 0 && found.st_size < reading->place.bytes;
}

static struct reading *open_reading(const struct follow_work *work, size_t task)
{
    struct reading *reading = mem_alloc_zeroed(1, sizeof(*reading));

    reading->folder = NO_FOLDER;
    reading->journal = catalog_journal(state_of(work)->tasks[task].session);
    return reading;
}

static void close_reading(const struct follow_work *work, size_t task)
{
    struct reading *reading = work->readings[task];

    if (!reading)
        return;
    if (reading->folder != NO_FOLDER)
        folder_watch_remove(work->watch, reading->folder);
    session_release(&reading->session);
    free(reading->journal);
    free(reading);
    work->readings[task] = NULL;
}

static void take_facts(const struct follow_work *work, size_t task, enum status st,
                       const struct error *err)
{
    struct task_facts *facts = &work->follow->tasks[task].facts;
    bool is_missing = st == STATUS_NOT_FOUND && is_open(work, task);

    if (!st) {
        task_facts_read(facts, &work->readings[task]->session);
        return;
    }
    task_facts_release(facts);
    if (!is_missing) /* a missing journal is no error: the session is about to begin */
        facts->trouble = mem_strdup(err->text);
}

/* Read the new events of a journal; false if the turn is over and events are left. */
static bool read_task(const struct follow_work *work, size_t task, int64_t until_us)
{
    struct error err = {0};
    struct reading *reading;
    struct piece piece;
    enum status st;

    if (!work->readings[task])
        work->readings[task] = open_reading(work, task);
    reading = work->readings[task];
    if (is_open(work, task))
        watch_session(work, task);
    if (is_replaced(reading))
        begin_anew(reading);
    piece = (struct piece){.session = &reading->session, .until_us = until_us};
    st = journal_read_on(reading->journal, &reading->place, fold, &piece, &err);
    reading->is_at_end = st == STATUS_OK;
    if (st == STATUS_CANCELLED)
        return false;
    take_facts(work, task, st, &err);
    look_at_owner(work, task);
    if (!is_open(work, task))
        close_reading(work, task);
    return true;
}

/*
 * Read the new events of the suite's journal, and mark each task that has begun or ended as unread.
 */
static void read_suite(struct follow_work *work)
{
    struct suite_follow *follow = work->follow;
    size_t count = state_of(work)->count;
    struct task_state *before = mem_alloc_zeroed(count, sizeof(*before));

    for (size_t i = 0; i < count; i++)
        before[i] = state_of(work)->tasks[i];
    work->is_suite_unread = false;
    if (suite_store_read_on(&follow->store, &follow->trouble))
        follow->trouble.code = STATUS_INVALID;
    for (size_t i = 0; i < count && state_of(work)->count == count; i++)
        if (before[i].phase != state_of(work)->tasks[i].phase ||
            before[i].began_us != state_of(work)->tasks[i].began_us)
            mark(work, i);
    free(before);
    look_at_runner(work);
}

static void take_turn(void *data)
{
    struct follow_work *work = data;
    int64_t until_us = clock_now_us() + turn_us;

    if (work->is_suite_unread)
        read_suite(work);
    do {
        size_t task = work->unread.count ? work->unread.items[work->unread.count - 1] : 0;

        if (!work->unread.count || !read_task(work, task, until_us))
            break;
        work->is_unread[task] = false;
        work->unread.count--;
    } while (clock_now_us() < until_us);
    loop_set_timer(work->loop, &work->settle, settle_us, settle, work);
    schedule(work);
    work->options.changed(work->options.data);
}

/* Opening. */

static void look_again(void *data)
{
    struct follow_work *work = data;

    mark_open(work);
    schedule(work);
    loop_set_timer(work->loop, &work->shared, SHARED_FOLDER_LOOK_US, look_again, work);
}

static enum status watch_folders(struct follow_work *work, struct error *err)
{
    char *sessions = catalog_sessions();
    enum status st = folder_watch_open(work->loop, on_change, work, &work->watch, err);

    if (!st)
        st = folder_watch_add(work->watch, work->follow->store.folder, &work->suite_folder, err);
    if (!st)
        st = file_make_folder(sessions, err);
    if (!st)
        st = folder_watch_add(work->watch, sessions, &work->sessions_folder, err);
    if (!st && shared_folder_is(sessions))
        loop_set_timer(work->loop, &work->shared, SHARED_FOLDER_LOOK_US, look_again, work);
    free(sessions);
    return st;
}

/*
 * Begin to watch, and then read the events after those that were read when the suite was opened, so
 * that no event is missed.
 */
static enum status begin(struct suite_follow *follow, struct follow_work *work, struct error *err)
{
    size_t count = suite_task_count(&follow->store.suite);
    enum status st;

    follow->work = work;
    follow->tasks = mem_alloc_zeroed(count, sizeof(*follow->tasks));
    work->readings = mem_alloc_zeroed(count, sizeof(struct reading *));
    work->is_unread = mem_alloc_zeroed(count, sizeof(*work->is_unread));
    st = watch_folders(work, err);
    if (!st)
        st = suite_store_read_on(&follow->store, err);
    for (size_t i = state_of(work)->count; !st && i-- > 0;) /* the last one is read first */
        mark(work, i);
    look_at_runner(work);
    schedule(work);
    return st;
}

enum status suite_follow_open(struct suite_follow *follow,
                              const struct suite_follow_options *options, struct error *err)
{
    struct follow_work *work;
    enum status st;

    *follow = (struct suite_follow){0};
    st = suite_store_open(&follow->store, options->suite, false, err);
    if (st)
        return st;
    work = mem_alloc_zeroed(1, sizeof(*work));
    *work = (struct follow_work){.follow = follow, .loop = options->loop, .options = *options};
    st = begin(follow, work, err);
    if (st)
        suite_follow_close(follow);
    return st;
}

bool suite_follow_asks(const struct suite_follow *follow, size_t task)
{
    const struct followed_task *followed = &follow->tasks[task];

    return follow->store.state.tasks[task].phase == TASK_RUNS && followed->facts.step &&
           !followed->is_owned && !followed->is_handed;
}

const struct session *suite_follow_session(const struct suite_follow *follow, size_t task)
{
    const struct reading *reading = follow->work->readings[task];

    return reading && reading->is_at_end ? &reading->session : NULL;
}

void suite_follow_close(struct suite_follow *follow)
{
    struct follow_work *work = follow->work;
    size_t count = follow->store.suite.arms.count ? suite_task_count(&follow->store.suite) : 0;

    for (size_t i = 0; work && i < count; i++) {
        close_reading(work, i);
        task_facts_release(&follow->tasks[i].facts);
    }
    if (work) {
        loop_clear_timer(work->loop, &work->turn);
        loop_clear_timer(work->loop, &work->settle);
        loop_clear_timer(work->loop, &work->shared);
        folder_watch_close(work->watch);
        vec_release(&work->unread);
        free(work->readings);
        free(work->is_unread);
        free(work);
    }
    free(follow->tasks);
    suite_store_close(&follow->store);
    *follow = (struct suite_follow){0};
}
