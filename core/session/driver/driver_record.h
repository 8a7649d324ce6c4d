#ifndef CORE_SESSION_DRIVER_DRIVER_RECORD_H
#define CORE_SESSION_DRIVER_DRIVER_RECORD_H

#include "core/session/driver/driver_state.h"

/*
 * Records the events of a session: each event is written to the journal, applied to the state and
 * passed to the listener. All events pass through driver_record(), which also schedules the next
 * action.
 */

/* Write an event, apply it, call the listener, and schedule the next action. Takes the event. */
enum status driver_record(struct driver *driver, struct event event, struct error *err) MUST_CHECK;

/* Store a text in the repository, so that an event can name it. */
enum status driver_put(struct driver *driver, const char *text, char id[OBJECT_ID_SIZE],
                       struct error *err) MUST_CHECK;

/*
 * Commit the texts that events have named so far, so that git does not collect them. This is done
 * when the session waits anyway: before a prompt, before the engineer decides, and at the end.
 */
enum status driver_commit_texts(struct driver *driver, struct error *err) MUST_CHECK;

/* Let the loop choose the next action (driver->take_turn) after the current callback. */
void driver_schedule(struct driver *driver);

/* Set what is busy, and the word that the screen shows for it (NULL: none). */
void driver_set_activity(struct driver *driver, enum busy busy, const char *activity);

/* Show a line from the provider or the worker. */
void driver_set_notice(struct driver *driver, const char *line);

/* Stop the driver for good; `err` is NULL when the session is closed. */
void driver_end(struct driver *driver, const struct error *err);

#endif
