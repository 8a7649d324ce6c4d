#include "core/suite/run/suite_asking.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/session/store/handed_decision.h"
#include "core/system/folder_watch.h"
#include "core/system/loop.h"

struct asking_task {
    size_t task;
    int folder; /* of its session, in `decisions` */
};

void suite_asking_look(struct suite_asking *asking)
{
    for (size_t i = asking->tasks.count; i-- > 0;) {
        struct asking_task found = asking->tasks.items[i];

        if (!handed_decision_exists(asking->store->state.tasks[found.task].session))
            continue;
        folder_watch_remove(asking->decisions, found.folder);
        asking->tasks.items[i] = asking->tasks.items[--asking->tasks.count];
        asking->decided(asking->data, found.task);
    }
}

static void hear_decision(void *data, int folder, const char *name)
{
    if (folder < 0 || strcmp(name, handed_decision_file) == 0)
        suite_asking_look(data);
}

enum status suite_asking_add(struct suite_asking *asking, size_t task, struct error *err)
{
    struct asking_task added = {.task = task};
    char *folder = catalog_folder(asking->store->state.tasks[task].session);
    enum status st = STATUS_OK;

    if (!asking->decisions)
        st = folder_watch_open(asking->loop, hear_decision, asking, &asking->decisions, err);
    if (!st)
        st = folder_watch_add(asking->decisions, folder, &added.folder, err);
    free(folder);
    if (st)
        return st;
    vec_push(&asking->tasks, added);
    suite_asking_look(asking);
    return STATUS_OK;
}

void suite_asking_release(struct suite_asking *asking)
{
    folder_watch_close(asking->decisions);
    vec_release(&asking->tasks);
    *asking = (struct suite_asking){0};
}
