#include "core/suite/suite_overview.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/system/file.h"
#include "core/system/folder_watch.h"
#include "core/system/loop.h"
#include "core/system/shared_folder.h"

struct overview_work {
    struct suite_overview *overview;
    struct loop *loop;
    void (*changed)(void *data);
    void *data;
    struct folder_watch *watch;
    struct loop_timer turn, shared; /* `shared` runs out when a shared folder is to be looked at */
    bool is_begun;                  /* the suites that existed at the start have been read */
    int all_folder;                 /* id in the watch of the folder of all suites */
    struct {
        struct new_suite {
            int folder; /* in the watch */
            char id[CATALOG_ID_SIZE];
        } * items; /* folders that were just made and do not hold a suite yet */
        size_t count, capacity;
    } made;
    struct {
        char **items; /* ids of suites that are not listed yet, the newest first; owned */
        size_t count, capacity;
    } unread;
};

static bool is_listed(const struct overview_work *work, const char *id)
{
    for (size_t i = 0; i < work->overview->count; i++)
        if (strcmp(work->overview->items[i].id, id) == 0)
            return true;
    for (size_t i = 0; i < work->unread.count; i++)
        if (strcmp(work->unread.items[i], id) == 0)
            return true;
    return false;
}

/*
 * Find the ids of suites that are not listed.  suite.json is written once, before the journal, so
 * its time of change is the time at which the suite began.
 */
static void find_new(struct overview_work *work)
{
    char *folder = suite_store_all(), *pattern = file_join(folder, "*/suite.json");
    glob_t found;

    file_find_oldest_first(pattern, &found);
    for (size_t i = found.gl_pathc; i-- > 0;) {
        char *path = found.gl_pathv[i];

        path[strlen(path) - strlen("/suite.json")] = '\0';
        if (strlen(file_name(path)) < CATALOG_ID_SIZE && !is_listed(work, file_name(path)))
            vec_push(&work->unread, mem_strdup(file_name(path)));
    }
    globfree(&found);
    free(pattern);
    free(folder);
}

static void on_suite(void *data)
{
    const struct overview_work *work = data;

    work->changed(work->data);
}

static void take_store(struct listed_suite *listed, const struct suite_store *store)
{
    listed->name = mem_strdup(store->suite.name);
    listed->problems = store->suite.problems.count;
    listed->arms = store->suite.arms.count;
    listed->repeats = store->suite.repeats;
    listed->tasks = suite_task_count(&store->suite);
    memcpy(listed->in_phase, store->state.in_phase, sizeof(listed->in_phase));
}

/* True if all tasks have ended.  Such a suite is not followed, because it changes no more. */
static bool is_at_end(const struct listed_suite *listed)
{
    return listed->in_phase[TASK_HAS_ENDED] == listed->tasks;
}

/* Read a suite; false if it has no journal yet. */
static bool read_suite(const struct overview_work *work, const char *id,
                       struct listed_suite *listed)
{
    const struct suite_follow_options options = {.loop = work->loop,
                                                 .suite = id,
                                                 .only_open = true,
                                                 .changed = on_suite,
                                                 .data = work->overview->work};
    struct suite_follow *follow = mem_alloc_zeroed(1, sizeof(*follow));
    struct error err = {0};
    enum status st = suite_follow_open(follow, &options, &err);

    *listed = (struct listed_suite){0};
    snprintf(listed->id, sizeof(listed->id), "%s", id);
    if (!st) {
        take_store(listed, &follow->store);
        listed->follow = follow;
    }
    if (st || is_at_end(listed)) {
        suite_follow_close(follow);
        free(follow);
        listed->follow = NULL;
    }
    if (st && st != STATUS_NOT_FOUND)
        listed->trouble = mem_strdup(err.text);
    return st != STATUS_NOT_FOUND;
}

/*
 * Insert a suite.  Suites that existed at the start arrive with the newest first; each suite that
 * begins later is newer than all of them.
 */
static void insert(struct suite_overview *overview, struct listed_suite listed)
{
    vec_push(overview, listed);
    if (!overview->work->is_begun)
        return;
    memmove(overview->items + 1, overview->items, (overview->count - 1) * sizeof(listed));
    overview->items[0] = listed;
}

