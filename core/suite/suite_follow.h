#ifndef CORE_SUITE_SUITE_FOLLOW_H
#define CORE_SUITE_SUITE_FOLLOW_H

#include "core/session/store/process_lease.h"
#include "core/suite/suite_store.h"
#include "core/suite/task_facts.h"

struct loop;

/*
 * Follows a suite that another process may run, for a screen that shows it.  The journals of the
 * suite and of its sessions are read once, and after that only new events are read.  folder_watch.h
 * reports changes, so nothing is polled, except on a network file system: it does not report what
 * another machine writes, and is checked every few seconds.
 *
 * Reading takes turns of a few milliseconds, so that the loop can serve others between them.
 */

struct followed_task {
    struct task_facts facts;
    bool is_owned;  /* a process has the session's journal open for writing */
    bool is_handed; /* a decision was handed over, and its process has not taken it yet */
};

struct suite_follow {
    struct suite_store store;     /* the suite as far as it was read */
    struct followed_task *tasks;  /* one for each task */
    struct lease_process process; /* the process that runs the suite */
    bool is_reading;              /* some journals are not read to their ends yet */
    /* an error of the suite's journal or of the watch; code 0 if there is none */
    struct error trouble;
    struct follow_work *work;
};

struct suite_follow_options {
    struct loop *loop;
    const char *suite; /* the beginning of the suite's id; NULL for the latest suite */
    bool only_open;    /* do not read sessions of tasks that have ended or failed */

    /* Called from the loop after the struct's contents have changed. */
    void (*changed)(void *data);
    void *data;
};

/* Open a suite and begin to follow it.  `follow` must not move until it is closed. */
enum status suite_follow_open(struct suite_follow *follow,
                              const struct suite_follow_options *options,
                              struct error *err) MUST_CHECK;

/* True if the task's step waits for the engineer, and no decision was handed over yet. */
bool suite_follow_asks(const struct suite_follow *follow, size_t task);

/* The state of a task's session; NULL if the session has ended, or was not read to its end yet. */
const struct session *suite_follow_session(const struct suite_follow *follow, size_t task);

/* Free the contents and leave it empty. */
void suite_follow_close(struct suite_follow *follow);

#endif
