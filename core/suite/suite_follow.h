#ifndef CORE_SUITE_SUITE_FOLLOW_H
#define CORE_SUITE_SUITE_FOLLOW_H

#include <sys/types.h>

#include "core/suite/suite_store.h"
#include "core/suite/task_facts.h"

struct loop;

/*
 * Follows a suite that another process may run, for those who show it.  Its journal and those of
 * its sessions are read once, and then only what was added: folder_watch.h tells of changes, and
 * nothing is polled.  Only a file system that is shared by machines is looked at every few
 * seconds, because it tells nothing of what another machine writes.
 *
 * Reading is done in pieces of a few milliseconds, between which the loop serves others.
 */

struct followed_task {
    struct task_facts facts;
    bool is_owned;  /* a process has the session's journal open for writing */
    bool is_handed; /* a decision was left for it, and nobody has taken it yet */
};

struct suite_follow {
    struct suite_store store;    /* read so far */
    struct followed_task *tasks; /* one for each task */
    pid_t runner;                /* the process that runs the suite; 0: none does */
    bool is_reading;             /* some journals are not read to their ends yet */
    struct error trouble;        /* of the suite's own journal, or of watching; code 0: none */
    struct follow_work *work;
};

struct suite_follow_options {
    struct loop *loop;
    const char *suite; /* the beginning of its id; NULL: the latest */
    bool only_open;    /* read no sessions of tasks that have ended or failed */

    /* Called from the loop after what is in the struct has changed. */
    void (*changed)(void *data);
    void *data;
};

/* Open a suite and begin to follow it; `follow` stays at its place until it is closed. */
enum status suite_follow_open(struct suite_follow *follow,
                              const struct suite_follow_options *options,
                              struct error *err) MUST_CHECK;

/* True if the step of a task waits for the engineer, and no decision was left for it. */
bool suite_follow_asks(const struct suite_follow *follow, size_t task);

/* The state of a session that is not at its end; NULL: it is, or is not read to its end yet. */
const struct session *suite_follow_session(const struct suite_follow *follow, size_t task);

/* Free the contents and leave it empty. */
void suite_follow_close(struct suite_follow *follow);

#endif
