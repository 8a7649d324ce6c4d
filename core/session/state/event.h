#ifndef CORE_SESSION_STATE_EVENT_H
#define CORE_SESSION_STATE_EVENT_H

#include "core/base/json.h"
#include "core/session/state/event_data.h"
#include "core/system/clock.h"

/*
 * One thing that happened in a session.  The state of a session is the fold of its events:
 * fold_apply() (fold.h) is the only function that changes it.  In the journal an event is one line
 * of JSON: {"seq", "at", "type", ...}; event_data.h lists the members of each type.
 */
struct event {
    uint64_t seq; /* counts from 1 without gaps; 0 until it is stamped */
    enum event_type type;
    struct json *body; /* the whole line as an object; owned */
};

/*
 * Make an event from the struct that event_data.h defines for its type. It has no number and no
 * time yet: event_stamp() sets them. Texts are copied; the caller releases the event.
 */
struct event event_make(enum event_type type, const void *data);

/* Read the data of an event, with texts borrowed from it; `place` ("event 12") begins the error. */
enum status event_decode(const struct event *event, const char *place, union event_data *data,
                         struct error *err) MUST_CHECK;

/* The object id of the blob that an event names; NULL for none. An event names at most one. */
const char *event_text(const struct event *event);

/* Free the body and leave an empty event. */
void event_release(struct event *event);

/* The name in the journal: "step.decided". */
const char *event_name(enum event_type type);

/*
 * Give the event its number and its time (clock_stamp()), and replace invalid UTF-8 in its texts:
 * models and compilers write such bytes.
 */
void event_stamp(struct event *event, uint64_t seq, const char *time);

/* The time of the event; "" before it is stamped. */
const char *event_time(const struct event *event);

/* Parse a copy of one line of a journal; `place` ("events.jsonl:12") begins the error. */
enum status event_parse(struct event *event, const char *line, const char *place,
                        struct error *err) MUST_CHECK;

#endif
