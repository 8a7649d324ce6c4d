#ifndef CORE_SUITE_TASK_RECORD_H
#define CORE_SUITE_TASK_RECORD_H

#include "core/suite/suite_store.h"

/*
 * The record that the process of a scheduler's task writes about itself, tasks/NUMBER.json in the
 * suite's folder: where it runs, and how it ended.  It is written twice in each run, whole, so that
 * any machine may read it, and nobody has to be told over the network.
 */
struct task_record {
    char *host, *job; /* the machine; the scheduler's id, or NULL */
    char *began,
        *ended;    /* clock_stamp(); ended is NULL while it runs, and of one that was killed */
    unsigned runs; /* from 1: more after it was queued again */
    char *lost_on; /* the machine on which the run before this one was cut off; NULL: none */
    unsigned exit; /* of one that ended: the exit code */
    bool has_exit;
};

/* Read the record of a task, by its index; STATUS_NOT_FOUND: it has not begun.  The caller releases
 * it. */
enum status task_record_read(const struct suite_store *store, size_t task,
                             struct task_record *record, struct error *err) MUST_CHECK;

/* A run of the task begins in this process: write its record. */
enum status task_record_begin(const struct suite_store *store, size_t task,
                              struct error *err) MUST_CHECK;
/* It ends with an exit code. */
enum status task_record_end(const struct suite_store *store, size_t task, unsigned exit,
                            struct error *err) MUST_CHECK;

/* True if the session could not be run, or not to its end; an interrupted one can be resumed. */
bool task_record_has_failed(const struct task_record *record);

/* The task is submitted anew: its old record no longer counts. */
void task_record_remove(const struct suite_store *store, size_t task);

/* Free the contents and leave it empty. */
void task_record_release(struct task_record *record);

#endif
