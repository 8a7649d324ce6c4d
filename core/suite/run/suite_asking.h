#ifndef CORE_SUITE_SUITE_ASKING_H
#define CORE_SUITE_SUITE_ASKING_H

#include "core/suite/suite_store.h"
#include "core/system/loop.h"

struct folder_watch;

/*
 * The tasks of a suite whose step waits for the engineer.  A decision is a file in the session's
 * folder (handed_decision.h).  Of one that is left on this machine the folder's watch tells; one
 * that is left on another machine of a shared folder is found by suite_asking_look().
 */
struct suite_asking {
    struct loop *loop;
    const struct suite_store *store;
    void (*decided)(void *data, size_t task); /* a decision is there; the task asks no more */
    void *data;
    struct folder_watch *decisions; /* NULL: no task has asked yet */
    struct loop_timer settle;       /* due when a journal that was written is looked at */
    struct {
        struct asking_task *items;
        size_t count, capacity;
    } tasks;
};

/* Watch for the decision of a task; one that is there already is told at once. */
enum status suite_asking_add(struct suite_asking *asking, size_t task,
                             struct error *err) MUST_CHECK;

/* Look for the decisions of all tasks: a call of the file system each. */
void suite_asking_look(struct suite_asking *asking);

/* Forget all tasks and leave it empty. */
void suite_asking_release(struct suite_asking *asking);

#endif
