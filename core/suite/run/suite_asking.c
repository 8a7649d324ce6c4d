#include "core/suite/run/suite_asking.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/vec.h"
#include "core/session/state/engine.h"
#include "core/session/store/handed_decision.h"
#include "core/suite/suite_session.h"
#include "core/system/folder_watch.h"

/*
 * The delay from the last change of a journal to reading it, so that its writer has closed it by
 * then.
 */
static const int64_t settle_us = 500000;

struct asking_task {
    size_t task;
    int folder;      /* the watch of its session's folder, an id in `decisions` */
    bool is_written; /* its journal has changed since it was read last */
    off_t size;      /* bytes of its journal at the last look */
};

/* True if no process has the session open and its step no longer waits for a decision. */
static bool has_gone_on(const char *id)
{
    char *journal = catalog_journal(id);
    struct session session = {0};
    struct error err;
    bool is_free = journal_owner(journal) == 0 && !suite_session_read(id, &session, &err);
    bool asks = session_pending(&session) && engine_asks(&session);

    session_release(&session);
    free(journal);
    return is_free && !asks;
}

static void report_waiting(struct suite_asking *asking, size_t index)
{
    struct asking_task found = asking->tasks.items[index];

    folder_watch_remove(asking->decisions, found.folder);
    asking->tasks.items[index] = asking->tasks.items[--asking->tasks.count];
    asking->decided(asking->data, found.task);
}

static void look_at_journals(void *data)
{
    struct suite_asking *asking = data;

    for (size_t i = asking->tasks.count; i-- > 0;) {
        struct asking_task *task = &asking->tasks.items[i];
        bool was_written = task->is_written;

        task->is_written = false;
        if (was_written && has_gone_on(asking->store->state.tasks[task->task].session))
            report_waiting(asking, i);
    }
}

static off_t journal_size(const struct suite_asking *asking, const struct asking_task *task)
{
    char *journal = catalog_journal(asking->store->state.tasks[task->task].session);
    struct stat found = {0};
    off_t size = stat(journal, &found) == 0 ? found.st_size : 0;

    free(journal);
    return size;
}

void suite_asking_look_at_journals(struct suite_asking *asking)
{
    for (size_t i = 0; i < asking->tasks.count; i++) {
        struct asking_task *task = &asking->tasks.items[i];
        off_t size = journal_size(asking, task);

        task->is_written |= size != task->size;
        task->size = size;
    }
    look_at_journals(asking);
}

static void note_written(struct suite_asking *asking, int folder)
{
    for (size_t i = 0; i < asking->tasks.count; i++)
        asking->tasks.items[i].is_written |= asking->tasks.items[i].folder == folder;
    loop_set_timer(asking->loop, &asking->settle, settle_us, look_at_journals, asking);
}

void suite_asking_look(struct suite_asking *asking)
{
    for (size_t i = asking->tasks.count; i-- > 0;)
        if (handed_decision_exists(asking->store->state.tasks[asking->tasks.items[i].task].session))
            report_waiting(asking, i);
}

static void on_change(void *data, int folder, const char *name)
{
    if (folder < 0 || strcmp(name, handed_decision_file) == 0)
        suite_asking_look(data);
    else if (strcmp(name, "events.jsonl") == 0)
        note_written(data, folder);
}

enum status suite_asking_add(struct suite_asking *asking, size_t task, struct error *err)
{
    struct asking_task added = {.task = task};
    char *folder = catalog_folder(asking->store->state.tasks[task].session);
    enum status st = STATUS_OK;

    if (!asking->decisions)
        st = folder_watch_open(asking->loop, on_change, asking, &asking->decisions, err);
    if (!st)
        st = folder_watch_add(asking->decisions, folder, &added.folder, err);
    free(folder);
    if (st)
        return st;
    added.size = journal_size(asking, &added);
    vec_push(&asking->tasks, added);
    suite_asking_look(asking);
    return STATUS_OK;
}

void suite_asking_release(struct suite_asking *asking)
{
    if (asking->loop)
        loop_clear_timer(asking->loop, &asking->settle);
    folder_watch_close(asking->decisions);
    vec_release(&asking->tasks);
    *asking = (struct suite_asking){0};
}
