#ifndef CORE_SUITE_SUITE_STORE_H
#define CORE_SUITE_SUITE_STORE_H

#include "core/session/store/journal.h"
#include "core/suite/suite.h"
#include "core/suite/suite_state.h"

/*
 * The folder of a suite, suites/ID in kforge's data folder: suite.json, copies of the problems'
 * files, the journal events.jsonl, and the output of the tasks. The sessions are in the same folder
 * as those of `kforge run`.
 */
struct suite_store {
    char id[CATALOG_ID_SIZE];
    char *folder;
    struct suite suite; /* its problems are the paths of their copies */
    struct suite_state state;
    struct journal *journal; /* NULL if the suite was opened for reading */
    /* if it was opened for reading: the place behind the last event read */
    struct journal_place place;
};

/*
 * Make the folder of a new suite, copy the files of its problems, and open its empty journal.
 * Takes `suite`, all of whose problems are paths of files.
 */
enum status suite_store_make(struct suite_store *store, struct suite *suite,
                             struct error *err) MUST_CHECK;

/*
 * Open the suite whose id begins with `prefix`; NULL for the latest one.  Open it for writing to
 * run it; STATUS_UNAVAILABLE if another kforge has it open for writing.
 */
enum status suite_store_open(struct suite_store *store, const char *prefix, bool for_writing,
                             struct error *err) MUST_CHECK;

/* Apply the events that were written since the last call; the suite is open for reading. */
enum status suite_store_read_on(struct suite_store *store, struct error *err) MUST_CHECK;

/* The path of the journal; the caller frees. */
char *suite_store_journal(const struct suite_store *store);

/* The folder with the folders of all suites; the caller frees. */
char *suite_store_all(void);

/* Write an event and apply it; the caller releases the event. */
enum status suite_store_record(struct suite_store *store, struct event *event,
                               struct error *err) MUST_CHECK;

/* The path of the file with the output of a task's session, by its index; the caller frees. */
char *suite_store_log(const struct suite_store *store, size_t task);

/*
 * The id of a task's session.  If it has not begun, this is the id that a scheduler's task will
 * give to it: SUITE-NUMBER.
 */
void suite_store_session(const struct suite_store *store, size_t task, char id[CATALOG_ID_SIZE]);

/* Open a suite by its full id, without its journal, for the process of one task. */
enum status suite_store_open_problems(struct suite_store *store, const char *id,
                                      struct error *err) MUST_CHECK;

/* Close the journal, free the contents and leave it empty. */
void suite_store_close(struct suite_store *store);

#endif