static void take_turn(void *data);

static void schedule(struct overview_work *work)
{
    work->overview->is_reading = work->unread.count > 0;
    if (work->overview->is_reading)
        loop_set_timer(work->loop, &work->turn, 0, take_turn, work);
}

static void drop_first(struct overview_work *work)
{
    free(work->unread.items[0]);
    work->unread.count--;
    memmove(work->unread.items, work->unread.items + 1,
            work->unread.count * sizeof(*work->unread.items));
}

static void take_turn(void *data)
{
    struct overview_work *work = data;
    struct listed_suite listed;

    if (read_suite(work, work->unread.items[0], &listed))
        insert(work->overview, listed);
    drop_first(work);
    work->is_begun |= work->unread.count == 0;
    schedule(work);
    work->changed(work->data);
}

/* Watch a new folder, which becomes a suite when its files are written. */
static void await_suite(struct overview_work *work, const char *name)
{
    char *all = suite_store_all(), *folder = file_join(all, name);
    struct new_suite made = {0};

    snprintf(made.id, sizeof(made.id), "%s", name);
    if (strlen(name) < CATALOG_ID_SIZE && !is_listed(work, name) &&
        !folder_watch_add(work->watch, folder, &made.folder, NULL))
        vec_push(&work->made, made);
    free(folder);
    free(all);
}

static void on_folder(void *data, int folder, const char *name)
{
    struct overview_work *work = data;

    if (folder == work->all_folder && *name)
        await_suite(work, name);
    for (size_t i = work->made.count; i-- > 0;) {
        if (!is_listed(work, work->made.items[i].id))
            continue;
        folder_watch_remove(work->watch, work->made.items[i].folder);
        work->made.items[i] = work->made.items[--work->made.count];
    }
    find_new(work);
    schedule(work);
}

static void look_again(void *data)
{
    struct overview_work *work = data;

    find_new(work);
    schedule(work);
    loop_set_timer(work->loop, &work->shared, SHARED_FOLDER_LOOK_US, look_again, work);
}

enum status suite_overview_open(struct suite_overview *overview, struct loop *loop,
                                void (*changed)(void *data), void *data, struct error *err)
{
    struct overview_work *work = mem_alloc_zeroed(1, sizeof(*work));
    char *folder = suite_store_all();
    enum status st = file_make_folder(folder, err);

    *work = (struct overview_work){
        .overview = overview, .loop = loop, .changed = changed, .data = data};
    *overview = (struct suite_overview){.work = work};
    if (!st)
        st = folder_watch_open(loop, on_folder, work, &work->watch, err);
    if (!st)
        st = folder_watch_add(work->watch, folder, &work->all_folder, err);
    if (!st && shared_folder_is(folder))
        loop_set_timer(loop, &work->shared, SHARED_FOLDER_LOOK_US, look_again, work);
    free(folder);
    if (st) {
        suite_overview_close(overview);
        return st;
    }
    find_new(work);
    work->is_begun = work->unread.count == 0;
    schedule(work);
    return STATUS_OK;
}

size_t suite_overview_asking(const struct listed_suite *suite)
{
    size_t asking = 0;

    for (size_t i = 0; suite->follow && i < suite->follow->store.state.count; i++)
        asking += suite_follow_asks(suite->follow, i);
    return asking;
}

void suite_overview_close(struct suite_overview *overview)
{
    struct overview_work *work = overview->work;

    for (size_t i = 0; i < overview->count; i++) {
        if (overview->items[i].follow)
            suite_follow_close(overview->items[i].follow);
        free(overview->items[i].follow);
        free(overview->items[i].name);
        free(overview->items[i].trouble);
    }
    vec_release(overview);
    if (work) {
        loop_clear_timer(work->loop, &work->turn);
        loop_clear_timer(work->loop, &work->shared);
        folder_watch_close(work->watch);
        while (work->unread.count)
            free(work->unread.items[--work->unread.count]);
        vec_release(&work->unread);
        vec_release(&work->made);
    }
    free(work);
    *overview = (struct suite_overview){0};
}
