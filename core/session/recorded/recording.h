#ifndef CORE_SESSION_RECORDED_RECORDING_H
#define CORE_SESSION_RECORDED_RECORDING_H

#include "core/session/state/session.h"
#include "core/session/store/history.h"

/*
 * A session to look at, to which nothing is written: its events in order, the
 * state that they add up to, and the texts that they name.
 *
 * It is found by the beginning of its id, as one of the sessions here; or by
 * the path, or the name among those that ship, of a folder with events.jsonl
 * and the texts as files, texts/<object id>.  Such a folder stands on its
 * own, without any repository, and can be read and put under version control.
 */
/* An event, as it is found again. */
struct recorded {
    enum event_type type;
    int64_t at_us; /* clock_read_stamp(); 0: its time cannot be read */
    size_t line;   /* where it begins, among the lines */
};

struct recording {
    struct session session; /* at the end */
    struct event opening;   /* the first event */
    struct strbuf lines;    /* the journal, each line terminated */
    struct {
        struct recorded *items;
        size_t count, capacity;
    } events;
    char *folder;            /* that holds the texts; NULL: the history does */
    struct history *history; /* NULL: the folder does */
};

/* Read all events and fold them; a session that is running can be read too. */
enum status recording_open(const char *name, struct recording *recording,
                           struct error *err) MUST_CHECK;

/* Who is told of each state on the way there. */
struct recording_listener {
    void (*folded)(void *data, const struct session *session);
    void *data;
};

/* The same, step by step. */
enum status recording_follow(const char *name, const struct recording_listener *listener,
                             struct recording *recording, struct error *err) MUST_CHECK;
void recording_release(struct recording *recording);

/* Read an event again, by its place from 0; the caller releases it. */
enum status recording_event(const struct recording *recording, size_t place, struct event *event,
                            struct error *err) MUST_CHECK;

/* The path of the journal of what is found so; the caller frees. */
enum status recording_find_journal(const char *name, char **journal, struct error *err) MUST_CHECK;

/* Append the text that a session or an event names. */
enum status recording_text(const struct recording *recording, const char *id, struct strbuf *out,
                           struct error *err) MUST_CHECK;

/* Write the recording as a folder that stands on its own. */
enum status recording_write(const struct recording *recording, const char *folder,
                            struct error *err) MUST_CHECK;

#endif
