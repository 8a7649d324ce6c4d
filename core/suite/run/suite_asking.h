#ifndef CORE_SUITE_SUITE_ASKING_H
#define CORE_SUITE_SUITE_ASKING_H

#include "core/suite/suite_store.h"
#include "core/system/loop.h"

struct folder_watch;

/*
 * The tasks of a suite whose step waits for the engineer.  A decision is a file in the session's
 * folder (handed_decision.h).  A file written on this machine is reported by a watch on the folder.
 * A file written on another machine of a shared file system is not; suite_asking_look() finds it.
 */
struct suite_asking {
    struct loop *loop;
    const struct suite_store *store;
    /* called when a decision is there; the task then no longer belongs to this list */
    void (*decided)(void *data, size_t task);
    void *data;
    struct folder_watch *decisions; /* NULL until a first task asks */
    struct loop_timer settle;       /* runs out when a changed journal is to be read */
    struct {
        struct asking_task *items;
        size_t count, capacity;
    } tasks;
};

/* Watch for the decision of a task.  If it is there already, decided() is called at once. */
enum status suite_asking_add(struct suite_asking *asking, size_t task,
                             struct error *err) MUST_CHECK;

/* Look for the decisions of all tasks; this costs one call to the file system for each. */
void suite_asking_look(struct suite_asking *asking);

/*
 * Look for sessions in which an engineer decided directly.  Journals whose size is the same are not
 * read.
 */
void suite_asking_look_at_journals(struct suite_asking *asking);

/* Forget all tasks and leave it empty. */
void suite_asking_release(struct suite_asking *asking);

#endif
