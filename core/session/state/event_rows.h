#ifndef CORE_SESSION_STATE_EVENT_ROWS_H
#define CORE_SESSION_STATE_EVENT_ROWS_H

#include "core/base/record.h"

/*
 * The JSON form of events as tables: the name of each type, and a field (core/base/record.h) for
 * each member of its struct in event_data.h.
 */
struct event_row {
    const char *name; /* "step.decided" */
    const struct field *fields;
    const char *required[6]; /* keys that every event of the type has; NULL ends the list */
};

/* By enum event_type; the row of EVENT_NONE is empty. */
extern const struct event_row event_rows[];
extern const size_t event_row_count;

/* The codec of members that name a blob. */
extern const struct field_codec event_text_codec;

#endif
