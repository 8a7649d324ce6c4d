#ifndef CORE_SUITE_TASK_RECORD_H
#define CORE_SUITE_TASK_RECORD_H

#include "core/suite/suite_store.h"

/*
 * The record that a scheduler's task writes about itself, tasks/NUMBER.json in the suite's folder:
 * where it runs and how it ended.  Each run writes it twice, as a whole, so that any machine can
 * read it at any time; no message is sent over the network.
 */
struct task_record {
    char *host, *job; /* the machine; the scheduler's id of the job, or NULL */
    char *began,
        /* times as from clock_stamp(); ended is NULL while it runs, and after it was killed */
        *ended;
    unsigned runs; /* the number of this run, from 1; above 1 after it was requeued */
    char *lost_on; /* the machine on which the run before was cut off; NULL if none was */
    unsigned exit; /* the exit code, once ended is set */
    bool has_exit;
};

/*
 * Read the record of a task, by the task's index; STATUS_NOT_FOUND if the task has not begun.  The
 * caller releases it.
 */
enum status task_record_read(const struct suite_store *store, size_t task,
                             struct task_record *record, struct error *err) MUST_CHECK;

/* Write the record of a run that begins in this process. */
enum status task_record_begin(const struct suite_store *store, size_t task,
                              struct error *err) MUST_CHECK;
/* Write the record of this run's end, with its exit code. */
enum status task_record_end(const struct suite_store *store, size_t task, unsigned exit,
                            struct error *err) MUST_CHECK;

/* True if the session could not be run, or not to its end; an interrupted one can be resumed. */
bool task_record_has_failed(const struct task_record *record);

/* Remove the record of a task that is submitted again. */
void task_record_remove(const struct suite_store *store, size_t task);

/* Free the contents and leave it empty. */
void task_record_release(struct task_record *record);

#endif
