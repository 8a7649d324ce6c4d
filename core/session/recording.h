#ifndef CORE_SESSION_RECORDING_H
#define CORE_SESSION_RECORDING_H

#include "core/session/session.h"

/*
 * A session to look at, to which nothing is written: its events in order, the
 * state that they add up to, and the texts that they name.
 *
 * It is found by the beginning of its id, as one of the sessions here; or by
 * the path, or the name among those that ship, of a folder with events.jsonl
 * and the texts as files, texts/<object id>.  Such a folder stands on its
 * own, without any repository, and can be read and put under version control.
 */
struct recording {
    struct session session;
    struct {
        struct event *items;
        size_t count, capacity;
    } events;
    char *folder;            /* that holds the texts; NULL: the history does */
    struct history *history; /* NULL: the folder does */
};

/* Read all events and fold them; a session that is running can be read too. */
enum status recording_open(const char *name, struct recording *recording,
                           struct error *err) MUST_CHECK;
void recording_release(struct recording *recording);

/* The path of the journal of what is found so; the caller frees. */
enum status recording_find_journal(const char *name, char **journal, struct error *err) MUST_CHECK;

/* Append the text that a session or an event names. */
enum status recording_text(const struct recording *recording, const char *id, struct strbuf *out,
                           struct error *err) MUST_CHECK;

/* Write the recording as a folder that stands on its own. */
enum status recording_write(const struct recording *recording, const char *folder,
                            struct error *err) MUST_CHECK;

#endif
