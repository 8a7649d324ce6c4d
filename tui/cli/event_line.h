#ifndef TUI_CLI_EVENT_LINE_H
#define TUI_CLI_EVENT_LINE_H

#include "core/session/state/event.h"
#include "core/session/state/session.h"

/*
 * Append an event as one line of text, the same in a run and in a replay. Append nothing for an
 * event that does not interest the engineer. `session` is the state right after the event.
 */
void event_line_add(const struct session *session, const struct event *event, struct strbuf *line);

#endif
