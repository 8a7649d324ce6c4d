#ifndef CORE_SESSION_STORE_JOURNAL_H
#define CORE_SESSION_STORE_JOURNAL_H

#include <sys/types.h>

#include "core/session/state/event.h"

/*
 * The file in which a session's events stand, one a line.  An event is on
 * disk when journal_append() returns.  A last line that a crash tore (no
 * newline, or a hole of NUL bytes) is cut off on opening; any other line that
 * does not parse, and a gap in the numbers, is an error.  The file is locked
 * while it is open: a second writer is refused.
 */
struct journal;

typedef enum status journal_event_fn(void *data, const struct event *event, struct error *err);

/* Open the journal, making it where there is none, and fold what it holds, in order. */
enum status journal_open(const char *path, journal_event_fn *hear, void *data,
                         struct journal **journal, struct error *err) MUST_CHECK;

/* Fold a journal without opening it for writing: for looking at a session that may be running. */
enum status journal_read(const char *path, journal_event_fn *hear, void *data,
                         struct error *err) MUST_CHECK;

/* The process that has the journal open for writing; 0: none has. */
pid_t journal_owner(const char *path);

/*
 * Stamp and write; the event is the caller's still.  On failure the journal
 * is as it was before, and the same event can be appended again.
 */
enum status journal_append(struct journal *journal, struct event *event,
                           struct error *err) MUST_CHECK;

/* Whether it is still where it was opened: nobody has removed or replaced it. */
bool journal_is_in_place(const struct journal *journal);
void journal_close(struct journal *journal);

#endif
