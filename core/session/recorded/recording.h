#ifndef CORE_SESSION_RECORDED_RECORDING_H
#define CORE_SESSION_RECORDED_RECORDING_H

#include "core/session/state/event.h"
#include "core/session/state/session.h"
#include "core/session/store/history.h"

/*
 * A session that is read but never written: its events in order, its final state, and its texts.
 *
 * Its name is the beginning of the id of a session on this machine; or the path of a folder with
 * events.jsonl and the texts as files, texts/<object id>; or the name of such a folder among those
 * that kforge ships.  A folder needs no repository, so it can be kept under version control.
 */

/* The place of an event in the recording. */
struct recorded {
    enum event_type type;
    int64_t at_us; /* as clock_read_stamp(); 0 if its time is invalid */
    size_t line;   /* offset of its line in recording.lines */
};

struct recording {
    struct session session; /* after the last event */
    struct event opening;   /* the first event */
    struct strbuf lines;    /* the journal; a NUL ends each line */
    struct {
        struct recorded *items;
        size_t count, capacity;
    } events;
    char *folder;            /* holds the texts; NULL if the history does */
    struct history *history; /* holds the texts; NULL if the folder does */
};

/* Read and fold all events of the recording of a name.  The session may be running. */
enum status recording_open(const char *name, struct recording *recording,
                           struct error *err) MUST_CHECK;

/*
 * Receives the state after each event, borrowed for the call. `changes` collects what the events
 * change (changes.h).
 */
struct recording_listener {
    void (*folded)(void *data, const struct session *session);
    struct changes *changes;
    void *data;
};

/* Like recording_open(), and call the listener after each event. */
enum status recording_follow(const char *name, const struct recording_listener *listener,
                             struct recording *recording, struct error *err) MUST_CHECK;
/* Free the contents and leave it empty. */
void recording_release(struct recording *recording);

/* Parse the event with an index, which counts from 0; the caller releases it. */
enum status recording_event(const struct recording *recording, size_t place, struct event *event,
                            struct error *err) MUST_CHECK;

/* True if the name is that of a recording: a folder, or one that kforge ships. */
bool recording_is_named(const char *name);

/* Find the path of the journal of the recording with a name; the caller frees it. */
enum status recording_find_journal(const char *name, char **journal, struct error *err) MUST_CHECK;

/* Append the text with an object id. */
enum status recording_text(const struct recording *recording, const char *id, struct strbuf *out,
                           struct error *err) MUST_CHECK;

/*
 * Read the verdict on an attempt that was judged, with its times on the session's scale
 * (scaled_verdict.h); the caller releases it.
 */
enum status recording_verdict(const struct recording *recording, const struct attempt *attempt,
                              struct verdict *verdict, struct error *err) MUST_CHECK;

/* Write the recording as a folder that needs no repository. */
enum status recording_write(const struct recording *recording, const char *folder,
                            struct error *err) MUST_CHECK;

#endif
