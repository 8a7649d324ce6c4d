#ifndef CORE_SESSION_STORE_JOURNAL_H
#define CORE_SESSION_STORE_JOURNAL_H

#include <sys/types.h>

#include "core/session/state/event.h"

/*
 * The file with the events of a session, one in each line. An event is on disk when
 * journal_append() returns. A crash can leave an incomplete last line (no newline, or a run of NUL
 * bytes), which journal_open() cuts off. Any other line that does not parse is an error, and so is
 * a gap in the numbers. The file is locked while it is open, so a second writer is refused.
 */
struct journal;

/* Receives an event, borrowed for the call; a failure ends the reading. */
typedef enum status journal_event_fn(void *data, const struct event *event, struct error *err);

/* Open the journal for writing, or create it, and pass its events to `on_event` in order. */
enum status journal_open(const char *path, journal_event_fn *on_event, void *data,
                         struct journal **journal, struct error *err) MUST_CHECK;

/* Pass the events of a journal to `on_event`, without a lock: its session may be running. */
enum status journal_read(const char *path, journal_event_fn *on_event, void *data,
                         struct error *err) MUST_CHECK;

/* A place between two lines of a journal; all zeros: its beginning. */
struct journal_place {
    uint64_t events; /* number of events before the place */
    off_t bytes;
};

/*
 * Pass the events after `place` to `on_event`, and move `place` behind them, so that each call
 * reads only what the journal has gained.
 */
enum status journal_read_on(const char *path, struct journal_place *place,
                            journal_event_fn *on_event, void *data, struct error *err) MUST_CHECK;

/* The id of the process that has the journal open for writing; 0 for none. */
pid_t journal_owner(const char *path);

/*
 * Stamp an event and write it; the caller keeps the event.  On failure the journal is unchanged,
 * and the same event can be appended again.
 */
enum status journal_append(struct journal *journal, struct event *event,
                           struct error *err) MUST_CHECK;

/* True if the file is still at its path, neither removed nor replaced. */
bool journal_is_in_place(const struct journal *journal);
/* Close the file, which releases its lock; takes NULL. */
void journal_close(struct journal *journal);

#endif
