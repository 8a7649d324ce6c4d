#ifndef CORE_SESSION_STATE_EVENT_FIELDS_H
#define CORE_SESSION_STATE_EVENT_FIELDS_H

#include "core/base/record.h"
#include "core/session/state/event_data.h"

/* The types of events as data: what each is called, and what it holds. */
struct event_row {
    const char *name; /* "step.decided" */
    const struct field *fields;
    const char *required[6]; /* keys that are always there; NULL after the last */
};

/* By enum event_type; EVENT_NONE is empty. */
extern const struct event_row event_rows[];

/* Of members that are object ids of blobs. */
extern const struct field_codec event_text_codec;

#endif
